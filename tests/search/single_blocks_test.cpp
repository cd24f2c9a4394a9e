#include "search/single_blocks.h"

#include <gtest/gtest.h>

#include <utility>

#include "machine/profiles.h"
#include "schedule/legality.h"
#include "schedule/sample_dags.h"
#include "search/plan.h"

namespace nestor {
namespace {

/** Tiles of 64 rows in blocks of four, down each of which blur_x slides. What it reads is computed
 * for a tile. */
Schedule sliding_in_tiles(const PipelineDag& dag, bool reads_copy) {
    const Machine machine = shipped_profile(InstructionSet::X86Avx2);
    Plan plan = plain_plan(dag, {!reads_copy, false, false}, machine);
    plan.functions[2].stages[0].tile = {0, 64};
    plan.functions[2].stages[0].block = {1, 4};
    plan.functions[1].place = Place::At;
    plan.functions[1].compute = {2, 0, SiteKind::Rows};
    plan.functions[1].store = {2, 0, SiteKind::Tile};
    if (reads_copy) {
        plan.functions[0].place = Place::At;
        plan.functions[0].compute = plan.functions[0].store = {2, 0, SiteKind::Tile};
    }
    Schedule schedule = with_single_blocks(dag, Builder(dag, machine).build(plan));
    EXPECT_TRUE(check_legality(dag, schedule).empty()) << text(check_legality(dag, schedule));
    EXPECT_NE(schedule.functions[1].store, schedule.functions[1].compute);
    return schedule;
}

const std::vector<Split> kTiles = {{64, Tail::GuardWithIf}, {4, Tail::RoundUp}};
const std::vector<Split> kBlocks = {{4, Tail::GuardWithIf}, {4, Tail::RoundUp}};

// Of harris at 600 x 150 (its case is from 256 rows on), 1.5 of the time.
TEST(SingleBlocks, AreForSmallSizesWhereSomethingSlides) {
    const Schedule schedule = sliding_in_tiles(samples::blur(), false);
    const StageSchedule& output = schedule.functions[2].stages[0];
    ASSERT_EQ(output.specializations.size(), 1U);
    EXPECT_EQ(output.specializations[0].nest.splits[1],
              (std::vector<Split>{{64, Tail::ShiftInwards}, {4, Tail::RoundUp}}))
        << "which runs at the estimates";
    EXPECT_EQ(output.nest.splits[1], kBlocks);
}

TEST(SingleBlocks, AreNotWhereNothingSlides) {
    const PipelineDag dag = samples::blur();
    Schedule schedule = sliding_in_tiles(dag, false);
    schedule.functions[1].compute = schedule.functions[1].store;
    schedule.functions[2].stages[0].nest.splits[1] = kTiles;
    EXPECT_EQ(with_single_blocks(dag, schedule), schedule);
}

TEST(SingleBlocks, AreNotWhereTheSameNestIsForLargeSizes) {
    const PipelineDag dag = samples::blur();
    Schedule schedule = sliding_in_tiles(dag, false);
    StageSchedule& output = schedule.functions[2].stages[0];
    output.nest.splits[1] = kTiles;
    EXPECT_NE(with_single_blocks(dag, schedule), schedule);
    // Chosen by a value or by a layout only.
    const std::vector<Specialization> large = std::exchange(output.specializations, {});
    output.specializations = {{{}, output.nest, 3}};
    EXPECT_EQ(with_single_blocks(dag, schedule), schedule);
    // At the estimates, for another value.
    output.specializations = {{large[0].when, output.nest, 3}, {large[0].when, output.nest}};
    const Schedule blocks = with_single_blocks(dag, schedule);
    EXPECT_EQ(blocks.functions[2].stages[0].specializations, output.specializations);
}

// bilateral_grid at 200 x 48, whose grid is computed for tiles, took 11 times as long in blocks.
TEST(SingleBlocks, AreNotWhereTheyComputeTheSameAgainAndAgain) {
    PipelineDag dag = samples::blur();
    EXPECT_EQ(sliding_in_tiles(dag, true).functions[2].stages[0].nest.splits[1], kBlocks)
        << "six rows of the input for four, in tiles 66 for 64";
    Function& copy = dag.functions[0];
    copy.region[1] = copy.stages[0].loops[1].range = {-40, 1162};
    dag.inputs[0].region[1] = {-40, 1162};
    Coordinate& row = dag.functions[1].stages[0].loads[0].coords[1];
    row.offset_min = -40;
    row.offset_max = 40;
    EXPECT_EQ(sliding_in_tiles(dag, true).functions[2].stages[0].nest.splits[1], kTiles)
        << "86 rows for four, in tiles 146 for 64";
}

}  // namespace
}  // namespace nestor
