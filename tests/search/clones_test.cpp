#include "search/clones.h"

#include <gtest/gtest.h>

#include "schedule/legality.h"
#include "schedule/print.h"
#include "schedule/sample_dags.h"
#include "search/inlining.h"
#include "search/space.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

/// A picture that is counted (a histogram reads it in a reduction) and mapped: work, as much as a
/// few operations.
PipelineDag counted_and_mapped(float work) {
    PipelineDag dag = samples::histogram();
    dag.functions[0].only_wraps_input = false;
    dag.functions[0].can_inline = true;
    dag.functions[0].stages[0].ops.add(Arithmetic::Add, ElementType::Float32, kAllLoops, work);
    return dag;
}

TEST(Clones, AreOfWhatIsReadInSeveralWays) {
    const std::optional<Replacements> clones = clones_by_use(counted_and_mapped(5));
    ASSERT_TRUE(clones);
    EXPECT_EQ(clones->parents, std::vector<int>{0});
    const PipelineDag& graph = clones->variant.graph();
    const auto& picture = graph.functions[clones->variant.in_graph(0)];
    EXPECT_EQ(picture.consumers, std::vector<int>{clones->variant.in_graph(2)})
        << "what maps it has the picture itself";
    const auto& clone = graph.functions[clones->variant.in_graph(3)];
    EXPECT_EQ(clone.consumers, std::vector<int>{clones->variant.in_graph(1)});
}

TEST(Clones, AreOfWhatIsSomeWorkButNotMuch) {
    EXPECT_FALSE(clones_by_use(counted_and_mapped(0))) << "inlined everywhere";
    EXPECT_FALSE(clones_by_use(counted_and_mapped(500))) << "not computed twice";
    EXPECT_FALSE(clones_by_use(samples::blur())) << "each is read in one way";
    PipelineDag stencil = counted_and_mapped(5);
    std::vector<Load>& loads = stencil.functions[0].stages[0].loads;
    loads.resize(9, loads[0]);
    EXPECT_FALSE(clones_by_use(stencil)) << "reads nine points";
}

/// 0 input_im, some work, is read by 1 down at twice the scale and by 3 out as it lies.
PipelineDag reduced_and_mapped() {
    PipelineDag dag = samples::pyramid();
    for (Function& f : dag.functions) {
        f.only_wraps_input = false;
        f.can_inline = !f.is_output;
        f.stages[0].ops.add(Arithmetic::Add, ElementType::Float32, kAllLoops, 5);
        f.stages[0].loops[1].range.extent = 1000;
    }
    return dag;
}

TEST(Clones, AreNotOfWhatACloneReads) {
    PipelineDag dag = reduced_and_mapped();
    const std::optional<Replacements> one = clones_by_use(dag);
    ASSERT_TRUE(one);
    EXPECT_EQ(one->parents, std::vector<int>{0});

    // 1 reads 0 as it lies, 2 up reads 1 at twice the scale, and 3 as it lies: 1 has a clone, which
    // reads 0, so that 0 has none.
    dag.functions[1].stages[0].loads[0].coords[0].rates[0] = 1;
    dag.functions[2].stages[0].loads[0].coords[0].rates[0] = 2;
    dag.functions[3].stages[0].loads[0].coords[0].rates[0] = 4;
    dag.functions[3].stages[0].loads.push_back(dag.functions[1].stages[0].loads[0]);
    dag.functions[3].stages[0].loads.back().index = 1;
    dag.functions[1].consumers = {2, 3};
    const std::optional<Replacements> other = clones_by_use(dag);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->parents, std::vector<int>{1});
}

TEST(Clones, AreWhereTheirParentsAre) {
    const PipelineDag dag = reduced_and_mapped();
    const Replacements clones = clones_by_use(dag).value();
    const Variant& variant = clones.variant;
    const Machine machine = avx2(4);
    Plan plan = plain_plan(dag, choose_inlined(dag), machine);
    plan.functions[0].place = Place::Root;
    plan.functions[0].stages[0].block[1] = 2;
    plan.functions[1].place = Place::Root;
    const Plan start = plain_plan(variant.graph(), choose_inlined(variant.graph()), machine);
    Plan carried = carry_over_clones(dag, variant, clones.parents, plan, start);
    const int clone = variant.in_graph(4);
    EXPECT_EQ(carried.functions[clone], carried.functions[variant.in_graph(0)]);

    // In the rows of what reads every other point, and inlined in what reads it as it lies: what no
    // plan of the pipeline can say.
    carried.functions[variant.in_graph(0)].place = Place::Inlined;
    compute_at({variant.in_graph(1), 0, SiteKind::Rows}, carried.functions[clone]);
    Builder builder(variant.graph(), machine);
    const Schedule schedule = variant.of_pipeline(builder.build(carried));
    EXPECT_TRUE(check_legality(dag, schedule).empty()) << print_loop_nest(dag, schedule);
    EXPECT_EQ(schedule.functions[4].compute.site.function, 1) << print_loop_nest(dag, schedule);
    EXPECT_NE(print_cpp(dag, schedule).find(".clone_in("), std::string::npos);
}

TEST(Clones, AreASpaceOfTheirOwn) {
    const auto cloned = [](const MoveSet& moves) {
        int spaces = 0;
        for (const Space& space : make_spaces(counted_and_mapped(5), avx2(4), moves)) {
            spaces += space.cloned.empty() ? 0 : 1;
        }
        return spaces;
    };
    EXPECT_EQ(cloned({}), 1);
    EXPECT_EQ(cloned(moves_without("clones").value()), 0);
}

}  // namespace
}  // namespace nestor
