// Tasks of several iterations of the parallel loop (NestPlan::task).

#include <gtest/gtest.h>

#include <algorithm>

#include "cost/cost_model.h"
#include "schedule/legality.h"
#include "schedule/loops.h"
#include "schedule/sample_dags.h"
#include "search/descent.h"
#include "search/moves.h"
#include "search/plan.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

// Rows in pieces of 128, for each of which blur_x is computed; tasks of eight rows.
Plan pieces_of_rows(const PipelineDag& dag) {
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    NestPlan& out = plan.functions[2].stages[0];
    out.tile = {128, 0};
    out.task = 8;
    plan.functions[1].place = Place::At;
    plan.functions[1].compute = plan.functions[1].store = {2, 0, SiteKind::Tile};
    return plan;
}

TEST(Tasks, RunSeveralRowsOneAfterTheOther) {
    const PipelineDag dag = samples::blur();
    const Schedule schedule = build(dag, pieces_of_rows(dag));
    EXPECT_TRUE(check_legality(dag, schedule).empty());
    const StageSchedule& out = schedule.functions[2].stages[0];
    ASSERT_EQ(out.specializations.size(), 1U);
    const LoopNest& nest = out.specializations[0].nest;
    ASSERT_GE(nest.order.size(), 3U);
    const std::vector<LoopRef> outermost(nest.order.end() - 3, nest.order.end());
    EXPECT_EQ(outermost, (std::vector<LoopRef>{{0, 0}, {1, 1}, {1, 0}}));
    EXPECT_EQ(nest.parallel, (std::vector<LoopRef>{{1, 0}}));
    EXPECT_EQ(schedule.functions[1].compute.site, (LoopSite{2, 0, {0, 0}})) << "as without tasks";
}

TEST(Tasks, AtTheEndAreGuardedAndNeedNoCase) {
    const PipelineDag dag = samples::blur();
    Plan plan = pieces_of_rows(dag);
    const auto large = [&] {
        return build(dag, plan).functions[2].stages[0].specializations.at(0);
    };
    EXPECT_EQ(large().when, (std::vector<ExtentCondition>{{0, 128}})) << "pictures of any height";
    EXPECT_EQ(large().nest.splits[1][0].tail, Tail::GuardWithIf);
    // What is computed for each row would not know behind a guard that it is one.
    plan.functions[1].compute = plan.functions[1].store = {2, 0, SiteKind::Rows};
    plan.functions[2].stages[0].tile = {0, 0};
    ASSERT_EQ(build(dag, plan).functions[1].compute.site, (LoopSite{2, 0, {1, 1}}));
    EXPECT_EQ(large().nest.splits[1][0].tail, Tail::ShiftInwards);
}

TEST(Tasks, CostNoCode) {
    const PipelineDag dag = samples::blur();
    Plan plan = pieces_of_rows(dag);
    const std::int64_t with = code_size(dag, build(dag, plan));
    plan.functions[2].stages[0].task = 1;
    EXPECT_EQ(with, code_size(dag, build(dag, plan)));
}

TEST(Tasks, AreOfLoopsOverSinglePointsOnly) {
    const PipelineDag dag = samples::blur();
    Plan plan = pieces_of_rows(dag);
    const auto changes = [&] {
        Plan other = plan;
        other.functions[2].stages[0].task = 1;
        return !(build(dag, other) == build(dag, plan));
    };
    EXPECT_TRUE(changes());
    plan.functions[2].stages[0].tile[1] = 32;
    EXPECT_FALSE(changes()) << "a task is a tile";
    plan.functions[2].stages[0].tile[1] = 0;
    plan.functions[2].stages[0].task = 1080;
    EXPECT_FALSE(changes()) << "no parallel loop would be left";
}

TEST(Finish, MakesTasksLargerWhereTheyCostMuch) {
    const PipelineDag dag = samples::blur();
    Plan plan = pieces_of_rows(dag);
    plan.functions[2].stages[0].task = 1;
    const auto launched = [&](double seconds) {
        Machine machine = avx2();
        machine.task.value = seconds;
        Evaluator evaluator(dag, machine);
        Builder builder(dag, machine);
        Schedule schedule = builder.build(plan);
        const double before = evaluator.seconds(schedule);
        const Found found =
            finish(builder, evaluator, {"", plan, std::move(schedule), before, 1}, {}, no_limits());
        EXPECT_LE(found.seconds, before);
        EXPECT_TRUE(check_legality(dag, found.schedule).empty());
        EXPECT_DOUBLE_EQ(found.seconds, evaluator.seconds(found.schedule));
        return predict(dag, found.schedule, machine).cost[Term::Launch] / seconds;
    };
    const double rows = 1080;
    EXPECT_LT(launched(1e-4), rows / 4 / 8) << "a core's share, in tasks of eight rows or more";
}

TEST(Tasks, AreMoves) {
    const PipelineDag dag = samples::blur();
    const Machine machine = avx2();
    Builder builder(dag, machine);
    const Plan plan = pieces_of_rows(dag);
    std::vector<int> sizes;
    for_each_finishing_move(builder, plan, 2, [&](const Plan& other) {
        Plan back = other;
        back.functions[2].stages[0].task = 8;
        if (back == plan) {
            sizes.push_back(other.functions[2].stages[0].task);
        }
    });
    EXPECT_EQ(std::ranges::count(sizes, 1), 1);
    EXPECT_EQ(std::ranges::count(sizes, 8), 0) << "what it is already";
    EXPECT_EQ(sizes.size(), 5U);
}

}  // namespace
}  // namespace nestor
