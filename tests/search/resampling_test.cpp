#include "search/resampling.h"

#include <gtest/gtest.h>

#include "schedule/legality.h"
#include "schedule/sample_dags.h"
#include "search/inlining.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

/** prod(x, y) += a(1.6 x + k, y): a sum over what is read at uneven distances, and the output reads
 * that point by point. */
PipelineDag resampled_sum() {
    PipelineDag dag = samples::matmul();
    Stage& update = dag.functions[samples::find(dag, "prod")].stages[1];
    update.loads.resize(1);
    update.loads[0].coords[0].rates[0] = 1.6;
    return dag;
}

/** rows(x, y) = sum of input(1.6 x .. 1.6 x + 2, y), and the output a filter of that. */
PipelineDag resampled_rows(double rate = 1.6) {
    PipelineDag dag = samples::weighted_blur();
    for (Load& load : dag.functions[samples::find(dag, "rows")].stages[0].loads) {
        load.coords[0].rates[0] = rate;
    }
    return dag;
}

TEST(ResampledByColumns, OnlyWhereDistancesAreUneven) {
    EXPECT_FALSE(resampled_by_columns(samples::matmul()));
    EXPECT_FALSE(resampled_by_columns(samples::weighted_blur()));
    EXPECT_FALSE(resampled_by_columns(samples::pyramid())) << "every second one, and each twice";
    EXPECT_FALSE(resampled_by_columns(resampled_rows(3.0)));
    EXPECT_TRUE(resampled_by_columns(resampled_rows(2.5)));
    PipelineDag dag = resampled_rows();
    dag.functions[samples::find(dag, "rows")].pinned = "scheduled by the user";
    EXPECT_FALSE(resampled_by_columns(dag)) << "it is not ours";
}

TEST(ResampledByColumns, CopiesWhatHasUpdates) {
    const PipelineDag sum = resampled_sum();
    const std::optional<Variant> variant = resampled_by_columns(sum);
    ASSERT_TRUE(variant);
    EXPECT_EQ(variant->graph().functions.size(), sum.functions.size() + 1) << "the sums, not a";
    const PipelineDag rows = resampled_rows();
    EXPECT_EQ(resampled_by_columns(rows)->graph().functions.size(), rows.functions.size());
}

TEST(ResampledByColumns, HasVectorsAlongTheColumns) {
    const Machine machine = avx2(16);
    for (const PipelineDag& dag : {resampled_sum(), resampled_rows()}) {
        const std::optional<Variant> variant = resampled_by_columns(dag);
        ASSERT_TRUE(variant);
        const PipelineDag& graph = variant->graph();
        Plan plan = plain_plan(graph, choose_inlined(graph), machine);
        place_by_columns(graph, machine, plan);
        const bool sums = dag.functions.size() != graph.functions.size();
        const int source = samples::find(graph, sums ? "a_im" : "input_im");
        const int resampled = samples::find(graph, sums ? "prod" : "rows");
        EXPECT_NE(plan.functions[source].place, Place::Inlined);
        EXPECT_EQ(plan.functions[source].dense, 1);
        EXPECT_EQ(plan.functions[source].stages[0].vector_dim, 0) << "loaded by rows";
        EXPECT_EQ(plan.functions[source].stages[0].block[1],
                  plan.functions[source].stages[0].lanes);
        for (const NestPlan& nest : plan.functions[resampled].stages) {
            EXPECT_EQ(nest.vector_dim, 1);
        }
        EXPECT_EQ(plan.functions[resampled].dense, sums ? 1 : 0)
            << "what has one definition is transposed as it is stored";
        Builder builder(graph, machine);
        const Schedule schedule = builder.build(plan);
        EXPECT_TRUE(check_legality(graph, schedule).empty());
    }
}

}  // namespace
}  // namespace nestor
