// Blocks of rows of what may not compute more than it is asked for: a guard around the last. And
// the order of what is unrolled.

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/legality.h"
#include "schedule/sample_dags.h"
#include "search/plan.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

LoopNest rows_of_blur_x(const PipelineDag& dag, int block) {
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    plan.functions[1].stages[0].block[1] = block;
    const Schedule schedule = build(dag, plan);
    EXPECT_TRUE(check_legality(dag, schedule).empty());
    return schedule.functions[1].stages[0].nest;
}

bool is_never_partitioned(const LoopNest& nest, LoopRef loop) {
    return std::ranges::count(nest.partition, LoopPartition{loop, PartitionPolicy::Never}) > 0;
}

TEST(OpenBlocks, LeaveTheLastOneToLoopPartition) {
    const PipelineDag dag = samples::blur();  // its input has no border
    const LoopNest blocks = rows_of_blur_x(dag, 4);
    ASSERT_EQ(blocks.splits.at(1).at(0).tail, Tail::GuardWithIf);
    EXPECT_FALSE(is_never_partitioned(blocks, {1, 0}));
    EXPECT_TRUE(is_never_partitioned(rows_of_blur_x(dag, 1), {1, 0}));
}

TEST(OpenBlocks, AreRoundedUpBehindABorder) {
    PipelineDag dag = samples::blur();
    for (Load& load : dag.functions[0].stages[0].loads) {
        for (Coordinate& coordinate : load.coords) {
            coordinate.clamped = true;
        }
    }
    const LoopNest blocks = rows_of_blur_x(dag, 4);
    ASSERT_EQ(blocks.splits.at(1).at(0).tail, Tail::ShiftInwards);
    EXPECT_TRUE(is_never_partitioned(blocks, {1, 0}));
}

// Halide makes whole vectors of stores that come one after the other: an enlarged picture took 1.7
// times as long with two vectors of red before the first one of green.
TEST(Blocks, OfAnOutputsPixelsAreStoredOneAfterTheOther) {
    PipelineDag dag = samples::blur();
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    plan.functions[2].stages[0].block = {2, 3};
    const auto inner = [&] {
        // Of where the output is large enough.
        const Schedule schedule = build(dag, plan);
        const LoopNest& nest = schedule.functions[2].stages[0].specializations.at(0).nest;
        EXPECT_EQ(nest.unrolled.size(), 2U);
        return nest.order.at(1).dim;
    };
    EXPECT_EQ(inner(), 0) << "vectors of a row, planar";
    dag.functions[2].dense_dim = 1;
    EXPECT_EQ(inner(), 1);
}

}  // namespace
}  // namespace nestor
