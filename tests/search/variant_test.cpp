#include "search/variant.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/legality.h"
#include "schedule/print.h"
#include "schedule/sample_dags.h"
#include "search/inlining.h"
#include "search/space.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

Schedule placed(const PipelineDag& dag, const SumsInParts& sums, const Machine& machine) {
    const PipelineDag& graph = sums.variant.graph();
    Plan plan = plain_plan(graph, choose_inlined(graph), machine);
    place_parts(sums.variant.graph(), sums.parts, machine, plan);
    const Schedule schedule = sums.variant.of_pipeline(Builder(graph, machine).build(plan));
    const std::vector<Violation> broken = check_legality(dag, schedule);
    EXPECT_TRUE(broken.empty()) << text(broken);
    return schedule;
}

TEST(Variant, OfNothingIsThePipelineItself) {
    const Machine machine = avx2(4);
    for (const PipelineDag& dag : samples::all()) {
        const Variant variant(dag);
        Builder builder(dag, machine);
        Builder same(variant.graph(), machine);
        for (const Start& start : make_starts(dag, machine)) {
            const Schedule schedule = builder.build(start.plan);
            EXPECT_EQ(variant.of_pipeline(same.build(start.plan)), schedule) << dag.name;
        }
    }
}

TEST(Variant, HasProducersBeforeConsumers) {
    const Machine machine = avx2(4);
    int variants = 0;
    for (const PipelineDag& dag : samples::all()) {
        for (const SumsInParts& sums : sums_in_parts(dag, machine)) {
            const PipelineDag& graph = sums.variant.graph();
            for (int f = 0; f < static_cast<int>(graph.functions.size()); f++) {
                EXPECT_TRUE(std::ranges::all_of(graph.functions[f].consumers,
                                                [&](int consumer) { return consumer > f; }));
            }
            placed(dag, sums, machine);
            variants++;
        }
    }
    EXPECT_EQ(variants, 2) << "of the histogram and of the sums";
}

TEST(SumsInParts, OfRowsAreVectorsAlongThem) {
    const PipelineDag dag = samples::sums();
    const Machine machine = avx2(4);
    const std::vector<SumsInParts> found = sums_in_parts(dag, machine);
    ASSERT_EQ(found.size(), 1U);
    ASSERT_EQ(found[0].parts.size(), 1U) << "there are rows enough for all threads";
    EXPECT_GE(found[0].parts[0].lanes, 0);
    EXPECT_EQ(found[0].parts[0].tasks, -1);
    const Schedule schedule = placed(dag, found[0], machine);
    const FunctionSchedule& vectors = schedule.functions[3];
    EXPECT_EQ(vectors.derivation->parent, 1);
    ASSERT_EQ(vectors.compute.kind, Level::Kind::At) << print_loop_nest(dag, schedule);
    EXPECT_EQ(vectors.compute.site.function, 1);
    EXPECT_TRUE(vectors.stages[1].nest.vector);
    EXPECT_FALSE(schedule.functions[1].stages[1].nest.vector);
}

/// Rows of a product, and their sums: out(y) = sum over x of prod(x, y).
PipelineDag sums_of_a_product() {
    PipelineDag dag = samples::matmul();
    Function& out = dag.functions[3];
    const PipelineDag like = samples::sums();
    const Loop rows = dag.functions[2].stages[0].loops[1];
    Function total = like.functions[1];
    total.id.stem = "total";
    total.region = {rows.range};
    total.consumers = {4};
    for (Stage& stage : total.stages) {
        stage.loops[0].range = rows.range;
    }
    total.stages[1].loops[1].range = dag.functions[2].stages[0].loops[0].range;
    total.stages[1].loads[0].index = 2;
    Function reader = like.functions[2];
    reader.region = {rows.range};
    reader.stages[0].loops[0].range = rows.range;
    reader.stages[0].loads[0].index = 3;
    out = total;
    dag.functions[2].consumers = {3};
    dag.functions.push_back(reader);
    dag.outputs = {4};
    return dag;
}

