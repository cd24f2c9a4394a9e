#include "search/inlining.h"

#include <gtest/gtest.h>

#include "schedule/sample_dags.h"
#include "search/uses.h"

namespace nestor {
namespace {

TEST(ChooseInlined, WrappersOfInputsAlwaysAndOutputsNever) {
    for (const PipelineDag& dag : samples::all()) {
        const std::vector<bool> inlined = choose_inlined(dag);
        for (std::size_t i = 0; i < dag.functions.size(); i++) {
            const Function& f = dag.functions[i];
            if (f.only_wraps_input && f.can_inline) {
                EXPECT_TRUE(inlined[i]) << f.id.text();
            }
            if (!f.can_inline || f.pinned) {
                EXPECT_FALSE(inlined[i]) << f.id.text();
            }
        }
    }
}

TEST(ChooseInlined, ExpensiveFunctionsThatAreReadOftenAreStored) {
    PipelineDag dag = samples::blur();
    dag.functions[1].stages[0].ops.add(Arithmetic::Exponential, ElementType::Float32, kAllLoops,
                                       10);
    for (int read = 0; read < 8; read++) {
        dag.functions[2].stages[0].loads.push_back(dag.functions[2].stages[0].loads[0]);
    }
    EXPECT_FALSE(choose_inlined(dag)[1]);
    dag.functions[1].stages[0].ops = {};
    dag.functions[1].stages[0].loads.clear();
    EXPECT_TRUE(choose_inlined(dag)[1]) << "a constant costs nothing to repeat";
}

TEST(InlineAll, StopsWhereDefinitionsWouldGrowTooLarge) {
    const PipelineDag dag = samples::blur();
    EXPECT_TRUE(inline_all(dag, 1000)[1]);
    EXPECT_FALSE(inline_all(dag, 5)[1]);
}

// What only an unread element of a tuple needs has no place of its own.
TEST(ChooseInlined, LeavesNothingUnread) {
    const PipelineDag dag = samples::dead_element();
    for (const std::vector<bool>& inlined : {choose_inlined(dag), inline_all(dag, 1000)}) {
        const auto uses = real_uses(dag, inlined);
        for (std::size_t i = 0; i < uses.size(); i++) {
            EXPECT_TRUE(inlined[i] || dag.functions[i].is_output || !uses[i].empty())
                << dag.functions[i].id.text();
        }
    }
}

TEST(ChooseInlined, WhatReadsAFunctionInsideOfTheUsersLoop) {
    PipelineDag dag = samples::user_inside();
    dag.functions[2].stages[0].ops.add(Arithmetic::Exponential, ElementType::Float32, kAllLoops,
                                       1000);
    EXPECT_TRUE(choose_inlined(dag)[2]);
}

TEST(RealUses, LookThroughInlinedFunctions) {
    const PipelineDag dag = samples::blur();
    const auto uses = real_uses(dag, {true, true, false});
    EXPECT_EQ(uses[0], (std::vector<StageRef>{{2, 0}}));
    EXPECT_EQ(real_uses(dag, {true, false, false})[0], (std::vector<StageRef>{{1, 0}}));
}

}  // namespace
}  // namespace nestor
