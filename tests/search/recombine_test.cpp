#include "search/recombine.h"

#include <gtest/gtest.h>

#include "schedule/sample_dags.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

/// blur_x and blur_y at root, with vectors of so many elements.
Found with_vectors(const PipelineDag& dag, Evaluator& evaluator, int blur_x, int blur_y) {
    Found found;
    found.plan = plain_plan(dag, {true, false, false}, avx2());
    found.plan.functions[1].stages[0].lanes = blur_x;
    found.plan.functions[2].stages[0].lanes = blur_y;
    found.schedule = build(dag, found.plan);
    found.seconds = evaluator.seconds(found.schedule);
    return found;
}

TEST(Recombine, TakesOverWhatIsBetter) {
    const PipelineDag dag = samples::blur();
    const Machine machine = avx2();
    Builder builder(dag, machine);
    Evaluator evaluator(dag, machine, nullptr);
    const Found first = with_vectors(dag, evaluator, 1, 16);
    const Found second = with_vectors(dag, evaluator, 16, 1);
    const Found both = recombine(builder, evaluator, first, second, {});
    EXPECT_EQ(both.plan, with_vectors(dag, evaluator, 16, 16).plan);
    EXPECT_EQ(both.schedule, build(dag, both.plan));
    EXPECT_LT(both.seconds, first.seconds);
    EXPECT_EQ(recombine(builder, evaluator, both, first, {}).plan, both.plan);
}

TEST(Recombine, StaysLegalAndGetsNoSlower) {
    const PipelineDag dag = samples::blur();
    const Machine machine = avx2();
    Builder builder(dag, machine);
    Evaluator evaluator(dag, machine, nullptr);
    Found apart = with_vectors(dag, evaluator, 16, 16);
    Found inlined = apart;
    inlined.plan.functions[1].place = Place::Inlined;
    inlined.plan.functions[2].stages[0].lanes = 1;
    inlined.schedule = build(dag, inlined.plan);
    inlined.seconds = evaluator.seconds(inlined.schedule);
    const Found best = recombine(builder, evaluator, apart, inlined, {});
    EXPECT_EQ(best.schedule, build(dag, best.plan));
    EXPECT_LE(best.seconds, apart.seconds);
    EXPECT_TRUE(check_legality(dag, best.schedule).empty());
    EXPECT_GT(best.states, apart.states);
}

}  // namespace
}  // namespace nestor
