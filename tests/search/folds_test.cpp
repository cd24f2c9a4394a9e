#include "search/folds.h"

#include <gtest/gtest.h>

#include "machine/profiles.h"
#include "schedule/legality.h"
#include "schedule/sample_dags.h"

namespace nestor {
namespace {

const Machine kMachine = shipped_profile(InstructionSet::X86Avx2);
constexpr std::int64_t kRow = 1920 * 4;  // bytes of blur_x

/** blur_x slides down blur_y in steps of so many rows. */
Schedule sliding(const PipelineDag& dag, std::int64_t rows) {
    Schedule schedule = empty_schedule(dag);
    LoopNest& nest = samples::nest(schedule, 2);
    samples::split(nest, 1, rows, Tail::ShiftInwards);
    nest.order = {{0, 0}, {1, 1}, {1, 0}};
    schedule.functions[1].compute = Level::at({2, 0, {1, 0}});
    schedule.functions[1].store = Level::root();
    return schedule;
}

std::optional<Fold> fold_of_blur_x(std::int64_t rows, std::int64_t allocated_rows) {
    const PipelineDag dag = samples::blur();
    const Schedule schedule = sliding(dag, rows);
    EXPECT_TRUE(check_legality(dag, schedule).empty()) << text(check_legality(dag, schedule));
    const AllocatedBytes allocated = {{1, allocated_rows * kRow}};
    const Schedule folded = with_folds(dag, schedule, kMachine, &allocated);
    EXPECT_TRUE(check_legality(dag, folded).empty()) << text(check_legality(dag, folded));
    return folded.functions[1].fold;
}

TEST(Folds, HoldOneStepAndWhatATailAddsToIt) {
    EXPECT_EQ(fold_of_blur_x(4, 1082), (Fold{1, 16, true})) << "six rows, and three of a tail";
    EXPECT_EQ(fold_of_blur_x(2, 1082), (Fold{1, 8, true})) << "four rows, and one";
}

TEST(Folds, AreNotForWhatHalideHasFolded) {
    EXPECT_EQ(fold_of_blur_x(4, 8), std::nullopt);
    EXPECT_EQ(fold_of_blur_x(4, 17), std::nullopt) << "hardly shorter";
}

TEST(Folds, AreForAllThatSlidesWhereNothingWasLowered) {
    const PipelineDag dag = samples::blur();
    const Schedule folded = with_folds(dag, sliding(dag, 4), kMachine);
    EXPECT_EQ(folded.functions[1].fold, (Fold{1, 16, true}));
    EXPECT_EQ(with_folds(dag, folded, kMachine), folded) << "once";
}

TEST(Folds, AreNotForWhatIsComputedAsAWhole) {
    const PipelineDag dag = samples::blur();
    Schedule schedule = empty_schedule(dag);
    schedule.functions[1].compute = Level::root();
    EXPECT_EQ(with_folds(dag, schedule, kMachine), schedule);
}

TEST(Folds, AreNotForWhatTheUserHasScheduled) {
    PipelineDag dag = samples::blur();
    const Schedule schedule = sliding(dag, 4);
    dag.functions[1].pinned = "scheduled";
    EXPECT_EQ(with_folds(dag, schedule, kMachine), schedule);
}

}  // namespace
}  // namespace nestor
