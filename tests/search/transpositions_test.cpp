#include "search/transpositions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/legality.h"
#include "schedule/sample_dags.h"
#include "search/inlining.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

/** The product of two matrices, of which the output reads the transposed one: out(x, y) =
 * prod(y, x). */
PipelineDag transposed_product() {
    PipelineDag dag = samples::matmul();
    std::vector<Coordinate>& coords =
        dag.functions[samples::find(dag, "out")].stages[0].loads[0].coords;
    std::swap(coords[0].rates, coords[1].rates);
    return dag;
}

TEST(Transpositions, CopyWhatHasUpdatesAndIsReadAcross) {
    EXPECT_FALSE(transposed_copies(samples::matmul())) << "read along its rows";
    EXPECT_FALSE(transposed_copies(samples::blur())) << "no updates";
    PipelineDag dag = transposed_product();
    const std::optional<Variant> variant = transposed_copies(dag);
    ASSERT_TRUE(variant);
    EXPECT_EQ(variant->graph().functions.size(), dag.functions.size() + 1);
    dag.functions[samples::find(dag, "out")].pinned = "scheduled by the user";
    EXPECT_FALSE(transposed_copies(dag)) << "the reader is not ours";
}

TEST(Transpositions, AreComputedForEachBlockOfTheReader) {
    const PipelineDag dag = transposed_product();
    const std::optional<Variant> variant = transposed_copies(dag);
    ASSERT_TRUE(variant);
    const PipelineDag& graph = variant->graph();
    const Machine machine = avx2(16);
    Plan plan = plain_plan(graph, choose_inlined(graph), machine);
    place_transpositions(graph, machine, plan);
    const int out = graph.outputs[0];
    const int copy = out - 1;
    Builder builder(graph, machine);
    int blocks = 0;
    for_each_transposition(graph, machine, plan, copy, [&](const Plan& changed) {
        const NestPlan& made = changed.functions[copy].stages[0];
        const NestPlan& read = changed.functions[out].stages[0];
        EXPECT_EQ(read.vector_dim, 0);
        EXPECT_EQ(made.vector_dim, 0) << "along the rows of the product";
        EXPECT_EQ(made.block[1], read.lanes);
        EXPECT_EQ(read.block[1], made.lanes);
        EXPECT_EQ(changed.functions[copy].dense, 1) << "stored as it is read";
        const Schedule schedule = builder.build(changed);
        const Level& level = schedule.functions[copy].compute;
        ASSERT_EQ(level.kind, Level::Kind::At);
        EXPECT_EQ(level.site.function, out);
        EXPECT_TRUE(check_legality(graph, schedule).empty());
        blocks++;
    });
    EXPECT_EQ(blocks, 4) << "of 8 or 4 points along each side";
    const Schedule schedule = variant->of_pipeline(builder.build(plan));
    const std::vector<Violation> broken = check_legality(dag, schedule);
    EXPECT_TRUE(broken.empty()) << text(broken);
    ASSERT_EQ(schedule.functions.size(), dag.functions.size() + 1);
    ASSERT_TRUE(schedule.functions.back().derivation);
    EXPECT_EQ(schedule.functions.back().derivation->kind, Derivation::Kind::Wrapper);
}

}  // namespace
}  // namespace nestor
