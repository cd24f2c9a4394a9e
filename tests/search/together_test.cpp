#include "search/together.h"

#include <gtest/gtest.h>

#include "cost/evaluator.h"
#include "schedule/legality.h"
#include "schedule/sample_dags.h"
#include "search/inlining.h"
#include "search/search.h"
#include "search/space.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

TEST(Together, AreSiblingsThatReadTheSame) {
    const PipelineDag dag = samples::siblings();
    EXPECT_EQ(computed_together(dag), (std::vector<Joined>{{3, {2}}}));
    PipelineDag larger = dag;
    larger.functions[2].region[1].extent++;
    larger.functions[2].stages[0].loops[1].range.extent++;
    EXPECT_TRUE(computed_together(larger).empty()) << "of other sizes";
    PipelineDag laid_out = dag;
    laid_out.layouts.push_back({{Source::Input, 0, 0, 1}});
    EXPECT_TRUE(computed_together(laid_out).empty()) << "with a case for each layout";
    EXPECT_TRUE(computed_together(samples::blur()).empty());
}

TEST(Together, AreASpaceOfTheirOwn) {
    const PipelineDag dag = samples::siblings();
    const auto has_any = [&](const MoveSet& moves) {
        return std::ranges::any_of(make_spaces(dag, avx2(), moves),
                                   [](const Space& space) { return !space.together.empty(); });
    };
    EXPECT_TRUE(has_any({}));
    EXPECT_FALSE(has_any(moves_without("compute_with").value()));
}

TEST(Together, PlansAreCarriedOver) {
    const PipelineDag dag = samples::siblings();
    const Machine machine = avx2(4);
    const std::vector<Joined> together = computed_together(dag);
    const Variant variant(dag, together);
    Plan plan = plain_plan(dag, choose_inlined(dag), machine);
    plan.functions[3].stages[0].tile = {128, 32};
    plan.functions[3].stages[0].block = {2, 4};
    const Plan start = plain_plan(variant.graph(), choose_inlined(variant.graph()), machine);
    const Plan carried = carry_over(variant, together, plan, start);
    const int leader = variant.in_graph(3);
    EXPECT_EQ(carried.functions[leader].stages[0].tile, (std::vector<std::int64_t>{0, 0}));
    EXPECT_EQ(carried.functions[leader].stages[0].block, (std::vector<int>{1, 1}));
    EXPECT_EQ(carried.functions[variant.in_graph(2)].place, Place::Inlined);

    const Schedule schedule = variant.of_pipeline(build(variant.graph(), carried));
    EXPECT_TRUE(schedule.functions[2].stages[0].compute_with);
    EXPECT_EQ(text(check_legality(dag, schedule)), "");
    // What both read comes from memory once.
    Schedule apart = schedule;
    apart.functions[2].stages[0].compute_with.reset();
    Evaluator evaluator(dag, machine);
    EXPECT_LT(evaluator.seconds(schedule), evaluator.seconds(apart));
}

}  // namespace
}  // namespace nestor
