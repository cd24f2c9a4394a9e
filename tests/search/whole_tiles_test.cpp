#include "search/whole_tiles.h"

#include <gtest/gtest.h>

#include "schedule/sample_dags.h"

namespace nestor {
namespace {

constexpr int kDown = 1;
constexpr int kUp = 2;
constexpr int kOut = 3;

// up at root, in guarded tiles of eight rows, of which down is computed in each one, or not.
Schedule in_tiles(const PipelineDag& dag, bool down_inside) {
    Schedule schedule = empty_schedule(dag);
    for (const int f : {kDown, kUp, kOut}) {
        schedule.functions[f].compute = Level::root();
    }
    LoopNest& nest = samples::nest(schedule, kUp);
    const LoopRef rows = samples::split(nest, 1, 8, Tail::GuardWithIf);
    nest.order = {{0, 0}, rows, {1, 0}};
    if (down_inside) {
        schedule.functions[kDown].compute = Level::at({kUp, 0, {1, 0}});
    }
    return schedule;
}

TEST(WholeTiles, AreOfOutputsThatNeedOne) {
    const PipelineDag dag = samples::pyramid();
    const Schedule before = in_tiles(dag, true);
    const Schedule after = with_whole_tiles(dag, before, {.careful_reads = true});
    const StageSchedule& up = after.functions[kUp].stages[0];
    ASSERT_EQ(up.specializations.size(), 1U);
    EXPECT_EQ(up.specializations[0].when, (std::vector<ExtentCondition>{{1, 8, kOut}}));
    EXPECT_EQ(up.specializations[0].nest.splits[1], (std::vector<Split>{{8, Tail::ShiftInwards}}));
    EXPECT_EQ(up.nest.splits[1], (std::vector<Split>{{8, Tail::GuardWithIf}}));
    EXPECT_TRUE(check_legality(dag, after).empty()) << text(check_legality(dag, after));
}

TEST(WholeTiles, AreNoneWhereNothingIsInside) {
    const PipelineDag dag = samples::pyramid();
    const Schedule before = in_tiles(dag, false);
    EXPECT_EQ(with_whole_tiles(dag, before, {}), before);
}

TEST(WholeTiles, AreNoMoreCodeThanAllowed) {
    const PipelineDag dag = samples::pyramid();
    const Schedule before = in_tiles(dag, true);
    Caps caps;
    caps.code_size = code_size(dag, before);
    EXPECT_EQ(with_whole_tiles(dag, before, caps), before);
}

}  // namespace
}  // namespace nestor
