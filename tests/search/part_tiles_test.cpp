#include "search/part_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/legality.h"
#include "schedule/print.h"
#include "schedule/sample_dags.h"
#include "search/inlining.h"
#include "search/space.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

/// prod(x, y) += a(k, y) * b(k, x)
PipelineDag product_of_rows() {
    PipelineDag dag = samples::matmul();
    std::swap(dag.functions[1].region[0], dag.functions[1].region[1]);
    dag.inputs[1].region = dag.functions[1].region;
    std::vector<Coordinate>& b = dag.functions[2].stages[1].loads[1].coords;
    std::swap(b[0], b[1]);
    return dag;
}

/// All tiles of its parts.
std::vector<Plan> tiles_of(const SumsInParts& sums, const Machine& machine) {
    const PipelineDag& graph = sums.variant.graph();
    Plan plan = plain_plan(graph, choose_inlined(graph), machine);
    place_parts(graph, sums.parts, machine, plan);
    std::vector<Plan> tiles;
    for_each_part_tile(graph, machine, plan, sums.parts[0].function,
                       [&](const Plan& tile) { tiles.push_back(tile); });
    return tiles;
}

TEST(PartTiles, ShareVectorsOfBothFactors) {
    const PipelineDag dag = product_of_rows();
    const Machine machine = avx2(4);
    const std::vector<SumsInParts> found = sums_in_parts(dag, machine);
    ASSERT_FALSE(found.empty());
    const Variant& variant = found[0].variant;
    const int parts = found[0].parts[0].function;
    const int sum = found[0].parts[0].reader;
    const std::vector<Plan> tiles = tiles_of(found[0], machine);
    ASSERT_GT(tiles.size(), 3U);
    for (const Plan& tile : tiles) {
        const NestPlan& update = tile.functions[parts].stages.back();
        EXPECT_EQ(update.lanes, 8);
        EXPECT_LT(update.block[0] * update.block[1], machine.registers.value);
        Builder builder(variant.graph(), machine);
        const Schedule schedule = variant.of_pipeline(builder.build(tile));
        EXPECT_TRUE(check_legality(dag, schedule).empty()) << print_loop_nest(dag, schedule);
        for (const int f : {parts, sum}) {
            EXPECT_EQ(tile.functions[f].compute, (Spot{variant.in_graph(3), 0, SiteKind::Inner}))
                << "where a block of the reader needs it";
        }
    }
    const NestPlan& best = tiles.front().functions[variant.in_graph(3)].stages[0];
    EXPECT_GE(best.block[0], 3) << "the fewest loads first";
    EXPECT_GE(best.block[1], 3);
}

TEST(PartTiles, AreInTheLoopsOfASumThatNothingReads) {
    PipelineDag dag = product_of_rows();
    dag.functions.pop_back();
    dag.functions[2].is_output = true;
    dag.functions[2].consumers.clear();
    dag.outputs = {2};
    const Machine machine = avx2(4);
    const std::vector<SumsInParts> found = sums_in_parts(dag, machine);
    ASSERT_FALSE(found.empty());
    const std::vector<Plan> tiles = tiles_of(found[0], machine);
    ASSERT_FALSE(tiles.empty());
    EXPECT_EQ(tiles[0].functions[found[0].parts[0].function].compute,
              (Spot{found[0].parts[0].reader, 1, SiteKind::Inner}));
}

// Each row is read once: there is nothing to share.
TEST(PartTiles, AreNoStartForSumsOfRows) {
    const PipelineDag dag = samples::sums();
    const Machine machine = avx2(4);
    const std::vector<SumsInParts> found = sums_in_parts(dag, machine);
    ASSERT_FALSE(found.empty());
    const PipelineDag& graph = found[0].variant.graph();
    Plan plan = plain_plan(graph, choose_inlined(graph), machine);
    place_parts(graph, found[0].parts, machine, plan);
    EXPECT_FALSE(place_in_tiles(graph, found[0].parts, machine, plan));
}

TEST(PartTiles, AreAmongTheStarts) {
    const std::vector<Space> spaces = make_spaces(product_of_rows(), avx2(4), {});
    const bool any = std::ranges::any_of(spaces, [](const Space& space) {
        return std::ranges::any_of(space.starts, [](const Start& start) {
            return start.name.ends_with("in parts and tiles");
        });
    });
    EXPECT_TRUE(any);
}

}  // namespace
}  // namespace nestor
