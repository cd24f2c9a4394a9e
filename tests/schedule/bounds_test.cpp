// How much of a function one iteration of a loop needs.

#include "schedule/bounds.h"

#include <gtest/gtest.h>

#include "sample_dags.h"
#include "schedule/legality.h"

namespace nestor {
namespace {

using Extents = std::vector<std::int64_t>;

Extents footprint_of(const PipelineDag& dag, const Schedule& s, int f, const LoopSite& site) {
    const ScheduledDag graph(dag, s);
    const Placement placement(*graph, s);
    return Bounds(placement).within(site).extents(f);
}

// The output of samples::blur() in tiles of 64 by 8.
Schedule tiled_blur(const PipelineDag& dag) {
    Schedule s = empty_schedule(dag);
    LoopNest& out = samples::nest(s, 2);
    samples::split(out, 0, 64, Tail::GuardWithIf);
    samples::split(out, 1, 8, Tail::GuardWithIf);
    out.order = {{0, 1}, {1, 1}, {0, 0}, {1, 0}};
    return s;
}

TEST(Footprint, OfAStencilIsItsWidthOnce) {
    const PipelineDag dag = samples::blur();
    const Schedule s = tiled_blur(dag);
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {0, 0}}), (Extents{64, 10}));
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {1, 1}}), (Extents{64, 3}));
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {0, 1}}), (Extents{1, 3}));
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {1, 0}}), (Extents{1920, 10}));
}

// max(min(y + 1, 719), 0) - max(min(y, 719), 0) + 1 is two rows, or one.
TEST(Footprint, BehindAClampHasNoConstantExtent) {
    PipelineDag dag = samples::blur();
    Schedule s = tiled_blur(dag);
    s.functions[1].compute = Level::at({2, 0, {1, 1}});
    const auto is_constant = [&] {
        const ScheduledDag graph(dag, s);
        const Placement placement(*graph, s);
        const std::vector<StageDim> dims = Bounds(placement).dims(1, 0);
        return std::vector<bool>{dims[0].constant_extent, dims[1].constant_extent};
    };
    EXPECT_EQ(is_constant(), (std::vector<bool>{true, true}));
    dag.functions[2].stages[0].loads.resize(1);
    const auto clamp = [&](std::size_t dim) {
        Coordinate& coordinate = dag.functions[2].stages[0].loads[0].coords[dim];
        coordinate.clamped = true;
        coordinate.clamped_loops = {dim == 0, dim == 1};
    };
    clamp(1);
    EXPECT_EQ(is_constant(), (std::vector<bool>{true, true})) << "a single row";
    clamp(0);
    EXPECT_EQ(is_constant(), (std::vector<bool>{false, true})) << "64 columns";
}

// min(y + 2, 719) - max(y, 0) + 1 is three rows, or fewer: Halide proves no bound on it.
TEST(Footprint, OfLoadsBehindClampsHasNoConstantExtent) {
    for (const bool are_united : {false, true}) {
        PipelineDag dag = samples::blur();
        Schedule s = tiled_blur(dag);
        s.functions[1].compute = Level::at({2, 0, {1, 1}});
        std::vector<Load>& loads = dag.functions[2].stages[0].loads;
        const auto is_constant = [&]() -> bool {
            const ScheduledDag graph(dag, s);
            const Placement placement(*graph, s);
            const UnitedLoads united(*graph);
            SharedBounds shared;
            shared.loads = are_united ? &united : nullptr;
            return Bounds(placement, shared).within({2, 0, {1, 1}}).constant(1)[1];
        };
        const auto clamp = [](Load& load) { load.coords[1].clamped_loops = {false, true}; };
        EXPECT_TRUE(is_constant());
        clamp(loads[0]);
        EXPECT_FALSE(is_constant()) << "one of them";
        clamp(loads[1]);
        clamp(loads[2]);
        EXPECT_FALSE(is_constant()) << "all";
        loads[1].coords[1] = loads[2].coords[1] = loads[0].coords[1];
        EXPECT_TRUE(is_constant()) << "a single row";
    }
}

TEST(Footprint, GoesThroughInlinedFunctions) {
    const PipelineDag dag = samples::blur();
    Schedule s = empty_schedule(dag);
    samples::split(samples::nest(s, 2), 1, 8, Tail::GuardWithIf);
    EXPECT_EQ(footprint_of(dag, s, 0, {2, 0, {1, 0}}), (Extents{1922, 10}));
}

