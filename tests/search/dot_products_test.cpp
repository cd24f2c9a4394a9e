#include "search/dot_products.h"

#include <gtest/gtest.h>

#include "machine/profiles.h"
#include "schedule/legality.h"
#include "schedule/placement.h"
#include "schedule/sample_dags.h"
#include "search/inlining.h"
#include "search/register_tiles.h"

namespace nestor {
namespace {

PipelineDag matmul_of_bytes(TypeKind a, TypeKind b) {
    PipelineDag dag = samples::matmul();
    dag.functions[2].types = {{TypeKind::Int, 32}};
    dag.functions[2].stages[1].product = NarrowProduct{{a, 8}, {b, 8}, {}};
    return dag;
}

struct Offer {
    Plan plan;
    Schedule schedule;
};

/// Of the sums in register tiles, those with several steps in a vector.
std::vector<Offer> offers(const PipelineDag& dag, InstructionSet set) {
    const Machine& machine = shipped_profile(set);
    Builder builder(dag, machine);
    std::vector<Offer> list;
    for_each_register_tile(builder, plain_plan(dag, choose_inlined(dag), machine), 2,
                           [&](const Plan& plan) {
                               if (plan.functions[2].stages[1].dot > 1) {
                                   list.push_back({plan, builder.build(plan)});
                               }
                           });
    return list;
}

TEST(DotProducts, ComeWithWhatTheyReadPackedForEachFewSteps) {
    const PipelineDag dag = matmul_of_bytes(TypeKind::UInt, TypeKind::Int);
    const std::vector<Offer> all = offers(dag, InstructionSet::X86Avx512);
    int legal = 0;
    for (const auto& [plan, schedule] : all) {
        const LoopNest& sums = Placement(dag, schedule).running_nest(2, 1);
        ASSERT_TRUE(sums.dot);
        EXPECT_EQ(sums.dot->dim, 2) << "the steps, along which a row of a is in memory";
        EXPECT_TRUE(sums.atomic);
        const int steps = plan.functions[2].stages[1].dot;
        EXPECT_EQ(sums.splits[2].back().factor, steps);
        // b(x, k), whose steps are rows.
        EXPECT_EQ(schedule.functions[1].compute, Level::at({2, 1, {2, 0}}));
        EXPECT_EQ(schedule.functions[1].storage_order, (std::vector<int>{1, 0}));
        EXPECT_EQ(plan.functions[1].stages[0].block[1], steps);
        legal += check_legality(dag, schedule).empty() ? 1 : 0;
    }
    EXPECT_GT(legal, 20);
    EXPECT_EQ(all.size() % 2, 0) << "each with two and four steps";
}

TEST(DotProducts, AreAsLongAsTheMachineHasThemForTheSigns) {
    const PipelineDag dag = matmul_of_bytes(TypeKind::UInt, TypeKind::UInt);
    const auto longest = [&](InstructionSet set) {
        int steps = 1;
        for (const Offer& offer : offers(dag, set)) {
            steps = std::max(steps, offer.plan.functions[2].stages[1].dot);
        }
        return steps;
    };
    EXPECT_EQ(longest(InstructionSet::X86Avx512), 2);
    EXPECT_EQ(longest(InstructionSet::ArmNeon), 4);
}

TEST(DotProducts, ArePackedOnceWhereTheirMemoryIsAsShortAsTheSteps) {
    // b as a caller packs it: the steps of each column side by side.
    PipelineDag dag = matmul_of_bytes(TypeKind::UInt, TypeKind::Int);
    Stage& update = dag.functions[2].stages[1];
    update.loads[1].coords = {{true, false, false, {}, {0, 0, 1}, 0, 0, {}, {}},
                              {true, false, false, {}, {1, 0, 0}, 0, 0, {}, {}}};
    update.loops[2].range.extent = 4;
    dag.functions[1].region = {{0, 4}, {0, 512}};
    dag.functions[1].constant = {true, false};
    bool outside = false;
    for (const auto& [plan, schedule] : offers(dag, InstructionSet::X86Avx512)) {
        EXPECT_EQ(plan.functions[1].stages[0].lanes, 4);
        outside = outside || plan.functions[1].compute.kind == SiteKind::Tile;
    }
    EXPECT_TRUE(outside);
}

TEST(DotProducts, AreOfSumsThatMayBeReorderedInStepsThatDivide) {
    PipelineDag dag = matmul_of_bytes(TypeKind::UInt, TypeKind::Int);
    dag.functions[2].stages[1].commutative = false;
    EXPECT_TRUE(offers(dag, InstructionSet::X86Avx512).empty());
    dag = matmul_of_bytes(TypeKind::UInt, TypeKind::Int);
    dag.functions[2].stages[1].loops[2].range.extent = 255;
    EXPECT_TRUE(offers(dag, InstructionSet::X86Avx512).empty());
    dag = matmul_of_bytes(TypeKind::UInt, TypeKind::Int);
    dag.functions[2].stages[1].loops[2].constant_extent = false;
    EXPECT_TRUE(offers(dag, InstructionSet::X86Avx512).empty());
    dag = matmul_of_bytes(TypeKind::UInt, TypeKind::Int);
    dag.functions[2].stages[1].product.reset();
    EXPECT_TRUE(offers(dag, InstructionSet::X86Avx512).empty());
}

}  // namespace
}  // namespace nestor
