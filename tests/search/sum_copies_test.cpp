#include "search/sum_copies.h"

#include <gtest/gtest.h>

#include "schedule/legality.h"
#include "schedule/print.h"
#include "schedule/sample_dags.h"
#include "search/inlining.h"
#include "search/space.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

/// out(x, y) = prod(x, y) + prod(x, y + 1): the products have to be in memory.
PipelineDag stored_product() {
    PipelineDag dag = samples::matmul();
    std::vector<Load>& loads = dag.functions[3].stages[0].loads;
    loads.push_back(loads[0]);
    loads.back().coords[1].offset_min = loads.back().coords[1].offset_max = 1;
    return dag;
}

TEST(SumCopies, AreOfSumsThatAreNotReadPointByPoint) {
    EXPECT_FALSE(copies_of_sums(samples::matmul()));
    EXPECT_FALSE(copies_of_sums(samples::histogram())) << "which stores at places of the data";
    const std::optional<Replacements> copies = copies_of_sums(stored_product());
    ASSERT_TRUE(copies);
    EXPECT_EQ(copies->parents, std::vector<int>{2});
    EXPECT_EQ(copies->variant.graph().functions.size(), 5U);
}

TEST(SumCopies, AreWhereTheSumsWere) {
    const PipelineDag dag = stored_product();
    const Machine machine = avx2(4);
    const Replacements copies = copies_of_sums(dag).value();
    const Variant& variant = copies.variant;
    const int copy = variant.in_graph(4);

    // The sums in strips of the output, in blocks of two vectors by four rows, and b in their
    // loops.
    Plan plan = plain_plan(dag, choose_inlined(dag), machine);
    FunctionPlan& sums = plan.functions[2];
    sums.place = Place::At;
    sums.compute = sums.store = {3, 0, SiteKind::Rows};
    sums.stages[1].vector_dim = 0;
    sums.stages[1].lanes = 8;
    sums.stages[1].block[0] = 2;
    sums.stages[1].block[1] = 4;
    plan.functions[1].place = Place::At;
    plan.functions[1].compute = plan.functions[1].store = {2, 1, SiteKind::Rows};

    const Plan start = plain_plan(variant.graph(), choose_inlined(variant.graph()), machine);
    const Plan carried = carry_over(dag, variant, copies.parents, plan, start);
    const FunctionPlan& mine = carried.functions[copy];
    EXPECT_EQ(mine.place, Place::At);
    EXPECT_EQ(mine.compute, (Spot{variant.in_graph(3), 0, SiteKind::Rows}));
    EXPECT_EQ(mine.stages[0].block, (std::vector<int>{2, 4}));
    EXPECT_EQ(mine.stages[0].lanes, 8);
    const FunctionPlan& sum = carried.functions[variant.in_graph(2)];
    EXPECT_EQ(sum.compute, (Spot{copy, 0, SiteKind::Inner}));
    EXPECT_EQ(sum.stages[0].block, (std::vector<int>{2, 4})) << "zeros, too";
    EXPECT_EQ(carried.functions[variant.in_graph(1)].compute, (Spot{copy, 0, SiteKind::Rows}))
        << "what the sums read is for all of the copy's row";

    Builder builder(variant.graph(), machine);
    const Schedule schedule = variant.of_pipeline(builder.build(carried));
    EXPECT_TRUE(check_legality(dag, schedule).empty()) << print_loop_nest(dag, schedule);
    EXPECT_EQ(schedule.functions[2].compute.site.function, 4);
}

TEST(SumCopies, AreASpaceOfTheirOwn) {
    const auto copied = [](const MoveSet& moves) {
        int spaces = 0;
        for (const Space& space : make_spaces(stored_product(), avx2(4), moves)) {
            spaces += space.copied.empty() ? 0 : 1;
        }
        return spaces;
    };
    EXPECT_EQ(copied({}), 1);
    EXPECT_EQ(copied(moves_without("sum_copies").value()), 0);
}

}  // namespace
}  // namespace nestor
