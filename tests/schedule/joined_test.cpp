#include "schedule/joined.h"

#include <gtest/gtest.h>

#include "schedule/legality.h"
#include "schedule/sample_dags.h"

namespace nestor {
namespace {

const std::vector<Joined> kBoth = {{3, {2}}};

// Rows in parallel, in vectors of eight with a guard.
Schedule in_rows(const PipelineDag& dag) {
    Schedule schedule = empty_schedule(dag);
    schedule.functions[1].compute = Level::inlined();
    schedule.functions[2].compute = Level::inlined();
    schedule.functions[2].stages.resize(1);
    schedule.functions[3].compute = Level::root();
    LoopNest& nest = schedule.functions[3].stages[0].nest;
    nest.splits = {{{8, Tail::GuardWithIf}}};
    nest.vector = LoopRef{0, 1};
    nest.order = {{0, 1}, {0, 0}, {1, 0}};
    nest.parallel = {{1, 0}};
    return schedule;
}

TEST(Joined, LeadersHaveTheValuesOfAll) {
    const PipelineDag dag = samples::siblings();
    ASSERT_TRUE(can_join(dag.functions[2], dag.functions[3]));
    EXPECT_FALSE(can_join(dag.functions[1], dag.functions[3])) << "no output";
    const std::optional<PipelineDag> joined = join(dag, kBoth);
    ASSERT_TRUE(joined);
    const Function& leader = joined->functions[3];
    EXPECT_TRUE(leader.joined);
    EXPECT_EQ(leader.types.size(), 2U);
    ASSERT_EQ(leader.stages[0].loads.size(), 2 * dag.functions[3].stages[0].loads.size());
    EXPECT_EQ(leader.stages[0].loads.front().serves, std::vector<int>{0});
    EXPECT_EQ(leader.stages[0].loads.back().serves, std::vector<int>{1});
    EXPECT_EQ(joined->outputs, std::vector<int>{3});
    EXPECT_EQ(joined->functions[1].consumers, std::vector<int>{3});
    EXPECT_TRUE(joined->functions[2].stages[0].loads.empty());
}

TEST(Joined, NothingDependsOnItself) {
    PipelineDag dag = samples::siblings();
    dag.functions[3].stages[0].loads[0].index = 2;
    EXPECT_FALSE(join(dag, kBoth));
}

TEST(Joined, SchedulesGoBothWays) {
    const PipelineDag dag = samples::siblings();
    const Schedule together = in_rows(dag);
    const Schedule fused = with_followers(dag, together, kBoth);
    EXPECT_EQ(fused.functions[2].stages[0].compute_with, (LoopSite{3, 0, {0, 0}}));
    EXPECT_EQ(fused.functions[2].stages[0].nest, fused.functions[3].stages[0].nest);
    EXPECT_EQ(text(check_legality(dag, fused)), "");
    const std::optional<JoinedSchedule> back = joined(dag, fused);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->schedule, together);

    EXPECT_FALSE(joined(dag, empty_schedule(dag))) << "nothing is fused";
    Schedule otherwise = fused;
    otherwise.functions[2].stages[0].nest.parallel.clear();
    EXPECT_FALSE(joined(dag, otherwise)) << "with other loops";
    Schedule incomplete = fused;
    incomplete.functions[3].stages.clear();
    EXPECT_FALSE(joined(dag, incomplete)) << "which rules on shapes refuse later";
}

// What a follower leads would be left out of what is computed.
TEST(Joined, LeadersFollowNobody) {
    PipelineDag dag = samples::siblings();
    dag.functions.push_back(dag.functions[3]);
    dag.functions[4].id.stem = "third";
    dag.functions[1].consumers = {2, 3, 4};
    dag.outputs = {2, 3, 4};
    Schedule together = in_rows(dag);
    together.functions[4] = together.functions[3];
    const Schedule fused = with_followers(dag, together, {{4, {2, 3}}});
    EXPECT_TRUE(joined(dag, fused));
    Schedule chain = fused;
    chain.functions[2].stages[0].compute_with->function = 3;
    EXPECT_FALSE(joined(dag, chain));
}

// Halide 21 puts the leader's guard around all that is fused: with four rows of the leader and 40
// of the follower, 36 would be left out.
TEST(Joined, FollowersAreNotCutOff) {
    const PipelineDag dag = samples::siblings();
    Schedule together = in_rows(dag);
    LoopNest& nest = together.functions[3].stages[0].nest;
    nest.splits.push_back({{32, Tail::GuardWithIf}});
    nest.order = {{0, 1}, {0, 0}, {1, 1}, {1, 0}};
    Schedule fused = with_followers(dag, together, kBoth);
    EXPECT_NE(text(check_legality(dag, fused)).find("cut off where it ends"), std::string::npos);
    fused.functions[2].stages[0].nest.unrolled = {{0, 1}};
    fused.functions[2].stages[0].nest.vector.reset();
    ASSERT_FALSE(joined(dag, fused)) << "by another rule then";
    EXPECT_NE(text(check_legality(dag, fused)).find("cut it off where"), std::string::npos);
    // Blocks of rows ask for each row by itself.
    nest.order = {{0, 1}, {1, 1}, {0, 0}, {1, 0}};
    nest.unrolled = {{1, 1}};
    EXPECT_EQ(text(check_legality(dag, with_followers(dag, together, kBoth))), "");
}

}  // namespace
}  // namespace nestor
