#include "search/register_tiles.h"

#include <gtest/gtest.h>

#include "machine/profiles.h"
#include "schedule/legality.h"
#include "schedule/sample_dags.h"
#include "search/inlining.h"

namespace nestor {
namespace {

std::vector<Plan> tiles_of(const PipelineDag& dag, int function) {
    const Machine machine = shipped_profile(InstructionSet::X86Avx2);
    Builder builder(dag, machine);
    std::vector<Plan> plans;
    for_each_register_tile(builder, plain_plan(dag, choose_inlined(dag), machine), function,
                           [&](const Plan& plan) { plans.push_back(plan); });
    return plans;
}

TEST(RegisterTiles, AreComputedWhereBlocksOfTheReaderNeedThem) {
    const PipelineDag dag = samples::matmul();
    const Machine machine = shipped_profile(InstructionSet::X86Avx2);
    Builder builder(dag, machine);
    int legal = 0;
    for (const Plan& plan : tiles_of(dag, 2)) {
        const Schedule schedule = builder.build(plan);
        const FunctionSchedule& sums = schedule.functions[2];
        EXPECT_EQ(sums.compute.kind, Level::Kind::At);
        EXPECT_EQ(sums.compute.site.function, 3);
        const NestPlan& update = plan.functions[2].stages[1];
        const NestPlan& reader = plan.functions[3].stages[0];
        EXPECT_EQ(update.block[0], reader.block[0]);
        EXPECT_EQ(update.block[1], reader.block[1]);
        EXPECT_EQ(update.lanes, reader.lanes);
        EXPECT_LT(update.block[0] * update.block[1], machine.registers.value);
        legal += check_legality(dag, schedule).empty() ? 1 : 0;
    }
    EXPECT_GT(legal, 20);
}

TEST(RegisterTiles, AreOfReductionsThatOneFunctionReadsPointByPoint) {
    EXPECT_TRUE(tiles_of(samples::blur(), 1).empty()) << "no reduction";
    EXPECT_TRUE(tiles_of(samples::histogram(), 1).empty()) << "read anywhere";
    PipelineDag dag = samples::matmul();
    dag.functions[3].stages[0].loads[0].coords[0].offset_max = 2;
    EXPECT_TRUE(tiles_of(dag, 2).empty()) << "several points";
    dag = samples::matmul();
    dag.functions[3].pinned = "scheduled by the user";
    EXPECT_TRUE(tiles_of(dag, 2).empty()) << "the reader is not ours";
}

}  // namespace
}  // namespace nestor
