#include "search/storage.h"

#include <gtest/gtest.h>

#include "schedule/legality.h"
#include "schedule/sample_dags.h"

namespace nestor {
namespace {

/** blur_x computed for so many rows of blur_y, of which the last ones may be fewer. */
Schedule in_rows(const PipelineDag& dag, std::int64_t rows) {
    Schedule schedule = empty_schedule(dag);
    samples::split(samples::nest(schedule, 2), 1, rows, Tail::GuardWithIf);
    schedule.functions[1].compute = Level::at({2, 0, {1, 0}});
    return schedule;
}

Memory memory_of_blur_x(const PipelineDag& dag, const Schedule& schedule) {
    const Schedule kept = with_kept_storage(dag, schedule);
    EXPECT_TRUE(check_legality(dag, kept).empty()) << text(check_legality(dag, kept));
    return kept.functions[1].memory;
}

/// blur_x in tiles of the output.
Schedule in_tiles(const PipelineDag& dag, std::int64_t rows) {
    Schedule schedule = in_rows(dag, rows);
    samples::split(samples::nest(schedule, 2), 0, 64, Tail::ShiftInwards);
    samples::nest(schedule, 2).order = {{0, 1}, {1, 1}, {0, 0}, {1, 0}};
    schedule.functions[1].compute = Level::at({2, 0, {0, 0}});
    return schedule;
}

TEST(KeptStorage, IsOfWhatHasNoConstantSize) {
    const PipelineDag dag = samples::blur();
    EXPECT_EQ(memory_of_blur_x(dag, in_rows(dag, 8)), Memory::Stack)
        << "whole rows, whose length only the caller knows";
    EXPECT_EQ(memory_of_blur_x(dag, in_tiles(dag, 512)), Memory::Auto)
        << "tiles of 64 x 512, which only Halide knows to be too much for a stack";
}

TEST(KeptStorage, IsOfWhatIsSmall) {
    const PipelineDag dag = samples::blur();
    EXPECT_EQ(memory_of_blur_x(dag, in_tiles(dag, 8)), Memory::Stack) << "as Halide would have it";
}

TEST(KeptStorage, StaysWhereATaskAllocatesItOnceAnyway) {
    const PipelineDag dag = samples::blur();
    Schedule schedule = in_rows(dag, 8);
    samples::nest(schedule, 2).parallel = {{1, 0}};
    EXPECT_EQ(memory_of_blur_x(dag, schedule), Memory::Auto);
}

TEST(KeptStorage, IsNoLargerThanAStackMayBe) {
    const PipelineDag dag = samples::blur();
    EXPECT_EQ(memory_of_blur_x(dag, in_rows(dag, 128)), Memory::Auto);
}

TEST(KeptStorage, IsNotWhatTheUserHasPlaced) {
    const PipelineDag dag = samples::blur();
    Schedule schedule = in_rows(dag, 8);
    schedule.functions[1].memory = Memory::Heap;
    EXPECT_EQ(memory_of_blur_x(dag, schedule), Memory::Heap);
}

}  // namespace
}  // namespace nestor
