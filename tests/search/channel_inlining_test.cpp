#include "search/channel_inlining.h"

#include <gtest/gtest.h>

#include "schedule/sample_dags.h"
#include "try_plans.h"

namespace nestor {
namespace {

// blur() with three channels behind, which all read the same of blur_x.
PipelineDag with_channels() {
    PipelineDag dag = samples::blur();
    Function& out = dag.functions[2];
    Loop channels = out.stages[0].loops[0];
    channels.label = channels.variable = "c";
    channels.range = {0, 3};
    channels.position = 2;
    out.stages[0].loops.push_back(channels);
    out.args.push_back("c");
    out.region.push_back({0, 3});
    out.constant.push_back(true);
    out.assumed.push_back(false);
    for (Load& load : out.stages[0].loads) {
        for (Coordinate& coordinate : load.coords) {
            coordinate.rates.push_back(0);
        }
    }
    return dag;
}

std::vector<Plan> inlined(const PipelineDag& dag, const Plan& plan, int function) {
    std::vector<Plan> plans;
    for_each_inlining_into_channels(dag, plan, function,
                                    [&](const Plan& each) { plans.push_back(each); });
    return plans;
}

TEST(ChannelInlining, UnrollsTheChannelsOfTheReader) {
    const PipelineDag dag = with_channels();
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    plan.functions[2].stages[0].short_outside = true;
    const std::vector<Plan> plans = inlined(dag, plan, 1);
    ASSERT_EQ(plans.size(), 1U);
    Plan expected = plan;
    expected.functions[1].place = Place::Inlined;
    expected.functions[2].stages[0].block[2] = 3;
    expected.functions[2].stages[0].short_outside = false;
    EXPECT_EQ(plans[0], expected);
}

TEST(ChannelInlining, IsNoneOfWhatSingleMovesDo) {
    const PipelineDag dag = with_channels();
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    plan.functions[2].stages[0].block[2] = 3;
    EXPECT_TRUE(inlined(dag, plan, 1).empty()) << "they are unrolled already";
    plan.functions[2].stages[0].block[2] = 1;
    plan.functions[1].place = Place::Inlined;
    EXPECT_TRUE(inlined(dag, plan, 1).empty()) << "it is inlined already";
    const PipelineDag without = samples::blur();
    EXPECT_TRUE(inlined(without, plain_plan(without, {true, false, false}, avx2()), 1).empty());
}

TEST(ChannelInlining, IsNoneWhereEachChannelReadsItsOwn) {
    PipelineDag dag = with_channels();
    dag.functions[2].stages[0].loads[0].coords[1].rates[2] = 1;
    const Plan plan = plain_plan(dag, {true, false, false}, avx2());
    EXPECT_TRUE(inlined(dag, plan, 1).empty());
}

}  // namespace
}  // namespace nestor