/// out(y) = sum over r of in(y + r), as the weights' gradient of a filter is: so many points.
PipelineDag sums_of_windows(std::int64_t points) {
    PipelineDag dag = samples::sums();
    Function& total = dag.functions[1];
    total.region = {{0, points}};
    for (Stage& stage : total.stages) {
        stage.loops[0].range.extent = points;
    }
    Stage& update = total.stages[1];
    update.loops[1].range.extent = 100'000;
    update.loads[0].coords[0].rates = {1, 1};
    update.loads[0].coords[1].rates = {0, 0};
    return dag;
}

TEST(SumsInParts, OfWindowsAreVectorsAlongRowsUnlessTheirPointsFillVectors) {
    const Machine machine = avx2(1);  // vectors of 8
    const auto in_vectors_along_rows = [&](std::int64_t points) {
        const PipelineDag dag = sums_of_windows(points);
        const std::vector<SumsInParts> found = sums_in_parts(dag, machine);
        return !found.empty() && found[0].parts[0].lanes >= 0;
    };
    EXPECT_TRUE(in_vectors_along_rows(3));
    EXPECT_TRUE(in_vectors_along_rows(5)) << "three of eight elements would be nobody's";
    EXPECT_FALSE(in_vectors_along_rows(6));
    EXPECT_FALSE(in_vectors_along_rows(8));
    EXPECT_TRUE(in_vectors_along_rows(9)) << "seven of sixteen";
    EXPECT_FALSE(in_vectors_along_rows(15));
    EXPECT_FALSE(in_vectors_along_rows(100));
}

