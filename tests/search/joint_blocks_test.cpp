#include "search/joint_blocks.h"

#include <gtest/gtest.h>

#include "schedule/sample_dags.h"
#include "try_plans.h"

namespace nestor {
namespace {

std::vector<Plan> blocks_of(const PipelineDag& dag, const Plan& plan, int function) {
    std::vector<Plan> plans;
    for_each_joint_block(dag, plan, function, [&](const Plan& each) { plans.push_back(each); });
    return plans;
}

// blur_x for each row, or block of rows, of blur_y.
Plan by_rows(const PipelineDag& dag) {
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    plan.functions[1].place = Place::At;
    plan.functions[1].compute = plan.functions[1].store = {2, 0, SiteKind::Rows};
    return plan;
}

TEST(JointBlocks, AreOfWhatIsReadAlongThem) {
    const PipelineDag dag = samples::blur();
    const Plan plan = by_rows(dag);
    const std::vector<Plan> plans = blocks_of(dag, plan, 2);
    ASSERT_EQ(plans.size(), 1U) << "half a block is none";
    Plan expected = plan;
    expected.functions[1].stages[0].block[1] = expected.functions[2].stages[0].block[1] = 2;
    EXPECT_EQ(plans[0], expected);
    EXPECT_EQ(blocks_of(dag, expected, 2).size(), 2U);
    EXPECT_EQ(blocks_of(dag, expected, 2)[1], plan);
}

TEST(JointBlocks, AreNoneOfOneFunction) {
    const PipelineDag dag = samples::blur();
    Plan plan = by_rows(dag);
    EXPECT_TRUE(blocks_of(dag, plan, 1).empty()) << "it reads an input";
    plan.functions[1].place = Place::Root;
    EXPECT_TRUE(blocks_of(dag, plan, 2).empty());
    plan.functions[1].place = Place::Inlined;
    EXPECT_TRUE(blocks_of(dag, plan, 2).empty());
    EXPECT_TRUE(blocks_of(dag, plan, 1).empty());
}

// out reads up, and that down, which has half as many points.
TEST(JointBlocks, GoThroughWhatIsInlined) {
    const PipelineDag dag = samples::pyramid();
    Plan plan = plain_plan(dag, {true, false, true, false}, avx2());
    plan.functions[1].place = Place::At;
    plan.functions[1].compute = plan.functions[1].store = {3, 0, SiteKind::Rows};
    const std::vector<Plan> plans = blocks_of(dag, plan, 3);
    ASSERT_EQ(plans.size(), 1U);
    EXPECT_EQ(plans[0].functions[1].stages[0].block[1], 2);
    EXPECT_EQ(plans[0].functions[2], plan.functions[2]);
}

TEST(JointBlocks, EndAtTheLargest) {
    const PipelineDag dag = samples::blur();
    Plan plan = by_rows(dag);
    plan.functions[2].stages[0].block[1] = 8;
    plan.functions[1].stages[0].block[1] = 4;
    const std::vector<Plan> plans = blocks_of(dag, plan, 2);
    ASSERT_EQ(plans.size(), 1U);
    EXPECT_EQ(plans[0].functions[2].stages[0].block[1], 4);
    EXPECT_EQ(plans[0].functions[1].stages[0].block[1], 2);
}

}  // namespace
}  // namespace nestor
