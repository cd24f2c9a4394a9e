#include "search/register_tiles.h"

#include <set>

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

// b, which all rows share, is packed for one column of tiles or for four; a, of which each row has
// its own, is not.
TEST(RegisterTiles, HaveColumnsWithPanelsOfWhatTheirRowsShare) {
    const PipelineDag dag = samples::matmul();
    const int a = samples::find(dag, "a_im");
    const int b = samples::find(dag, "b_im");
    std::set<std::int64_t> tiles;
    for (const Plan& plan : tiles_of(dag, 2)) {
        const NestPlan& reader = plan.functions[3].stages[0];
        if (plan.functions[b].place == Place::At && reader.vector_dim == 0) {
            EXPECT_EQ(plan.functions[b].compute, (Spot{3, 0, SiteKind::Tile}));
            EXPECT_NE(plan.functions[a].place, Place::At);
            EXPECT_GT(reader.block[1], 1) << "one row shares nothing";
            EXPECT_EQ(reader.tile[1], dag.functions[3].region[1].extent) << "for all rows";
            tiles.insert(reader.tile[0] / (reader.block[0] * reader.lanes));
        }
    }
    EXPECT_EQ(tiles, (std::set<std::int64_t>{1, 4}));
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