TEST(SumsInParts, OfShortRowsAreNarrowerVectors) {
    // 320,000 sums of so many steps: a filter's taps.
    Machine machine = shipped_profile(InstructionSet::X86Avx512);  // vectors of 16
    machine.parallelism = 1;
    const auto elements = [&](std::int64_t steps) {
        PipelineDag dag = samples::sums();
        dag.functions[1].region = {{0, 320'000}};
        for (Stage& stage : dag.functions[1].stages) {
            stage.loops[0].range.extent = 320'000;
        }
        dag.functions[1].stages[1].loops[1].range.extent = steps;
        const std::vector<SumsInParts> found = sums_in_parts(dag, machine);
        if (found.empty() || found[0].parts[0].lanes < 0) {
            return 0;
        }
        const Parts& parts = found[0].parts[0];
        const PipelineDag& graph = found[0].variant.graph();
        Plan plan = plain_plan(graph, choose_inlined(graph), machine);
        place_parts(graph, found[0].parts, machine, plan);
        const NestPlan& nest = plan.functions[parts.function].stages.back();
        EXPECT_EQ(nest.block[nest.vector_dim], 1);
        return nest.lanes;
    };
    EXPECT_EQ(elements(100), 16);
    EXPECT_EQ(elements(32), 16);
    EXPECT_EQ(elements(24), 8) << "three of eight elements, not one and a half of sixteen";
    EXPECT_EQ(elements(12), 0);
}

TEST(SumsInParts, OfRowsLeaveProductsWhole) {
    const PipelineDag dag = sums_of_a_product();
    const Machine machine = avx2(4);
    const std::vector<SumsInParts> found = sums_in_parts(dag, machine);
    const auto rows = std::ranges::find_if(found, &SumsInParts::of_rows);
    ASSERT_NE(rows, found.end());
    ASSERT_EQ(rows->parts.size(), 1U);
    EXPECT_EQ(rows->parts[0].reader, rows->variant.in_graph(3)) << "of the product's rows";

    // The sums at root, and the product in their loop.
    Plan plain = plain_plan(dag, choose_inlined(dag), machine);
    plain.functions[2].place = Place::At;
    plain.functions[2].compute = plain.functions[2].store = {3, 1, SiteKind::Rows};
    plain.functions[3].place = Place::Root;
    const PipelineDag& graph = rows->variant.graph();
    const Plan start = plain_plan(graph, choose_inlined(graph), machine);
    const Plan carried = carry_over(rows->variant, rows->parts, machine, plain, start);
    const FunctionPlan& product = carried.functions[rows->variant.in_graph(2)];
    EXPECT_EQ(product.compute, (Spot{rows->parts[0].function, 1, SiteKind::Rows}))
        << "it is the parts that read it now";
    EXPECT_EQ(product.stages, plain.functions[2].stages);
    const FunctionPlan& parts = carried.functions[rows->parts[0].function];
    EXPECT_EQ(parts.compute, (Spot{rows->parts[0].reader, 1, SiteKind::Rows}));
    EXPECT_GT(parts.stages[1].lanes, 1);
}

TEST(SumsInParts, OfFewVeryLongRowsMayBeForTasks) {
    PipelineDag dag = samples::sums();
    const auto set_length = [&](std::int64_t length) {
        dag.functions[1].stages[1].loops[1].range.extent = length;
        return sums_in_parts(dag, avx2(4));
    };
    const std::vector<SumsInParts> found = set_length(100'000);
    ASSERT_EQ(found.size(), 2U) << "the model's choice";
    EXPECT_FALSE(found[0].in_tasks);
    EXPECT_TRUE(found[1].in_tasks);
    const std::vector<Parts>& parts = found[1].parts;
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_GE(parts[0].tasks, 0);
    EXPECT_GE(parts[1].lanes, 0) << "of what a task does";
    placed(dag, found[1], avx2(4));
    EXPECT_EQ(set_length(10'000).size(), 2U);
    EXPECT_EQ(set_length(3'000).size(), 1U) << "adding up the parts counts";
}

// How often each brightness occurs, in parts: of what counts them, not in vectors.
LoopNest counts_of_histogram(const Machine& machine) {
    const PipelineDag dag = samples::histogram();
    const std::vector<SumsInParts> found = sums_in_parts(dag, machine);
    EXPECT_EQ(found.size(), 1U);
    EXPECT_EQ(found.at(0).parts.size(), 1U);
    EXPECT_EQ(found.at(0).parts.at(0).lanes, -1) << "neighbours go anywhere";
    EXPECT_EQ(found.at(0).parts.at(0).tasks >= 0, machine.parallelism > 1);
    const LoopNest counts = placed(dag, found.at(0), machine).functions[3].stages[1].nest;
    EXPECT_FALSE(counts.vector);
    return counts;
}

TEST(SumsInParts, OfAHistogramAreForTasksAndCopies) {
    const LoopNest counts = counts_of_histogram(avx2(4));
    EXPECT_EQ(counts.unrolled.size(), 1U);
    EXPECT_EQ(counts.parallel.size(), 1U);
}

TEST(SumsInParts, OfAHistogramAreForCopiesOnOneThread) {
    const LoopNest counts = counts_of_histogram(avx2(1));
    EXPECT_EQ(counts.unrolled.size(), 1U);
    EXPECT_TRUE(counts.parallel.empty()) << "which needs no tasks";
}

TEST(SumsInParts, WhoseOrderMattersAreOfRunsOfNeighbours) {
    PipelineDag dag = samples::sums();
    dag.functions[1].stages[1].commutative = false;
    const Machine machine = avx2(4);
    const std::vector<SumsInParts> found = sums_in_parts(dag, machine);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].parts[0].lanes, 1) << "then blocks of runs";
    const FunctionSchedule runs = placed(dag, found[0], machine).functions[3];
    const std::vector<Split>& splits = runs.derivation->splits[1];
    ASSERT_EQ(splits.size(), 2U);
    EXPECT_EQ(splits[0].factor, machine.lanes(4) * splits[1].factor) << "a run for each element";
    EXPECT_EQ(runs.derivation->preserved, (std::vector<LoopRef>{{1, 1}, {1, 0}}));
    const LoopNest& nest = runs.stages[1].nest;
    ASSERT_TRUE(nest.vector);
    EXPECT_EQ(nest.vector->dim, 1);
    EXPECT_EQ(nest.unrolled.size(), 1U) << "steps side by side";
    dag.functions[1].stages[1].loops[1].range.extent = 8 * 31;
    dag.functions[1].stages[1].loops[0].range.extent = 1000;
    EXPECT_TRUE(sums_in_parts(dag, machine).empty()) << "short runs";
    dag.functions[1].stages[1].commutative = true;
    dag.functions[1].stages[1].loops[1].range.extent = 40;
    EXPECT_TRUE(sums_in_parts(dag, machine).empty()) << "little work";
}

}  // namespace
}  // namespace nestor