TEST(Footprint, GoesThroughFunctionsComputedInside) {
    const PipelineDag dag = samples::blur();
    Schedule s = tiled_blur(dag);
    s.functions[1].compute = Level::at({2, 0, {0, 0}});
    samples::split(samples::nest(s, 1), 0, 8, Tail::RoundUp);
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {0, 0}}), (Extents{64, 10}));
    EXPECT_EQ(footprint_of(dag, s, 0, {2, 0, {0, 0}}), (Extents{66, 10}));
    // Within blur_x, which is 64 wide there and not 1920.
    EXPECT_EQ(footprint_of(dag, s, 0, {1, 0, {1, 0}}), (Extents{66, 1}));
    EXPECT_EQ(footprint_of(dag, s, 0, {1, 0, {0, 0}}), (Extents{10, 1}));
}

TEST(Footprint, OfAScanIsAllOfItAndLessIsLoaded) {
    const PipelineDag dag = samples::zoo();
    const int scan = samples::find(dag, "sum#1");
    Schedule s = empty_schedule(dag);
    s.functions[scan].compute = Level::root();
    const ScheduledDag graph(dag, s);
    const Placement placement(*graph, s);
    Bounds bounds(placement);
    const Regions& row = bounds.within({samples::find(dag, "user"), 0, {1, 0}});
    EXPECT_EQ(row.extents(scan), (Extents{100, 100}));
    EXPECT_TRUE(row.span(Source::Function, scan, 1).whole);
    EXPECT_EQ(row.advance(Source::Function, scan, 1), 0);
    EXPECT_EQ(row.loaded_extent(Source::Function, scan, 0), 100);
    EXPECT_EQ(row.loaded_extent(Source::Function, scan, 1), 1);
    EXPECT_FALSE(row.loaded_span(Source::Function, scan, 1).whole);
    EXPECT_EQ(row.loaded_advance(Source::Function, scan, 1), 1);
}

// A place that the data tell is one in what is inlined, too; what is computed there is read as a
// whole.
TEST(Footprint, IsAnywhereThroughInlinedFunctions) {
    PipelineDag dag = samples::blur();
    for (Load& load : dag.functions[1].stages[0].loads) {
        load.coords[0].affine = false;
    }
    Schedule s = empty_schedule(dag);
    const auto input = [&](int dim) {
        const ScheduledDag graph(dag, s);
        const Placement placement(*graph, s);
        return Bounds(placement).within({1, 0, {1, 0}}).span(Source::Input, 0, dim);
    };
    EXPECT_TRUE(input(0).anywhere);
    EXPECT_FALSE(input(1).anywhere);
    s.functions[0].compute = Level::at({1, 0, {1, 0}});
    EXPECT_FALSE(input(0).anywhere);
}

TEST(Footprint, IsEnlargedByAlignment) {
    const PipelineDag dag = samples::blur();
    Schedule s = tiled_blur(dag);
    s.functions[1].region_alignment = {{0, 4}, {1, 3}};
    // Along x, tiles begin at multiples of 4. Along y, 10 rows from one before a multiple of 8 on
    // may begin anywhere in a block of 3.
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {0, 0}}), (Extents{64, 12}));
    // A single point.
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {0, 1}}), (Extents{4, 6}));
    // Tiles of 64 may begin anywhere in a block of 7. A loop of one iteration begins where it does.
    s.functions[1].region_alignment = {{0, 7}};
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {0, 0}}), (Extents{70, 10}));
    samples::nest(s, 2).splits[0][0].factor = 1920;
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {0, 0}}), (Extents{1925, 10}));
}

TEST(Footprint, IsEnlargedByTailsThatStoreMore) {
    const PipelineDag dag = samples::blur();
    Schedule s = empty_schedule(dag);
    samples::split(samples::nest(s, 2), 1, 7, Tail::GuardWithIf);
    LoopNest& producer = samples::nest(s, 1);
    samples::split(producer, 1, 4, Tail::RoundUp);
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {1, 0}}), (Extents{1920, 12}));
    producer.splits[1][0] = {16, Tail::ShiftInwards};
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {1, 0}}), (Extents{1920, 16}));
    producer.splits[1][0] = {16, Tail::GuardWithIf};
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {1, 0}}), (Extents{1920, 9}));
}

