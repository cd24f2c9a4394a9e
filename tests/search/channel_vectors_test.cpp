#include "search/channel_vectors.h"

#include <gtest/gtest.h>

#include "cost/evaluator.h"
#include "machine/profiles.h"
#include "schedule/bounds.h"
#include "schedule/legality.h"
#include "schedule/placement.h"
#include "schedule/sample_dags.h"

namespace nestor {
namespace {

// blur() with three channels in front: `rows` is read at a column that the data tell.
PipelineDag moved_colors() {
    PipelineDag dag = samples::blur();
    const auto affine = [](std::vector<double> rates) {
        Coordinate coordinate;
        coordinate.affine = true;
        coordinate.rates = std::move(rates);
        return coordinate;
    };
    for (const int f : {1, 2}) {
        Function& function = dag.functions[f];
        Loop channels = function.stages[0].loops[0];
        channels.label = channels.variable = "c";
        channels.range = {0, 3};
        std::vector<Loop>& loops = function.stages[0].loops;
        loops.insert(loops.begin(), channels);
        for (int l = 0; l < 3; l++) {
            loops[l].position = l;
        }
        function.args.insert(function.args.begin(), "c");
        function.region.insert(function.region.begin(), {0, 3});
        function.constant.insert(function.constant.begin(), true);
        function.assumed.insert(function.assumed.begin(), false);
    }
    Coordinate stays = affine({0, 0, 1});
    stays.clamped = true;
    Coordinate moves = affine({0, 1, 0});
    moves.clamped = true;
    dag.functions[1].stages[0].loads.resize(1);
    dag.functions[1].stages[0].loads[0].coords = {moves, stays};
    dag.functions[2].stages[0].loads.resize(1);
    Coordinate by_data;
    by_data.fixed_loops = {true, false, false};
    dag.functions[2].stages[0].loads[0].coords = {affine({1, 0, 0}), by_data, affine({0, 0, 1})};
    // What reads it, in planes.
    Function planes = dag.functions[2];
    planes.id.stem = planes.halide_name = "planes";
    planes.stages[0].loads[0].index = 2;
    planes.stages[0].loads[0].coords = {affine({1, 0, 0}), affine({0, 1, 0}), affine({0, 0, 1})};
    planes.consumers.clear();
    dag.functions[2].is_output = false;
    dag.functions[2].can_inline = true;
    dag.functions[2].consumers = {3};
    dag.functions.push_back(std::move(planes));
    dag.outputs = {3};
    return dag;
}

const Machine& machine() {
    return shipped_profile(InstructionSet::X86Avx512);
}

std::vector<Plan> offers(const PipelineDag& dag) {
    Builder builder(dag, machine());
    std::vector<Plan> plans;
    for_each_channel_vector(builder, plain_plan(dag, {true, false, false, false}, machine()), 2,
                            [&](const Plan& plan) { plans.push_back(plan); });
    return plans;
}

TEST(ChannelVectors, ArePaddedToAPowerOfTwoAndSideBySideInWhatIsRead) {
    const PipelineDag dag = moved_colors();
    ASSERT_TRUE(reads_channels_by_data(dag));
    const std::vector<Plan> plans = offers(dag);
    ASSERT_EQ(plans.size(), 2) << "four pixels and eight";
    for (const Plan& plan : plans) {
        const NestPlan& nest = plan.functions[2].stages[0];
        EXPECT_EQ(nest.vector_dim, 0);
        EXPECT_EQ(nest.lanes, 4);
        EXPECT_EQ(plan.functions[2].modulus[0], 4);
        EXPECT_EQ(plan.functions[1].dense, 0);
        EXPECT_EQ(plan.functions[1].modulus[0], 4);
        EXPECT_EQ(plan.functions[1].stages[0].block[0], 4);
        Builder builder(dag, machine());
        EXPECT_TRUE(check_legality(dag, builder.build(plan), {}).empty());
    }
}

TEST(ChannelVectors, AreNotPaddedWhereMoreWouldBeRead) {
    PipelineDag dag = moved_colors();
    dag.functions[1].stages[0].loads[0].coords[0].rates[0] = 1;
    dag.functions[1].stages[0].loads[0].coords[0].clamped = false;
    for (const Plan& plan : offers(dag)) {
        EXPECT_EQ(plan.functions[2].stages[0].lanes, 3);
        EXPECT_EQ(plan.functions[2].modulus[0], 1);
    }
}

TEST(ChannelVectors, AreForPlacesThatDoNotChangeWithTheChannel) {
    PipelineDag dag = moved_colors();
    dag.functions[2].stages[0].loads[0].coords[1].fixed_loops = {false, false, false};
    EXPECT_FALSE(reads_channels_by_data(dag));
    EXPECT_TRUE(offers(dag).empty());
}

TEST(ChannelVectors, AreLoadedAtOnceAndOthersOneByOne) {
    const PipelineDag dag = moved_colors();
    Builder builder(dag, machine());
    Machine one = machine();
    one.parallelism = 1;  // more of them wait for memory, whatever they do
    Evaluator evaluator(dag, one);
    Plan gathers = plain_plan(dag, {true, false, false, false}, machine());
    gathers.functions[2].stages[0].vector_dim = 1;
    gathers.functions[2].stages[0].lanes = 16;
    EXPECT_LT(evaluator.seconds(builder.build(offers(dag)[1])),
              evaluator.seconds(builder.build(gathers)));
}

TEST(ChannelVectors, NeedPaddedChannelsOfWhatTheyRead) {
    const PipelineDag dag = moved_colors();
    Builder builder(dag, machine());
    Schedule schedule = builder.build(offers(dag)[0]);
    schedule.functions[1].region_alignment.clear();
    schedule.functions[1].stages[0].nest.splits[0].clear();
    const Placement placement(dag, schedule);
    Bounds bounds(placement);
    EXPECT_EQ(bounds.whole_extent(1, 0), 4);
}

}  // namespace
}  // namespace nestor
