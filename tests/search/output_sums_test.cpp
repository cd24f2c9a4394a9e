#include "search/output_sums.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "machine/profiles.h"
#include "schedule/legality.h"
#include "schedule/print.h"
#include "schedule/sample_dags.h"
#include "search/inlining.h"
#include "search/register_tiles.h"

namespace nestor {
namespace {

// A product that nobody reads: the output itself.
PipelineDag product() {
    PipelineDag dag = samples::matmul();
    dag.functions.pop_back();
    Function& prod = dag.functions.back();
    prod.is_output = true;
    prod.consumers.clear();
    prod.can_inline = false;
    dag.outputs = {2};
    return dag;
}

TEST(OutputSums, AreAFunctionThatTheOutputAdds) {
    const PipelineDag dag = product();
    const std::optional<Variant> variant = sums_before_outputs(dag);
    ASSERT_TRUE(variant);
    const PipelineDag& graph = variant->graph();
    ASSERT_EQ(graph.functions.size(), 4U);
    const Function& output = graph.functions[variant->in_graph(2)];
    const int sums = variant->in_graph(3);
    EXPECT_EQ(graph.functions[sums].consumers, std::vector<int>{variant->in_graph(2)});
    ASSERT_EQ(output.stages.size(), 2U);
    EXPECT_TRUE(std::ranges::none_of(output.stages[1].loops,
                                     [](const Loop& loop) { return loop.is_reduction(); }));
}

TEST(OutputSums, AreOfLongUpdatesThatMayBeReordered) {
    PipelineDag dag = product();
    dag.functions[2].stages[1].commutative = false;
    EXPECT_FALSE(sums_before_outputs(dag)) << "the order matters";
    dag = product();
    dag.functions[2].stages[1].loops[2].range.extent = 3;
    EXPECT_FALSE(sums_before_outputs(dag)) << "few steps";
    dag = product();
    dag.functions[2].pinned = "scheduled by the user";
    EXPECT_FALSE(sums_before_outputs(dag));
    EXPECT_FALSE(sums_before_outputs(samples::matmul())) << "the output is no sum";
    EXPECT_FALSE(sums_before_outputs(samples::histogram())) << "scattered";
}

TEST(OutputSums, StayInRegistersOfConstantSize) {
    const PipelineDag dag = product();
    Machine machine = shipped_profile(InstructionSet::X86Avx2);
    machine.parallelism = 4;
    const std::optional<Variant> variant = sums_before_outputs(dag);
    ASSERT_TRUE(variant);
    const PipelineDag& graph = variant->graph();
    Builder builder(graph, machine);
    int legal = 0;
    int blended = 0;
    for_each_register_tile(
        builder, plain_plan(graph, choose_inlined(graph), machine), variant->in_graph(3),
        [&](const Plan& plan) {
            const Schedule schedule = variant->of_pipeline(builder.build(plan));
            const std::vector<Violation> broken = check_legality(dag, schedule);
            EXPECT_TRUE(broken.empty()) << text(broken);
            legal += broken.empty() ? 1 : 0;
            EXPECT_EQ(schedule.functions[3].storage_bounds.size(), 2U)
                << print_loop_nest(dag, schedule);
            for (const Specialization& large : schedule.functions[2].stages[1].specializations) {
                for (const std::vector<Split>& splits : large.nest.splits) {
                    blended += !splits.empty() && splits[0].tail == Tail::ShiftInwardsAndBlend;
                }
            }
        });
    EXPECT_GT(legal, 20);
    EXPECT_GT(blended, 10);
}

// Their reader is at root, with guards at the ends of its blocks.
TEST(Sums, HaveMemoryOfConstantSizeInTheLoopsOfTheirReader) {
    PipelineDag dag = samples::matmul();
    dag.functions[3].is_output = false;
    Function out = dag.functions[3];
    out.id.stem = "shown";
    out.is_output = true;
    out.stages[0].loads[0].index = 3;
    dag.functions.push_back(out);
    dag.functions[3].consumers = {4};
    dag.functions[3].can_inline = true;
    dag.outputs = {4};
    Machine machine = shipped_profile(InstructionSet::X86Avx2);
    Builder builder(dag, machine);
    Plan plan = plain_plan(dag, choose_inlined(dag), machine);
    plan.functions[3].place = Place::Root;
    int in_loops = 0;
    for_each_register_tile(builder, plan, 2, [&](const Plan& tiles) {
        const Schedule schedule = builder.build(tiles);
        const std::vector<Violation> broken = check_legality(dag, schedule);
        EXPECT_TRUE(broken.empty()) << text(broken);
        const bool inside = schedule.functions[2].compute.kind == Level::Kind::At;
        in_loops += inside ? 1 : 0;
        EXPECT_EQ(schedule.functions[2].storage_bounds.size(), inside ? 2U : 0U)
            << print_loop_nest(dag, schedule);
    });
    EXPECT_GT(in_loops, 10);
}

}  // namespace
}  // namespace nestor