TEST(Footprint, OfAPyramid) {
    const PipelineDag dag = samples::pyramid();
    Schedule s = empty_schedule(dag);
    samples::split(samples::nest(s, 3), 0, 32, Tail::GuardWithIf);
    samples::nest(s, 3).order = {{0, 1}, {1, 0}, {0, 0}};
    // up is inlined: x/2 for 32 values of x, which may begin at an odd one.
    EXPECT_EQ(footprint_of(dag, s, 1, {3, 0, {0, 0}}), (Extents{17, 64}));
    // The input at x, and at 2 (x/2) .. 2 (x/2) + 1.
    s.functions[1].compute = Level::at({3, 0, {0, 0}});
    EXPECT_EQ(footprint_of(dag, s, 0, {3, 0, {0, 0}}), (Extents{34, 64}));
}

TEST(Footprint, IsEverythingWhereTheAddressDependsOnData) {
    const PipelineDag dag = samples::histogram();
    const Schedule s = empty_schedule(dag);
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {0, 0}}), Extents{256});
}

TEST(Footprint, OfAReductionStep) {
    const PipelineDag dag = samples::matmul();
    Schedule s = empty_schedule(dag);
    s.functions[2].compute = Level::root();
    LoopNest& nest = samples::nest(s, 2, 1);
    samples::split(nest, 0, 16, Tail::GuardWithIf);
    samples::split(nest, 2, 32);
    nest.order = {{0, 1}, {2, 1}, {0, 0}, {1, 0}, {2, 0}};
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 1, {0, 0}}), (Extents{16, 32}));
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 1, {1, 0}}), (Extents{512, 32}));
    EXPECT_EQ(footprint_of(dag, s, 0, {2, 1, {2, 0}}), (Extents{32, 384}));
}

TEST(Footprint, OfWhatMovesAtDifferentRatesIsEverythingItMeets) {
    PipelineDag dag = samples::blur();
    Coordinate& x = dag.functions[2].stages[0].loads[0].coords[0];
    x.rates = {-1, 0};  // blur_x(1919 - x, y)
    x.offset_min = x.offset_max = 1919;
    const Schedule s = empty_schedule(dag);
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {0, 0}}), (Extents{1920, 3}));
}

TEST(Footprint, IsEmptyForWhatIsNotRead) {
    const PipelineDag dag = samples::matmul();
    const Schedule s = empty_schedule(dag);
    EXPECT_TRUE(footprint_of(dag, s, 2, {2, 1, {0, 0}}).empty());
}

TEST(Footprint, SeesThroughWrappers) {
    const PipelineDag dag = samples::blur();
    Schedule s = empty_schedule(dag);
    samples::split(samples::nest(s, 2), 1, 8, Tail::GuardWithIf);
    const int w = samples::derive(dag, s, {Derivation::Kind::Wrapper, 1, {2}, 1, {}, {}});
    s.functions[1].compute = Level::root();
    EXPECT_EQ(footprint_of(dag, s, w, {2, 0, {1, 0}}), (Extents{1920, 10}));
    EXPECT_EQ(footprint_of(dag, s, 1, {2, 0, {1, 0}}), (Extents{1920, 10}));
}

TEST(PeakBytes, CountsAllocationsOnce) {
    const PipelineDag dag = samples::blur();
    Schedule s = empty_schedule(dag);
    EXPECT_EQ(peak_bytes(dag, s), 0);
    s.functions[1].compute = Level::root();
    EXPECT_EQ(peak_bytes(dag, s), 1920 * 1082 * 4);
    samples::split(samples::nest(s, 2), 1, 8, Tail::GuardWithIf);
    s.functions[1].compute = Level::at({2, 0, {1, 1}});
    EXPECT_EQ(peak_bytes(dag, s), 1920 * 3 * 4);
    s.functions[1].store = Level::at({2, 0, {1, 0}});
    EXPECT_EQ(peak_bytes(dag, s), 1920 * 10 * 4);
    samples::nest(s, 2).parallel = {{1, 0}};
    EXPECT_EQ(peak_bytes(dag, s, 4), 4 * 1920 * 10 * 4);
    EXPECT_EQ(peak_bytes(dag, s, 1000), 135 * 1920 * 10 * 4);
    s.functions[1].fold = Fold{1, 4, true};
    s.functions[1].alignment = {{0, 1024}};
    EXPECT_EQ(peak_bytes(dag, s), 2048 * 4 * 4);
}

}  // namespace
}  // namespace nestor
