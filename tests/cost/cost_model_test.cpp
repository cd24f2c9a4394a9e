#include "cost/cost_model.h"

#include <gtest/gtest.h>

#include "cost/evaluator.h"
#include "cost/nest_times.h"
#include "cost/registers.h"
#include "cost/terms.h"
#include "machine/profiles.h"
#include "schedule/sample_dags.h"

namespace nestor {
namespace {

using samples::nest;
using samples::split;

Machine avx2(int parallelism = 2) {
    Machine machine = shipped_profile(InstructionSet::X86Avx2);
    machine.parallelism = parallelism;
    return machine;
}

/// A pipeline with work in it.
PipelineDag blur() {
    PipelineDag dag = samples::blur();
    for (const int f : {1, 2}) {
        dag.functions[f].stages[0].ops.add(Arithmetic::Add, ElementType::Float32, kAllLoops, 2);
        dag.functions[f].stages[0].ops.add(Arithmetic::Multiply, ElementType::Float32, kAllLoops,
                                           1);
        dag.functions[f].stages[0].ops.load = 3;
    }
    return dag;
}

/// The same of a picture eight times as wide and as high.
PipelineDag large_blur() {
    PipelineDag dag = blur();
    for (const int f : {0, 1, 2}) {
        for (Stage& stage : dag.functions[f].stages) {
            for (Loop& loop : stage.loops) {
                loop.range.extent *= 8;
            }
        }
        for (Range& range : dag.functions[f].region) {
            range.extent *= 8;
        }
    }
    for (Range& range : dag.inputs[0].region) {
        range.extent *= 8;
    }
    return dag;
}

/// blur_x and blur_y at root, or the first inlined, in vectors.
Schedule at_root(const PipelineDag& dag, bool inlined, int lanes = 8) {
    Schedule schedule = empty_schedule(dag);
    schedule.functions[0].compute = Level::inlined();
    schedule.functions[1].compute = inlined ? Level::inlined() : Level::root();
    schedule.functions[2].compute = Level::root();
    for (const int f : {1, 2}) {
        if (lanes > 1 && !(inlined && f == 1)) {
            nest(schedule, f).vector = split(nest(schedule, f), 0, lanes);
        }
    }
    return schedule;
}

/// blur_x in tiles of blur_y, or, sliding, in its rows.
Schedule tiled(const PipelineDag& dag, std::int64_t width, std::int64_t height, bool slides) {
    Schedule schedule = at_root(dag, false, 1);
    LoopNest& consumer = nest(schedule, 2);
    const LoopRef xi = split(consumer, 0, width);
    const LoopRef yi = split(consumer, 1, height);
    consumer.vector = split(consumer, 0, 8);
    consumer.order = {*consumer.vector, xi, yi, {0, 0}, {1, 0}};
    const LoopSite tile{2, 0, {0, 0}};
    schedule.functions[1].compute = Level::at(slides ? LoopSite{2, 0, yi} : tile);
    if (slides) {
        schedule.functions[1].store = Level::at(tile);
    }
    nest(schedule, 1).vector = split(nest(schedule, 1), 0, 8, Tail::RoundUp);
    return schedule;
}

/// A matrix product and what reads it at root, its zeros in vectors, its sums as they are written.
Schedule product_at_root(const PipelineDag& dag, int lanes = 1) {
    Schedule schedule = at_root(dag, true, lanes);
    schedule.functions[3].compute = Level::root();
    return schedule;
}

double seconds(const PipelineDag& dag, const Schedule& schedule, const Machine& machine) {
    return predict(dag, schedule, machine).cost.total();
}

TEST(Facts, LoopsRunAsOftenAsTheScheduleSays) {
    const PipelineDag dag = blur();
    const Machine machine = avx2();
    const Schedule schedule = tiled(dag, 128, 36, false);
    Expansions expansions;
    ScheduleFacts facts(dag, schedule, machine, expansions);
    const NestFacts& consumer = facts.nest(2, 0);
    EXPECT_EQ(consumer.iterations(0), 1920.0 * 1080);
    EXPECT_EQ(consumer.lanes(), 8);
    const NestFacts& producer = facts.nest(1, 0);
    EXPECT_EQ(producer.executions, 15.0 * 30);
    EXPECT_EQ(producer.iterations(0), 15.0 * 30 * 128 * 38);
    EXPECT_EQ(facts.bounds().allocation_bytes(1), 4 * 128 * 38);
}

TEST(Facts, ASlidingWindowComputesEachRowOnce) {
    const PipelineDag dag = blur();
    const Machine machine = avx2();
    const Schedule schedule = tiled(dag, 128, 36, true);
    Expansions expansions;
    ScheduleFacts facts(dag, schedule, machine, expansions);
    EXPECT_NEAR(facts.nest(1, 0).iterations(0), 15.0 * 30 * 128 * 38, 1);
    const Schedule unslid = [&] {
        Schedule each = schedule;
        each.functions[1].store = {};
        return each;
    }();
    ScheduleFacts all(dag, unslid, machine, expansions);
    EXPECT_NEAR(all.nest(1, 0).iterations(0), 15.0 * 30 * 128 * 36 * 3, 1);
}

TEST(Facts, BlocksAreComputedWholeWhereFewerRowsAreNew) {
    // Halide rounds each step up: of four rows, three are computed again (interpolate in the corpus
    // on one thread, 46 ms instead of 22).
    const PipelineDag dag = blur();
    const Machine machine = avx2();
    const auto rows = [&](std::int64_t block, Tail tail) {
        Schedule schedule = tiled(dag, 128, 36, true);
        LoopNest& producer = nest(schedule, 1);
        const LoopRef yi = split(producer, 1, block, tail);
        producer.unrolled = {yi};
        producer.order = {*producer.vector, yi, {0, 0}, {1, 0}};
        Expansions expansions;
        ScheduleFacts facts(dag, schedule, machine, expansions);
        return facts.nest(1, 0).iterations(0) / (15 * 30 * 128);
    };
    EXPECT_NEAR(rows(4, Tail::GuardWithIf), 38, 0.1);
    EXPECT_NEAR(rows(4, Tail::RoundUp), 36 * 4, 0.1);
    EXPECT_NEAR(rows(2, Tail::RoundUp), 37 * 2, 0.1) << "three rows at first, then one at a time";
}

/// Functions that each sum three rows of the one before, all of them sliding in a tile of 64 rows
/// of the last one, or in all of it, which is computed in blocks of so many.
struct Chain {
    PipelineDag dag = blur();
    Schedule schedule;
    int functions = 0;

    Chain(int functions, std::int64_t block, bool in_tiles = true) : functions(functions) {
        const Function last = dag.functions[2];
        dag.functions.pop_back();
        for (int f = 2; f <= functions + 1; f++) {
            Function next = last;
            next.id.stem = "step_" + std::to_string(f);
            next.is_output = f == functions + 1;
            next.can_inline = !next.is_output;
            next.consumers = next.is_output ? std::vector<int>{} : std::vector<int>{f + 1};
            for (Load& load : next.stages[0].loads) {
                load.index = f - 1;
            }
            dag.functions.push_back(next);
        }
        dag.outputs = {functions + 1};
        schedule = empty_schedule(dag);
        LoopNest& consumer = nest(schedule, functions + 1);
        const LoopRef blocks = in_tiles ? split(consumer, 1, 64) : LoopRef{1, 0};
        consumer.unrolled = {split(consumer, 1, block, Tail::ShiftInwards)};
        consumer.order = {consumer.unrolled[0], {0, 0}, blocks};
        if (in_tiles) {
            consumer.order.push_back({1, 0});
        }
        for (int f = 1; f <= functions; f++) {
            schedule.functions[f].compute = Level::at({functions + 1, 0, blocks});
            schedule.functions[f].store =
                in_tiles ? Level::at({functions + 1, 0, {1, 0}}) : Level::root();
        }
    }

    /// Rows of each that are computed.
    [[nodiscard]] std::vector<double> computed() const {
        return of_each(
            [](ScheduleFacts& facts, int f) { return facts.nest(f, 0).iterations(0) / kPoints; });
    }

    /// Rows of each that are stored.
    [[nodiscard]] std::vector<double> stored() const {
        return of_each([](ScheduleFacts& facts, int f) { return facts.allocated_bytes(f) / kRow; });
    }

    template <class Count>
    [[nodiscard]] std::vector<double> of_each(const Count& count) const {
        const Machine machine = avx2();
        Expansions expansions;
        ScheduleFacts facts(dag, schedule, machine, expansions);
        std::vector<double> counts;
        for (int f = 1; f <= functions; f++) {
            counts.push_back(count(facts, f));
        }
        return counts;
    }

    static constexpr double kPoints = 1920;      // of a row
    static constexpr double kRow = 4 * kPoints;  // bytes
};

TEST(Facts, WhatSlidesIsFoldedToOneComputation) {
    using Rows = std::vector<double>;
    EXPECT_EQ(Chain(4, 2).stored(), (Rows{16, 8, 8, 4}));
    EXPECT_EQ(Chain(4, 4).stored(), (Rows{16, 16, 8, 8}));
    EXPECT_EQ(Chain(4, 8).stored(), (Rows{16, 16, 16, 16}));
}

// Seen in what Halide 21 says of such chains (HL_DEBUG_CODEGEN=3): a guided filter, six of whose
// functions were computed three times, took 9.1 ms instead of 4.3.
TEST(Facts, OnlyTheLastSlidesAlongBlocksThatAreMovedInwards) {
    const Chain chain(3, 4, false);  // 270 blocks of 1080 rows
    const std::vector<double> computed = chain.computed();
    EXPECT_NEAR(computed[0], 270.0 * 10, 1);
    EXPECT_NEAR(computed[1], 270.0 * 8, 1);
    EXPECT_NEAR(computed[2], 1082, 1);
    for (const double rows : chain.stored()) {
        EXPECT_GE(rows, 1080) << "folded";
    }
}

// Seen in the same way: two functions of a wavelet transform that begin at even rows were stored as
// a whole, and eight behind them were computed twice (7.3 ms predicted, once lowered, of 5.5).
TEST(Facts, NothingSlidesBehindWhatBeginsAtAMultiple) {
    Chain chain(3, 4);
    const std::vector<double> sliding = chain.computed();
    const std::vector<double> folded = chain.stored();
    chain.schedule.functions[3].region_alignment = {{0, 2}};
    EXPECT_EQ(chain.computed(), sliding) << "along another dimension";
    chain.schedule.functions[3].region_alignment = {{1, 2}};
    const std::vector<double> computed = chain.computed();
    EXPECT_GT(computed[0], 1.8 * sliding[0]);
    EXPECT_GT(computed[1], 1.4 * sliding[1]);
    EXPECT_LT(computed[2], 1.1 * sliding[2]) << "it slides itself";
    EXPECT_GT(chain.stored()[2], 60) << "and is stored as a whole";
    EXPECT_LT(folded[2], 10);
    chain.dag.functions[4].is_output = false;
    chain.schedule.functions[4].compute = Level::root();
    EXPECT_LT(chain.computed()[0], 1.1 * sliding[0]) << "where it begins is known";
}

TEST(Facts, ACircularBufferHasRoomForATail) {
    const Chain chain(4, 4);
    const Machine machine = avx2();
    Expansions expansions;
    ScheduleFacts facts(chain.dag, chain.schedule, machine, expansions);
    const std::optional<Fold> fold = facts.circular_buffer(4);
    ASSERT_TRUE(fold);
    EXPECT_EQ(*fold, (Fold{1, 16, true})) << "six rows, and three more";
    EXPECT_EQ(facts.folded_bytes(4, *fold), 16 * Chain::kRow);
    EXPECT_FALSE(facts.circular_buffer(5)) << "the output";
}

TEST(Cost, WhatIsKnownToBeAllocatedCounts) {
    const Chain chain(4, 4);
    const Machine machine = avx2();
    const auto with = [&](const AllocatedBytes& allocated) {
        return predict(chain.dag, chain.schedule, machine, nullptr, {allocated, {}}).cost.total();
    };
    const double folded = with({});
    AllocatedBytes whole;
    AllocatedBytes rounded;
    for (int f = 1; f <= 4; f++) {
        whole[f] = static_cast<std::int64_t>(1080 * Chain::kRow);
        rounded[f] = static_cast<std::int64_t>(1.1 * Chain::kRow * chain.stored()[f - 1]);
    }
    EXPECT_GT(with(whole), 1.2 * folded);
    EXPECT_EQ(with(rounded), folded);
}

TEST(Cost, WhatIsKnownToRunMoreOftenCounts) {
    const PipelineDag dag = blur();
    const Machine machine = avx2();
    const Schedule schedule = tiled(dag, 128, 36, true);
    const auto compute = [&](double times) {
        Expansions expansions;
        const ScheduleFacts facts(dag, schedule, machine, expansions);
        const double expected = facts.innermost_runs(1, 0);
        EXPECT_GT(expected, 0);
        return predict(dag, schedule, machine, nullptr, {{}, {{{1, 0}, times * expected}}})
            .cost.total();
    };
    const double as_expected = predict(dag, schedule, machine).cost.total();
    EXPECT_EQ(compute(1.1), as_expected);
    EXPECT_EQ(compute(0.5), as_expected) << "the rest is no loop any more";
    EXPECT_GT(compute(5), 1.5 * as_expected);
}

TEST(Facts, WhatIsComputedAroundAParallelLoopRunsOnOneThread) {
    const PipelineDag dag = blur();
    const Machine machine = avx2(4);
    Schedule schedule = tiled(dag, 128, 36, false);
    LoopNest& consumer = nest(schedule, 2);
    const LoopRef columns{0, 0};
    const LoopRef rows{1, 0};
    consumer.order = {*consumer.vector, {0, 1}, {1, 1}, rows, columns};
    consumer.parallel = {rows};
    Expansions expansions;
    for (const LoopRef loop : {rows, columns}) {
        schedule.functions[1].compute = Level::at({2, 0, loop});
        const ScheduleFacts facts(dag, schedule, machine, expansions);
        EXPECT_EQ(facts.nest(1, 0).threads, loop == rows ? 4 : 1);
        EXPECT_EQ(facts.nest(2, 0).threads, 4);
    }
}

TEST(Facts, WhatMovesByHalfARowDoesNotSlide) {
    PipelineDag dag = blur();
    for (Load& load : dag.functions[2].stages[0].loads) {
        load.coords[1].rates[1] = 0.5;
    }
    const Machine machine = avx2();
    const auto points = [&](const Schedule& schedule) {
        Expansions expansions;
        ScheduleFacts facts(dag, schedule, machine, expansions);
        return facts.nest(1, 0).iterations(0);
    };
    Schedule schedule = tiled(dag, 128, 36, true);
    EXPECT_NEAR(points(schedule), 15.0 * 30 * 128 * 36 * 3, 1);
    // Two rows an iteration are one of what is read.
    LoopNest& consumer = nest(schedule, 2);
    split(consumer, 1, 2);
    consumer.unrolled = {{1, 2}};
    consumer.order = {*consumer.vector, {1, 2}, {0, 1}, {1, 1}, {0, 0}, {1, 0}};
    EXPECT_LT(points(schedule), 15.0 * 30 * 128 * (18 + 4));
}

TEST(Cost, AKnownChoiceSparesTheOtherArms) {
    PipelineDag dag = blur();
    OpCounts less;
    less.add(dag.functions[1].stages[0].ops, 0.25F);
    dag.functions[1].stages[0].selector =
        Selector{0, -1, {0, 0}, {TypeKind::UInt, 8}, {0, 1, 2}, less};
    const Schedule one = at_root(dag, false);
    Schedule cases = one;
    for (const std::int64_t value : {0, 1, 2}) {
        cases.functions[1].stages[0].specializations.push_back({{}, nest(cases, 1), value});
    }
    EXPECT_LT(predict(dag, cases, avx2()).cost[Term::Compute],
              predict(dag, one, avx2()).cost[Term::Compute]);
    const Machine machine = avx2();
    Evaluator evaluator(dag, machine);
    EXPECT_DOUBLE_EQ(evaluator.seconds(one), seconds(dag, one, machine));
    EXPECT_DOUBLE_EQ(evaluator.seconds(cases), seconds(dag, cases, machine));
}

/// Even and odd points of blur_x do different things: half of the work each.
PipelineDag even_and_odd() {
    PipelineDag dag = blur();
    Stage& stage = dag.functions[1].stages[0];
    stage.ops.add(Arithmetic::Multiply, ElementType::Float32, kAllLoops, 60);
    stage.phases = {{0, 2, false}};
    stage.phase_ops.resize(1);
    stage.phase_ops[0].add(stage.ops, 0.5F);
    stage.merged_phase_ops = stage.phase_ops;
    return dag;
}

TEST(Cost, WhereAVectorBeginsAtAMultipleOtherPointsCostNothing) {
    const PipelineDag dag = even_and_odd();
    const Schedule anywhere = at_root(dag, false);
    Schedule aligned = anywhere;
    aligned.functions[1].region_alignment = {{0, 2}};
    Schedule otherwise = anywhere;
    otherwise.functions[1].region_alignment = {{0, 3}};
    const Machine machine = avx2();
    const auto compute = [&](const Schedule& schedule) {
        return predict(dag, schedule, machine).cost[Term::Compute];
    };
    EXPECT_LT(1.1 * compute(aligned), compute(anywhere));
    EXPECT_DOUBLE_EQ(compute(otherwise), compute(anywhere));
    Evaluator evaluator(dag, machine);
    EXPECT_DOUBLE_EQ(evaluator.seconds(anywhere), seconds(dag, anywhere, machine));
    EXPECT_DOUBLE_EQ(evaluator.seconds(aligned), seconds(dag, aligned, machine));
}

TEST(Cost, WhatThePointsOfAPhaseHaveInCommonIsComputedOnce) {
    PipelineDag dag = even_and_odd();
    Schedule aligned = at_root(dag, false);
    aligned.functions[1].region_alignment = {{0, 2}};
    const auto compute = [&](const Schedule& schedule) {
        return predict(dag, schedule, avx2()).cost[Term::Compute];
    };
    Stage& stage = dag.functions[1].stages[0];
    const double apart = compute(aligned);
    stage.merged_phase_ops[0] = {};
    stage.merged_phase_ops[0].add(stage.phase_ops[0], 0.5F);
    EXPECT_GT(apart, 1.2 * compute(aligned));
    stage.phase_ops[0] = {};
    EXPECT_DOUBLE_EQ(compute(at_root(dag, false)), compute(at_root(even_and_odd(), false)))
        << "points are not known";
}

// Halide interleaves vectors of points up to four apart, wherever they begin. Of blocks of eight it
// knows that they are one element, or elements next to each other, where vectors begin with them.
TEST(Cost, VectorsKnowBlocksOfEightWhereTheyBeginAtAMultiple) {
    const auto compute = [&](int period, Steps steps, int aligned) {
        PipelineDag dag = blur();
        for (Load& load : dag.functions[1].stages[0].loads) {
            load.coords[0].rates[0] = steps.rate == 0 ? 1.0 / period : 0;
            load.coords[0].steps = {steps, {}};
        }
        dag.functions[1].stages[0].phases = {{0, period, false}};
        dag.functions[1].stages[0].phase_ops = {dag.functions[1].stages[0].ops};
        dag.functions[1].stages[0].merged_phase_ops = dag.functions[1].stages[0].phase_ops;
        Schedule schedule = at_root(dag, false);
        if (aligned > 0) {
            schedule.functions[1].region_alignment = {{0, aligned}};
        }
        return predict(dag, schedule, avx2()).cost[Term::Compute];
    };
    EXPECT_EQ(compute(4, {4, 0}, 4), compute(4, {4, 0}, 0));
    for (const double rate : {0., 1.}) {
        const double known = compute(8, {8, rate}, 8);
        EXPECT_LT(1.5 * known, compute(8, {8, rate}, 0)) << "gathered";
        EXPECT_DOUBLE_EQ(known, compute(8, {8, rate}, 16));
        EXPECT_LT(1.5 * known, compute(8, {8, rate}, 4)) << "gathered";
    }
    EXPECT_LT(1.5 * compute(8, {8, 0}, 8), compute(8, {1, 0}, 8)) << "at other places";
}

// f(x / 8) in vectors of several elements of f is gathered where these are no neighbours in memory
// (lerps of a grid of sums and counts: 96 loads into elements of vectors for eight of them).
TEST(Cost, StepsOfInterleavedChannelsAreGathered) {
    const auto compute = [&](bool interleaved, int lanes) {
        PipelineDag dag = blur();
        if (interleaved) {
            dag.inputs[0].strides = {2, 1};
            dag.inputs[0].dense_dim = 1;
        }
        for (Load& load : dag.functions[1].stages[0].loads) {
            load.coords[0].rates[0] = 1.0 / 8;
            load.coords[0].steps = {{8, 0}, {}};
        }
        dag.functions[1].stages[0].phases = {{0, 8, false}};
        dag.functions[1].stages[0].phase_ops = {dag.functions[1].stages[0].ops};
        dag.functions[1].stages[0].merged_phase_ops = dag.functions[1].stages[0].phase_ops;
        Schedule schedule = at_root(dag, false, lanes);
        schedule.functions[1].region_alignment = {{0, 8}};
        return predict(dag, schedule, avx2()).cost[Term::Compute];
    };
    EXPECT_LT(2 * compute(false, 16), compute(true, 16));
    EXPECT_LE(compute(true, 8), compute(false, 8)) << "one element for all";
}

// So is f(x / 2), which is a shuffle elsewhere, in code that stores all channels of pixels
// (interleaved colours whose chroma has half the width: 2.2 instead of 0.6 ms).
TEST(Cost, StepsAreGatheredWherePixelsAreStoredWhole) {
    const auto compute = [&](bool woven, bool halves, int aligned) {
        PipelineDag dag = blur();
        for (Load& load : dag.functions[1].stages[0].loads) {
            load.coords[0].rates[0] = halves ? 0.5 : 1;
            load.coords[0].steps = {{halves ? 2 : 1, 0}, {}};
        }
        dag.functions[1].stages[0].phases = {{0, 2, false}};
        dag.functions[1].stages[0].phase_ops = {dag.functions[1].stages[0].ops};
        dag.functions[1].stages[0].merged_phase_ops = dag.functions[1].stages[0].phase_ops;
        dag.functions[1].region[1].extent = 3;  // y is a channel
        dag.functions[1].constant = {true, true};
        Schedule schedule = at_root(dag, false);
        LoopNest& channels = nest(schedule, 1);
        channels.order = {*channels.vector, {1, 0}, {0, 0}};
        channels.unrolled = {{1, 0}};
        if (woven) {
            schedule.functions[1].storage_order = {1, 0};
        }
        schedule.functions[1].region_alignment = {{0, aligned}};
        return predict(dag, schedule, avx2()).cost[Term::Compute];
    };
    EXPECT_GT(1.5 * compute(false, false, 1), compute(false, true, 1));
    EXPECT_LT(1.5 * compute(true, false, 1), compute(true, true, 1));
    EXPECT_LT(1.2 * compute(true, true, 2), compute(true, true, 1)) << "known where it begins";
}

TEST(Cost, PointsAreKnownThroughInlinedFunctions) {
    PipelineDag dag = even_and_odd();
    dag.functions[2].is_output = false;  // the caller decides on an output's region
    Schedule schedule = at_root(dag, true);
    const double before = predict(dag, schedule, avx2()).cost[Term::Compute];
    schedule.functions[2].region_alignment = {{0, 2}};
    EXPECT_LT(predict(dag, schedule, avx2()).cost[Term::Compute], before);
    for (Load& load : dag.functions[2].stages[0].loads) {
        load.coords[0].rates[0] = 2;  // only even ones, wherever it begins
    }
    const double even = predict(dag, schedule, avx2()).cost[Term::Compute];
    schedule.functions[2].region_alignment.clear();
    EXPECT_LT(even, 1.001 * predict(dag, schedule, avx2()).cost[Term::Compute]);
}

TEST(Cost, OperationsOfInlinedTuplesAreThoseOfAllElementsTogether) {
    const auto compute = [](int elements) {
        PipelineDag dag = blur();
        dag.functions[1].stages[0].ops.add(Arithmetic::Multiply, ElementType::Float32, kAllLoops,
                                           60);
        dag.functions[1].types.resize(elements, dag.functions[1].types[0]);
        const std::vector<Load> loads = dag.functions[2].stages[0].loads;
        for (int value = 1; value < elements; value++) {
            for (Load load : loads) {
                load.value = value;
                dag.functions[2].stages[0].loads.push_back(load);
            }
        }
        return predict(dag, at_root(dag, true), avx2()).cost[Term::Compute];
    };
    EXPECT_LT(compute(1), 1.001 * compute(4));
    EXPECT_LT(compute(4), 1.3 * compute(1));
}

TEST(Cost, WhatDoesNotChangeWithALoopIsComputedOnceForAllOfIt) {
    const auto compute = [](LoopSet loops, bool inlined) {
        PipelineDag dag = blur();
        dag.functions[1].stages[0].ops.add(Arithmetic::Exponential, ElementType::Float32, loops, 9);
        return predict(dag, at_root(dag, inlined), avx2()).cost[Term::Compute];
    };
    for (const bool inlined : {false, true}) {
        const double everywhere = compute(kAllLoops, inlined);
        const double rows = compute(0b10, inlined);
        const double columns = compute(0b01, inlined);  // x is the innermost loop
        const double once = compute(0, inlined);
        EXPECT_LT(3 * rows, everywhere);
        EXPECT_DOUBLE_EQ(columns, inlined ? columns : everywhere);
        EXPECT_LT(once, rows);
        EXPECT_LT(rows, 1.2 * once);
    }
    // Three rows of blur_x at each point: what changes with columns only is the same in all.
    EXPECT_LT(2 * compute(0b01, true), compute(kAllLoops, true));
}

// Rows of 1,920 points in pieces of eight, and of ten, which are fewer.
TEST(Cost, ShortLoopsBeginAtLess) {
    const PipelineDag dag = blur();
    const auto loops = [&](std::int64_t piece) {
        Schedule schedule = at_root(dag, true);
        LoopNest& output = nest(schedule, 2);
        const LoopRef inside = split(output, 0, piece, Tail::GuardWithIf);
        output.order = {inside, {0, 0}, {1, 0}};
        return predict(dag, schedule, avx2()).cost[Term::Loops];
    };
    EXPECT_GT(loops(10), 2 * loops(8));
}

TEST(Cost, AProductWithItsOwnTransposeReadsARowAndAColumn) {
    const auto l2 = [](int second) {
        PipelineDag dag = samples::matmul();
        for (const int f : {0, 1}) {
            dag.functions[f].region = {{0, 512}, {0, 512}};
            dag.inputs[f].region = dag.functions[f].region;
        }
        dag.functions[2].stages[1].loads[1].index = second;
        return predict(dag, product_at_root(dag, 8), avx2()).cost[Term::L2];
    };
    EXPECT_LT(l2(0), 1.3 * l2(1));
}

TEST(Cost, WhatMovesByNoWholePointsIsGathered) {
    PipelineDag dag = blur();
    const Schedule schedule = at_root(dag, true);
    const double dense = predict(dag, schedule, avx2()).cost[Term::Compute];
    for (Load& load : dag.functions[1].stages[0].loads) {
        load.coords[0].rates[0] = 0.6;
    }
    EXPECT_GT(predict(dag, schedule, avx2()).cost[Term::Compute], 1.5 * dense);
}

TEST(Cost, ManyShortRunsOfMemoryWaitForTheirBeginnings) {
    const PipelineDag dag = large_blur();
    Machine machine = avx2();
    const auto dram = [&](std::int64_t width, std::int64_t height) {
        return predict(dag, tiled(dag, width, height, false), machine).cost[Term::Dram];
    };
    EXPECT_GT(dram(64, 64), 1.4 * dram(1024, 64));
    EXPECT_LT(dram(64, 4), 1.3 * dram(1024, 4)) << "few enough to follow";
    const double followed = dram(64, 16);
    machine.streams.value /= 4;
    EXPECT_GT(dram(64, 16), 1.4 * followed) << "too many for a processor that follows fewer";
    // A few too many are no cliff: most of them are followed.
    machine.streams.value *= 4;
    double before = followed;
    for (int step = 0; step < 20; step++) {
        machine.streams.value *= 0.9;
        const double now = dram(64, 16);
        EXPECT_GE(now, before);
        EXPECT_LT(now, 1.25 * before) << machine.streams.value << " are followed";
        before = now;
    }
}

TEST(Cost, StorageThatIsTurnedAwayFromVectorsIsWrittenElementByElement) {
    const PipelineDag dag = blur();
    const Schedule along = at_root(dag, false);
    Schedule across = along;
    across.functions[1].storage_order = {1, 0};
    EXPECT_LT(1.5 * predict(dag, along, avx2()).cost[Term::Compute],
              predict(dag, across, avx2()).cost[Term::Compute]);
    const Machine machine = avx2();
    Evaluator evaluator(dag, machine);
    EXPECT_DOUBLE_EQ(evaluator.seconds(along), seconds(dag, along, machine));
    EXPECT_DOUBLE_EQ(evaluator.seconds(across), seconds(dag, across, machine));
}

TEST(Cost, PixelsOfAKnownDistanceAreNoGather) {
    PipelineDag dag = blur();
    dag.inputs[0].dense_dim = 1;  // vectors along x take every third or a distant element
    const Schedule schedule = at_root(dag, false);
    dag.inputs[0].strides = {0, 1};
    const double far = predict(dag, schedule, avx2()).cost[Term::Compute];
    dag.inputs[0].strides = {3, 1};
    EXPECT_LT(1.2 * predict(dag, schedule, avx2()).cost[Term::Compute], far);
}

// Bytes, cycles an element, Zen 4: 0.13 at every fourth, 0.25 at every eighth, 2.1 in a gather.
TEST(Cost, ElementsThatAreFartherApartAreTakenFromWhatLiesBetween) {
    PipelineDag dag = blur();
    dag.inputs[0].dense_dim = 1;
    const Schedule schedule = at_root(dag, false);
    const auto compute = [&](std::int64_t along_x, std::int64_t along_y) {
        dag.inputs[0].strides = {along_x, along_y};
        return predict(dag, schedule, avx2()).cost[Term::Compute];
    };
    const double gathered = compute(0, 1);
    EXPECT_LT(compute(4, 1), compute(5, 1));
    EXPECT_LT(compute(5, 1), compute(8, 1));
    EXPECT_LT(compute(5, 1), gathered);
    EXPECT_EQ(compute(1000, 1), gathered) << "no more than one by one";
    // All five of them are taken from the same bytes.
    std::vector<Load>& loads = dag.functions[1].stages[0].loads;
    loads.resize(1);
    const double one = compute(5, 1);
    for (int y = 1; y < 5; y++) {
        loads.push_back(loads.front());
        loads.back().coords[1].offset_min = y;
        loads.back().coords[1].offset_max = y;
    }
    EXPECT_LT(1.2 * compute(5, 1), 5 * one);
    // Every other one at another distance: a gather, whatever the mean is.
    for (Load& load : loads) {
        load.coords[0].rates[0] = 1.5;
    }
    EXPECT_EQ(compute(3, 1), compute(0, 1));
}

TEST(Cost, PixelsAreStoredWholeWhereAllTheirChannelsAre) {
    PipelineDag dag = blur();
    dag.functions[2].dense_dim = 1;
    dag.functions[2].strides = {3, 1};  // y is a channel
    dag.inputs[0].strides = {3, 1};
    const Schedule one = at_root(dag, true);
    const auto with_block = [&](std::int64_t channels) {
        Schedule schedule = one;
        LoopNest& out = nest(schedule, 2);
        const LoopRef yi = split(out, 1, channels);
        out.unrolled = {yi};
        out.order = {*out.vector, yi, {0, 0}, {1, 0}};
        return predict(dag, schedule, avx2()).cost[Term::Compute];
    };
    // Two of three leave gaps.
    EXPECT_LT(1.2 * with_block(3), with_block(2));
    dag.functions[2].strides = {2, 1};
    EXPECT_LT(1.2 * with_block(2), predict(dag, one, avx2()).cost[Term::Compute]);
}

TEST(Cost, VectorsAndCoresPay) {
    const PipelineDag dag = blur();
    const double vectors = seconds(dag, at_root(dag, false), avx2());
    EXPECT_LT(4 * predict(dag, at_root(dag, false), avx2()).cost[Term::Compute],
              predict(dag, at_root(dag, false, 1), avx2()).cost[Term::Compute]);
    Schedule parallel = at_root(dag, false);
    for (const int f : {1, 2}) {
        LoopNest& strips = nest(parallel, f);
        const LoopRef yi = split(strips, 1, 4);
        strips.order = {*strips.vector, {0, 0}, yi, {1, 0}};
        strips.parallel = {{1, 0}};
    }
    EXPECT_LT(1.5 * seconds(dag, parallel, avx2()), vectors);
    EXPECT_GT(1.1 * seconds(dag, parallel, avx2(1)), vectors);
}

/// samples::matmul of bytes.
PipelineDag matmul_of_bytes() {
    PipelineDag dag = samples::matmul();
    for (const int i : {0, 1}) {
        dag.inputs[i].type = {i == 0 ? TypeKind::UInt : TypeKind::Int, 8};
        dag.functions[i].types = {dag.inputs[i].type};
    }
    dag.functions[2].types = {{TypeKind::Int, 32}};
    Stage& update = dag.functions[2].stages[1];
    update.ops = {};
    update.ops.add(Arithmetic::Widen, ElementType::Int32, kAllLoops, 2);
    update.ops.add(Arithmetic::Multiply, ElementType::Int32, kAllLoops, 1);
    update.ops.add(Arithmetic::Add, ElementType::Int32, kAllLoops, 1);
    update.ops.load = 3;
    update.product = NarrowProduct{dag.inputs[0].type, dag.inputs[1].type, {}};
    return dag;
}

/// b with four steps of each column next to each other, all steps in the same place.
PipelineDag packed_by_four(PipelineDag dag) {
    std::vector<Coordinate>& coords = dag.functions[2].stages[1].loads[1].coords;
    coords[0].rates = {4, 0, 1};
    coords[1].rates = {0, 0, 0};
    return dag;
}

Schedule sums_of_bytes(const PipelineDag& dag, bool in_vectors, bool packed) {
    Schedule s = empty_schedule(dag);
    s.functions[0].compute = s.functions[1].compute = Level::inlined();
    s.functions[2].compute = Level::root();
    LoopNest& n = nest(s, 2, 1);
    if (in_vectors) {
        samples::sum_in_vectors(n);
    } else {
        n.vector = split(n, 0, 16);
        n.order = {*n.vector, {2, 0}, {0, 0}, {1, 0}};
    }
    if (packed) {
        s.functions[1].compute = Level::at({2, 1, {2, 0}});
        s.functions[1].storage_order = {1, 0};
    }
    return s;
}

TEST(Cost, DotProductsPayWhereTheirFactorsLieTogether) {
    const PipelineDag dag = matmul_of_bytes();
    const Machine machine = shipped_profile(InstructionSet::X86Avx512);
    const double steps = seconds(dag, sums_of_bytes(dag, false, false), machine);
    const double scattered = seconds(dag, sums_of_bytes(dag, true, false), machine);
    const PipelineDag packed = packed_by_four(dag);
    const double together = seconds(packed, sums_of_bytes(packed, true, false), machine);
    EXPECT_LT(2 * together, steps);
    EXPECT_LT(3 * together, scattered);
    // A panel of four steps for one row does not pay, but its loads are whole vectors.
    Expansions expansions;
    const Schedule panel = sums_of_bytes(dag, true, true);
    ScheduleFacts facts(dag, panel, machine, expansions);
    EXPECT_EQ(facts.stride(Source::Function, 1, 0), 4);
    EXPECT_LT(
        nest_cycles(facts, facts.nest(2, 1)).loads, 0.5 * [&] {
            const Schedule none = sums_of_bytes(dag, true, false);
            ScheduleFacts without(dag, none, machine, expansions);
            return nest_cycles(without, without.nest(2, 1)).loads;
        }());
}

TEST(Cost, DotProductsAreOfTheSignsThatTheMachineHas) {
    const auto of_signs = [](TypeKind a, InstructionSet set) {
        PipelineDag dag = packed_by_four(matmul_of_bytes());
        dag.functions[2].stages[1].product->a.kind = a;
        const Schedule schedule = sums_of_bytes(dag, true, false);
        Expansions expansions;
        ScheduleFacts facts(dag, schedule, shipped_profile(set), expansions);
        return nest_cycles(facts, facts.nest(2, 1)).arithmetic;
    };
    EXPECT_GT(of_signs(TypeKind::Int, InstructionSet::X86Avx512),
              1.3 * of_signs(TypeKind::UInt, InstructionSet::X86Avx512));
    EXPECT_LT(1.3 * of_signs(TypeKind::Int, InstructionSet::ArmNeon),
              of_signs(TypeKind::UInt, InstructionSet::ArmNeon));
}

TEST(Cost, ATileThatLeavesTheCacheCosts) {
    const PipelineDag dag = blur();
    const auto l3 = [&](std::int64_t height) {
        return predict(dag, tiled(dag, 1920, height, false), avx2()).cost[Term::L3];
    };
    EXPECT_LT(l3(8), 0.7 * l3(1080));
}

// A tile of few rows is in the second cache at once; of many rows, the two that are kept of blur_x.
TEST(Cost, ACircularBufferStaysInTheCache) {
    const PipelineDag dag = blur();
    const auto l3 = [&](std::int64_t height, bool slides) {
        return predict(dag, tiled(dag, 1920, height, slides), avx2()).cost[Term::L3];
    };
    EXPECT_LT(l3(540, true), 1.01 * l3(8, true));
    EXPECT_GT(l3(540, false), 1.4 * l3(540, true)) << "all rows at once do not stay";
}

TEST(Cost, WarmUpOfASlidingWindowShrinksWithTheStrip) {
    const PipelineDag dag = blur();
    const auto compute = [&](std::int64_t height) {
        return predict(dag, tiled(dag, 128, height, true), avx2()).cost[Term::Compute];
    };
    EXPECT_LT(compute(60), compute(4));
}

TEST(Cost, TooLittleAndTooMuchParallelism) {
    const PipelineDag dag = blur();
    const auto in_strips = [&](std::int64_t rows) {
        Schedule schedule = at_root(dag, true);
        const LoopRef yi = split(nest(schedule, 2), 1, rows);
        nest(schedule, 2).order = {*nest(schedule, 2).vector, {0, 0}, yi, {1, 0}};
        nest(schedule, 2).parallel = {{1, 0}};
        return predict(dag, schedule, avx2(8)).cost;
    };
    EXPECT_GT(in_strips(540).total(), 1.5 * in_strips(15).total()) << "two tasks for eight cores";
    EXPECT_GT(in_strips(120)[Term::Imbalance], in_strips(15)[Term::Imbalance]) << "nine tasks";
    EXPECT_GT(in_strips(1)[Term::Launch], in_strips(15)[Term::Launch]);
}

TEST(Cost, ChainsOfDependentOperationsWait) {
    PipelineDag dag = samples::matmul();
    dag.functions[2].stages[1].ops.add(Arithmetic::MultiplyAdd, ElementType::Float32, kAllLoops, 1);
    Schedule schedule = product_at_root(dag);
    LoopNest& update = nest(schedule, 2, 1);
    update.vector = split(update, 0, 8);
    update.order = {*update.vector, {2, 0}, {0, 0}, {1, 0}};
    const Cost alone = predict(dag, schedule, avx2()).cost;
    EXPECT_GT(alone[Term::Latency], 0);
    // Eight sums at once.
    const LoopRef yi = split(update, 1, 8);
    update.order = {*update.vector, yi, {2, 0}, {0, 0}, {1, 0}};
    update.unrolled = {yi};
    const Cost together = predict(dag, schedule, avx2()).cost;
    EXPECT_LT(together[Term::Latency], 0.2 * alone[Term::Latency]);
    EXPECT_LT(together.total(), alone.total());
}

// A histogram of 256 brightnesses takes 1.34 of its time in copies; of a dozen, all is in a few.
TEST(Cost, UpdatesWaitForThoseThatMeetTheSamePlace) {
    const auto latency_of = [](std::int64_t places) {
        PipelineDag dag = samples::histogram();
        dag.functions[1].region[0].extent = places;
        dag.functions[1].stages[0].loops[0].range.extent = places;
        Schedule schedule = empty_schedule(dag);
        schedule.functions[1].compute = Level::root();
        for (const NestTime& nest : nest_times(dag, schedule, avx2())) {
            if (nest.stage == 1) {
                return nest.seconds.latency;
            }
        }
        return 0.0;
    };
    EXPECT_GT(latency_of(256), 0);
    EXPECT_GT(latency_of(12), 1.5 * latency_of(256));
    EXPECT_GT(latency_of(256), 1.5 * latency_of(1024));
}

// sums(x, r + 1) changes with what is read of it: the row before, which the step before has stored,
// its own place, a row that stays the same, or the row before in the next column.
TEST(Cost, StepsThatStoreElsewhereDoNotWait) {
    const auto affine = [](double x, double r, std::int64_t offset) {
        Coordinate coordinate;
        coordinate.affine = true;
        coordinate.rates = {x, r};
        coordinate.offset_min = coordinate.offset_max = offset;
        return coordinate;
    };
    const auto latency_of = [&](const Coordinate& column, const Coordinate& row) {
        PipelineDag dag = samples::zoo();
        Stage& scan = dag.functions[2].stages[1];
        scan.stores = {affine(1, 0, 0), affine(0, 1, 1)};
        scan.own_loads = {{Source::Function, 2, 0, {}, false, {column, row}}};
        scan.reads_itself = true;
        scan.ops.add(Arithmetic::MultiplyAdd, ElementType::Float32, kAllLoops, 1);
        Schedule schedule = empty_schedule(dag);
        for (FunctionSchedule& f : schedule.functions) {
            f.compute = Level::root();
        }
        nest(schedule, 2, 1).order = {{1, 0}, {0, 0}};
        for (const NestTime& nest : nest_times(dag, schedule, avx2())) {
            if (nest.function == function_text(dag, schedule, 2) && nest.stage == 1) {
                return nest.seconds.latency;
            }
        }
        return -1.0;
    };
    EXPECT_GT(latency_of(affine(1, 0, 0), affine(0, 1, 0)), 0) << "a scan";
    EXPECT_EQ(latency_of(affine(1, 0, 0), affine(0, 1, 1)), 0) << "its own place";
    EXPECT_EQ(latency_of(affine(1, 0, 0), affine(0, 0, 0)), 0) << "the first row";
    EXPECT_EQ(latency_of(affine(1, 0, 1), affine(0, 1, 0)), 0) << "the next column";
    Coordinate unknown = affine(0, 1, 1);
    unknown.affine = false;
    EXPECT_GT(latency_of(affine(1, 0, 0), unknown), 0);
}

TEST(Cost, WhatAPredicateLeavesOutCostsNothing) {
    PipelineDag dag = samples::matmul();
    Stage& stage = dag.functions[2].stages[1];
    stage.ops.add(Arithmetic::MultiplyAdd, ElementType::Float32, kAllLoops, 1);
    const Schedule schedule = product_at_root(dag);
    const double all = predict(dag, schedule, avx2()).cost[Term::Compute];
    stage.predicate_share = 0.5;
    const double half = predict(dag, schedule, avx2()).cost[Term::Compute];
    EXPECT_LT(half, 0.75 * all);
    EXPECT_GT(half, 0.4 * all);
}

TEST(Cost, GathersCost) {
    PipelineDag dag = blur();
    const double dense = seconds(dag, at_root(dag, true), avx2());
    for (Load& load : dag.functions[1].stages[0].loads) {
        load.coords[0].affine = false;
    }
    EXPECT_GT(seconds(dag, at_root(dag, true), avx2()), 1.5 * dense);
    Machine machine = avx2();
    machine.narrow_gather[ElementType::Float32].value /= 2;
    const auto compute = [&](const Machine& some, int lanes) {
        return predict(dag, at_root(dag, true, lanes), some).cost[Term::Compute];
    };
    ASSERT_EQ(machine.narrow_lanes(ElementType::Float32), 4);
    EXPECT_EQ(compute(machine, 8), compute(avx2(), 8));
    EXPECT_LT(1.2 * compute(machine, 4), compute(avx2(), 4));
}

TEST(Cost, GathersFromATableCostLess) {
    PipelineDag dag = blur();
    for (Load& load : dag.functions[1].stages[0].loads) {
        load.coords[0].affine = false;
    }
    const auto compute = [&] {
        return predict(dag, at_root(dag, true), avx2()).cost[Term::Compute];
    };
    const double from_a_picture = compute();
    for (Range& range : dag.inputs[0].region) {
        range.extent = 16;
    }
    EXPECT_LT(compute(), 0.8 * from_a_picture) << "1 KB";
    dag.inputs[0].region[0].extent = 1024;
    EXPECT_DOUBLE_EQ(compute(), from_a_picture) << "64 KB do not stay in the first cache";
}

TEST(Cost, LargeAllocationsFaultTheirPages) {
    PipelineDag dag = blur();
    EXPECT_LT(predict(dag, at_root(dag, false), avx2()).cost[Term::Allocation], 1e-5);
    for (const int f : {0, 1, 2}) {
        for (Stage& stage : dag.functions[f].stages) {
            stage.loops[0].range.extent *= 8;
        }
        dag.functions[f].region[0].extent *= 8;
    }
    EXPECT_GT(predict(dag, at_root(dag, false), avx2()).cost[Term::Allocation], 1e-3);
}

// `tv`, a pipeline of two fields as large as the picture, took 8.5 ms with both at root and 3.4
// with one, and is not in the project: 3,164 KiB and 3,165 KiB were given back in each run.
TEST(RootMemory, OfTwoBuffersOfOneSizeIsGivenBack) {
    constexpr double kKiB = 1024;
    EXPECT_TRUE((RootMemory{6329 * kKiB, 3165 * kKiB}.is_given_back()));
    EXPECT_FALSE((RootMemory{3165 * kKiB, 3165 * kKiB}.is_given_back()));
    EXPECT_FALSE((RootMemory{5000 * kKiB, 3165 * kKiB}.is_given_back()));
    EXPECT_FALSE((RootMemory{100 * kKiB, 50 * kKiB}.is_given_back()));
    EXPECT_TRUE((RootMemory{200 * kKiB, 50 * kKiB}.is_given_back()));
    EXPECT_FALSE(RootMemory{}.is_given_back());
}

TEST(RootMemory, HasABlockForEachValueOfATuple) {
    // A filter that keeps means and variances side by side (wiener_filter, Zen 4).
    PipelineDag dag = blur();
    const Machine machine = avx2();
    const auto memory = [&] {
        const Schedule schedule = at_root(dag, false);
        Expansions expansions;
        return ScheduleFacts(dag, schedule, machine, expansions).root_memory();
    };
    const RootMemory one = memory();
    EXPECT_EQ(one.bytes, one.largest);
    EXPECT_FALSE(one.is_given_back());
    dag.functions[1].types.push_back(dag.functions[1].types[0]);
    const RootMemory two = memory();
    EXPECT_EQ(two.bytes, 2 * one.bytes);
    EXPECT_EQ(two.largest, one.largest);
    EXPECT_TRUE(two.is_given_back());
}

// Two buffers of 100 KB are twice what a heap keeps at its end before anything large was freed; two
// of 25 KB are not, and neither are two where something larger has been.
TEST(Cost, WhatATaskUsesComesBackAsFreshPages) {
    const PipelineDag dag = blur();
    const auto allocation = [&](std::int64_t width, std::int64_t height, bool larger) {
        Schedule schedule = tiled(dag, width, height, false);
        schedule.functions[0].compute = schedule.functions[1].compute;
        if (larger) {
            schedule.functions[0].store = Level::root();
        }
        return predict(dag, schedule, avx2()).cost[Term::Allocation];
    };
    const double small = allocation(128, 48, false);
    EXPECT_GT(allocation(256, 96, false), 10 * small) << "though there are fewer";
    EXPECT_LT(allocation(256, 96, true), small);
}

TEST(Cost, VectorsThatMeetABorderAreGathers) {
    PipelineDag dag = blur();
    for (Load& load : dag.functions[1].stages[0].loads) {
        load.coords[0].clamped = true;
        load.coords[0].clamped_loops = {true, false};
    }
    const auto compute = [&](const std::vector<LoopPartition>& partition) {
        Schedule schedule = at_root(dag, false);
        nest(schedule, 1).partition = partition;
        return predict(dag, schedule, avx2()).cost[Term::Compute];
    };
    EXPECT_LT(compute({}),
              1.1 * predict(blur(), at_root(blur(), false), avx2()).cost[Term::Compute]);
    EXPECT_GT(compute({{{0, 0}, PartitionPolicy::Never}}), 1.5 * compute({}));
}

/// Blocks of so many rows of blur_y, unrolled; as at_root() has it.
void unroll_rows(Schedule& schedule, std::int64_t count) {
    LoopNest& rows = nest(schedule, 2);
    const LoopRef yi = split(rows, 1, count);
    rows.order = {*rows.vector, yi, {0, 0}, {1, 0}};
    rows.unrolled = {yi};
}

/// Of blur_y.
NestCycles cycles_of_rows(const PipelineDag& dag, const Schedule& schedule) {
    const Machine machine = avx2();
    Expansions expansions;
    ScheduleFacts facts(dag, schedule, machine, expansions);
    return nest_cycles(facts, facts.nest(2, 0));
}

TEST(Cost, ScalarIntegersHaveUnitsOfTheirOwn) {
    const PipelineDag dag = blur();
    PipelineDag more = dag;
    more.functions[2].stages[0].ops.add(Arithmetic::Add, ElementType::Int32, kAllLoops, 2);
    const NestCycles one = cycles_of_rows(dag, at_root(dag, false, 1));
    const NestCycles indexed = cycles_of_rows(more, at_root(dag, false, 1));
    EXPECT_GT(indexed.scalars, one.scalars + 128 * 96);
    EXPECT_EQ(indexed.arithmetic, one.arithmetic);
    EXPECT_LT(indexed.total(), one.total() + 0.2 * (indexed.scalars - one.scalars));
    // In vectors they are arithmetic as any other.
    const NestCycles vector = cycles_of_rows(dag, at_root(dag, false, 8));
    const NestCycles indexes = cycles_of_rows(more, at_root(dag, false, 8));
    EXPECT_GT(indexes.arithmetic, 1.1 * vector.arithmetic);
    EXPECT_EQ(indexes.scalars, vector.scalars);
}

// Four points side by side read row(y) of a picture whose rows are any distance apart.
TEST(Cost, AddressesOfOneIndexAreComputedOnce) {
    const auto scalars = [](bool same_for_all_columns) {
        PipelineDag dag = blur();
        for (Load& load : dag.functions[2].stages[0].loads) {
            load.coords[1].affine = false;
            load.coords[1].fixed_loops = {same_for_all_columns, false};
        }
        Schedule schedule = at_root(dag, false, 1);
        LoopNest& rows = nest(schedule, 2);
        const LoopRef column = split(rows, 0, 4);
        rows.unrolled = {column};
        rows.order = {column, {1, 0}, {0, 0}};
        return cycles_of_rows(dag, schedule).scalars;
    };
    EXPECT_GT(scalars(true), 0);
    EXPECT_NEAR(scalars(false) / scalars(true), 4, 0.1);
}

// blur_y in blocks of four rows, each of which reads three of blur_x: six all together.
TEST(Cost, CopiesShareRowsThatTheCompilerKnowsToBeTheSame) {
    PipelineDag dag = blur();
    const auto loads = [&](Level compute, std::optional<Fold> fold = {}) {
        Schedule schedule = at_root(dag, false);
        unroll_rows(schedule, 4);
        schedule.functions[1].compute = compute;
        if (fold) {
            schedule.functions[1].store = Level::root();
            schedule.functions[1].fold = fold;
        }
        return cycles_of_rows(dag, schedule).loads;
    };
    const double twelve = loads(Level::root());
    const double six = loads(Level::at({2, 0, {1, 0}}));
    constexpr double kRepeated =
        0.4;  // cycles of a load of what was just loaded, of the first one's
    EXPECT_NEAR(twelve, (1 + kRepeated) * six, 0.05 * twelve)
        << "rows are counted from where the block begins";
    EXPECT_NEAR(loads(Level::at({2, 0, {1, 0}}), Fold{1, 8, true}), six, 0.05 * six)
        << "each row of a circular buffer has a product of its own";
    {
        const PipelineDag whole = dag;
        for (Load& load : dag.functions[2].stages[0].loads) {
            load.coords[1].clamped_loops = {false, true};
        }
        EXPECT_NEAR(loads(Level::root()), six, 0.05 * six) << "so has a row that is clamped";
        dag = whole;
    }
    dag.functions[1].constant = {true, true};
    EXPECT_NEAR(loads(Level::root()), six, 0.05 * six) << "the distance of rows is a constant";
}

// 24 rows have an address each, for which there are not registers enough, or, a constant distance
// apart, one for all of them.
TEST(Cost, AddressesWithoutARegisterAreLoaded) {
    PipelineDag dag = blur();
    const auto loads = [&](std::int64_t rows) {
        Schedule schedule = at_root(dag, true);
        unroll_rows(schedule, rows);
        return cycles_of_rows(dag, schedule).loads;
    };
    for (Load& load : dag.functions[2].stages[0].loads) {
        load.coords[1].offset_min = load.coords[1].offset_max = 0;  // one row each
    }
    EXPECT_NEAR(loads(4), loads(1), 0.01 * loads(1));
    EXPECT_GT(loads(24), 1.05 * loads(4));
    dag.inputs[0].strides = {1, 8};
    EXPECT_NEAR(loads(24), loads(4), 0.01 * loads(4));
}

// What is inlined is computed again where the loads in it are not known to be the same.
TEST(Cost, CopiesShareWhatIsInlinedWhereTheyShareItsLoads) {
    PipelineDag dag = blur();
    const auto arithmetic = [&] {
        Schedule schedule = at_root(dag, true);
        unroll_rows(schedule, 4);
        return cycles_of_rows(dag, schedule).arithmetic;
    };
    const double apart = arithmetic();
    dag.inputs[0].strides = {1, 8};
    EXPECT_GT(apart, 1.4 * arithmetic());
}

TEST(Cost, WhatCopiesShareWaitsInRegisters) {
    PipelineDag dag = blur();
    std::vector<Load>& loads = dag.functions[2].stages[0].loads;
    for (std::int64_t row = 3; row < 40; row++) {
        loads.push_back(loads[0]);
        loads.back().coords[1].offset_min = row;
        loads.back().coords[1].offset_max = row;
    }
    dag.functions[1].constant = {true, true};  // so that LLVM knows how far rows are apart
    Machine roomy = avx2();
    roomy.registers.value = 1000;
    const auto lost = [&](int copies) {
        Schedule schedule = at_root(dag, false);
        unroll_rows(schedule, copies);
        return seconds(dag, schedule, avx2()) / seconds(dag, schedule, roomy);
    };
    EXPECT_NEAR(lost(1), 1, 1e-9);
    EXPECT_GT(lost(4), 1.2);
}

// Blocks of 16 x 4 sums of a matrix product, as all of it or as one such block at a time, and with
// the loop over rows divided into what needs a guard and what does not, or not.
TEST(Cost, SumsAreInRegistersWhereTheyAreKnownToBeApart) {
    const PipelineDag dag = samples::matmul();
    const auto compute = [&](bool at_blocks, bool divided) {
        Schedule schedule = product_at_root(dag, 16);
        LoopNest& out = nest(schedule, 3);
        out.vector = split(out, 0, 16);
        const LoopRef block = split(out, 1, 4);
        out.order = {*out.vector, block, {0, 0}, {1, 0}};
        if (at_blocks) {
            schedule.functions[2].compute = Level::at({3, 0, {0, 0}});
        }
        LoopNest& sums = nest(schedule, 2, 1);
        sums.vector = split(sums, 0, 16, Tail::GuardWithIf);
        const LoopRef row = split(sums, 1, 4, Tail::GuardWithIf);
        sums.order = {*sums.vector, row, {2, 0}, {0, 0}, {1, 0}};
        sums.unrolled = {row};
        if (!divided) {
            sums.partition = {{{1, 0}, PartitionPolicy::Never}};
        }
        return predict(dag, schedule, avx2()).cost[Term::Compute];
    };
    const double in_registers = compute(true, true);
    EXPECT_NEAR(compute(true, false), in_registers, 1e-9) << "there is nothing to guard";
    const double in_memory = compute(false, true);
    EXPECT_GT(in_memory, 1.5 * in_registers) << "the distance of rows is not known";
    EXPECT_GT(compute(false, false), 1.02 * in_memory) << "conditions, and nothing is shared";
}

// Blocks of 8 x rows sums, with rows next to each other in memory, or not.
Schedule sums_in_blocks(const PipelineDag& dag, std::int64_t rows, bool rows_are_dense = false) {
    Schedule schedule = product_at_root(dag, 8);
    LoopNest& out = nest(schedule, 3);
    out.vector = split(out, 0, 8);
    const LoopRef block = split(out, 1, rows);
    out.order = {*out.vector, block, {0, 0}, {1, 0}};
    schedule.functions[2].compute = Level::at({3, 0, {0, 0}});
    if (rows_are_dense) {
        schedule.functions[2].storage_order = {1, 0};
    }
    LoopNest& sums = nest(schedule, 2, 1);
    sums.vector = split(sums, 0, 8, Tail::GuardWithIf);
    const LoopRef row = split(sums, 1, rows, Tail::GuardWithIf);
    sums.order = {*sums.vector, row, {2, 0}, {0, 0}, {1, 0}};
    sums.unrolled = {row};
    return schedule;
}

/// blur_x in each iteration of the innermost loop of blur_y, three rows of a vector.
struct InIterations {
    PipelineDag dag = blur();
    Schedule schedule = at_root(dag, false);

    /// Those rows in a loop or, unrolled, in none; both in vectors of so many elements.
    InIterations(bool unrolled, int lanes, int consumer_lanes) {
        LoopNest& consumer = nest(schedule, 2);
        consumer = {};
        consumer.vector = split(consumer, 0, consumer_lanes);
        schedule.functions[1].compute = Level::at({2, 0, {0, 0}});
        LoopNest& producer = nest(schedule, 1);
        producer = {};
        producer.vector = split(producer, 0, lanes);
        if (unrolled) {
            producer.unrolled = {{1, 0}};
        }
    }

    [[nodiscard]] bool stays() const {
        const Machine machine = avx2();
        Expansions expansions;
        ScheduleFacts facts(dag, schedule, machine, expansions);
        return stays_in_registers(facts, 1);
    }
};

TEST(Cost, WhatIsReadAsItWasStoredIsInRegisters) {
    EXPECT_TRUE(InIterations(true, 8, 8).stays());
    EXPECT_FALSE(InIterations(false, 8, 8).stays()) << "a loop goes over the rows";
    EXPECT_FALSE(InIterations(true, 4, 8).stays()) << "a vector is read that was stored as two";
    EXPECT_FALSE(InIterations(true, 64, 64).stays()) << "24 registers";
    InIterations across(true, 8, 8);
    across.schedule.functions[1].storage_order = {1, 0};
    EXPECT_FALSE(across.stays()) << "its vectors are not side by side";
    InIterations shifted(true, 8, 8);
    for (Load& load : shifted.dag.functions[2].stages[0].loads) {
        std::swap(load.coords[0], load.coords[1]);  // x - 1, x and x + 1 of one row
        load.coords[0].rates = {1, 0};
        load.coords[1].rates = {0, 1};
    }
    EXPECT_FALSE(shifted.stays()) << "parts of two vectors are read as one";
}

TEST(Cost, RegistersAreNeitherStoredNorLoaded) {
    const auto accesses = [](const InIterations& each) {
        const Machine machine = avx2();
        Expansions expansions;
        ScheduleFacts facts(each.dag, each.schedule, machine, expansions);
        return std::pair{nest_cycles(facts, facts.nest(1, 0)).stores,
                         nest_cycles(facts, facts.nest(2, 0)).loads};
    };
    const auto [stores, loads] = accesses(InIterations(true, 8, 8));
    EXPECT_EQ(stores, 0);
    EXPECT_EQ(loads, 0);
    const auto [stores_of_rows, loads_of_rows] = accesses(InIterations(false, 8, 8));
    EXPECT_GT(stores_of_rows, 0);
    EXPECT_GT(loads_of_rows, 0);
}

// 8 x rows sums: as many as there are registers, and more.
TEST(Cost, SumsWithoutARegisterTakeLonger) {
    const PipelineDag dag = samples::matmul();
    const auto compute = [&](std::int64_t rows) {
        Machine machine = avx2();
        for (CacheLevel* cache : {&machine.l1, &machine.l2, &machine.l3}) {
            cache->bytes.value = 1 << 24;  // everything: loads are not waited for
        }
        return predict(dag, sums_in_blocks(dag, rows), machine).cost[Term::Compute];
    };
    EXPECT_LT(compute(12), 1.05 * compute(8));
    EXPECT_GT(compute(32), 1.3 * compute(12)) << "16 registers";
}

// 12 sums leave 4 of 16 registers, which one vector of b has room in, and seven have not.
TEST(Cost, SumsShareTheRegistersWithWhatCopiesShare) {
    PipelineDag dag = samples::matmul();
    const auto compute = [&](double registers) {
        Machine machine = avx2();
        machine.registers.value = registers;
        return predict(dag, sums_in_blocks(dag, 12), machine).cost[Term::Compute];
    };
    EXPECT_NEAR(compute(16), compute(64), 1e-9 * compute(16));
    Stage& update = dag.functions[2].stages[1];
    const Load vector = update.loads[0].coords[0].rates[0] != 0 ? update.loads[0] : update.loads[1];
    for (int i = 1; i <= 6; i++) {
        update.loads.push_back(vector);
        for (Coordinate& coordinate : update.loads.back().coords) {
            if (coordinate.rates[2] != 0) {
                coordinate.offset_min = coordinate.offset_max = 2000 * i;
            }
        }
    }
    EXPECT_GT(compute(16), 1.1 * compute(64));
}

// Sums without a register are stored at each step, also of several that are unrolled.
TEST(Cost, UnrolledStepsSaveNoSpills) {
    PipelineDag dag = samples::matmul();
    for (Input& input : dag.inputs) {
        input.strides = {1, 8};  // so that all of its rows have one address
    }
    const auto compute = [&](std::int64_t steps) {
        Schedule schedule = sums_in_blocks(dag, 32);
        LoopNest& sums = nest(schedule, 2, 1);
        if (steps > 1) {
            const LoopRef step = split(sums, 2, steps, Tail::GuardWithIf);
            sums.order.insert(sums.order.begin() + 2, step);
            sums.unrolled.push_back(step);
        }
        return predict(dag, schedule, avx2()).cost[Term::Compute];
    };
    EXPECT_NEAR(compute(4), compute(1), 0.1 * compute(1));
}

// The last block of what reads the sums has a guard, and with it each of their rows.
TEST(Cost, SumsThatAGuardCutsAreNotInRegisters) {
    const PipelineDag dag = samples::matmul();
    const auto compute = [&](Tail tail, PartitionPolicy policy) {
        Schedule schedule = sums_in_blocks(dag, 7);
        nest(schedule, 3).splits[1][0].tail = tail;
        nest(schedule, 3).partition = {{{1, 0}, policy}};
        return predict(dag, schedule, avx2()).cost[Term::Compute];
    };
    const double whole = compute(Tail::ShiftInwards, PartitionPolicy::Never);
    EXPECT_GT(compute(Tail::GuardWithIf, PartitionPolicy::Never), 1.5 * whole);
    EXPECT_LT(compute(Tail::GuardWithIf, PartitionPolicy::Auto), 1.05 * whole)
        << "the last block is apart";
}

TEST(Cost, SumsThatAGuardCutsAreStoredAtEachUnrolledStep) {
    // In blocks of rows that are not known to be whole: where no vector reads it, at root.
    const PipelineDag dag = samples::matmul();
    const auto stores = [&](std::int64_t steps, std::int64_t rows) {
        Schedule schedule = product_at_root(dag, 8);
        LoopNest& sums = nest(schedule, 2, 1);
        sums.vector = split(sums, 0, 8, Tail::GuardWithIf);
        const LoopRef row = split(sums, 1, rows, Tail::GuardWithIf);
        const LoopRef step = split(sums, 2, steps, Tail::GuardWithIf);
        sums.order = {*sums.vector, row, step, {2, 0}, {0, 0}, {1, 0}};
        sums.unrolled = {row, step};
        sums.partition = {{{1, 0}, PartitionPolicy::Never}};
        for (const NestTime& each : nest_times(dag, schedule, avx2())) {
            if (each.function == "prod" && each.stage == 1) {
                return each.seconds.stores;
            }
        }
        return 0.0;
    };
    EXPECT_GT(stores(1, 4), 0);
    EXPECT_NEAR(stores(4, 4), stores(1, 4), 1e-9 * stores(1, 4));
    EXPECT_LT(stores(4, 1), 0.1 * stores(4, 4)) << "a single row is in registers";
}

// Numbers of two bytes: AVX2 has masks for four and eight bytes only, AVX-512 for all. A row is 120
// blocks of 16, and 17 of 112 and a part of one.
TEST(Cost, PartsOfBlocksAreBranchesWithoutMasks) {
    PipelineDag dag = blur();
    dag.functions[1].types = {{TypeKind::UInt, 16}};
    const auto compute = [&](InstructionSet set, std::int64_t block, Tail tail) {
        Schedule schedule = at_root(dag, false, 1);
        LoopNest& rows = nest(schedule, 1);
        const LoopRef copies = split(rows, 0, block, tail);
        rows.vector = split(rows, 0, 16, Tail::RoundUp);
        rows.unrolled = {copies};
        rows.order = {*rows.vector, copies, {0, 0}, {1, 0}};
        return predict(dag, schedule, shipped_profile(set)).cost[Term::Loops];
    };
    const auto of_guard = [&](InstructionSet set, std::int64_t block) {
        return compute(set, block, Tail::GuardWithIf) / compute(set, block, Tail::RoundUp);
    };
    EXPECT_DOUBLE_EQ(of_guard(InstructionSet::X86Avx2, 16), 1);
    EXPECT_GT(of_guard(InstructionSet::X86Avx2, 112), 1.1);
    EXPECT_DOUBLE_EQ(of_guard(InstructionSet::X86Avx512, 112), 1);
}

TEST(Cost, SumsThatAreNotInVectorsAreStoredOneByOne) {
    const PipelineDag dag = samples::matmul();
    const auto compute = [&](bool rows_are_dense) {
        return predict(dag, sums_in_blocks(dag, 4, rows_are_dense), avx2()).cost[Term::Compute];
    };
    EXPECT_GT(compute(true), 3 * compute(false)) << "though all elements between are stored, too";
}

TEST(Cost, AnElementForAllLanesIsALoadOfTheirWidth) {
    const PipelineDag dag = samples::matmul();
    const Schedule schedule = sums_in_blocks(dag, 8);
    const auto compute = [&](Width slow) {
        Machine machine = avx2();
        machine.load[slow].value = 10;
        return predict(dag, schedule, machine).cost[Term::Compute];
    };
    const double usual = predict(dag, schedule, avx2()).cost[Term::Compute];
    EXPECT_LT(compute(Width::Scalar), 1.1 * usual);
    // A step takes one vector of b and eight elements of a.
    EXPECT_GT(compute(Width::Bytes32), 5 * usual);
}

// Each of a's elements goes into eight lanes; along y, where its index is clamped, or where it is
// chosen by its place, there are blocks.
TEST(Cost, ComparisonsOfBordersCost) {
    const auto compute = [](bool clamped, bool chosen, bool divided) {
        PipelineDag dag = samples::matmul();
        Stage& sums = dag.functions[2].stages[1];
        for (Load& load : sums.loads) {
            if (load.source == Source::Function && load.index == 0) {
                load.coords[1].clamped = clamped;
                load.coords[1].clamped_loops = {false, clamped, false};
            }
        }
        if (chosen) {
            const LoopSet rows = loop_set(1);
            const LoopSet elements = loop_set(1) | loop_set(2);
            sums.border_ops = {
                {{Arithmetic::Select, ElementType::Int32, rows, 1}, rows, false},
                {{Arithmetic::Select, ElementType::Float32, elements, 0.5}, rows, true}};
        }
        Machine machine = avx2();
        machine.load[Width::Scalar].value = machine.load[Width::Bytes32].value = 0.1;
        Schedule schedule = sums_in_blocks(dag, 8);
        for (const int f : {2, 3}) {
            LoopNest& each = nest(schedule, f, f == 2 ? 1 : 0);
            each.partition = {{{1, 0}, divided ? PartitionPolicy::Auto : PartitionPolicy::Never}};
        }
        return predict(dag, schedule, machine).cost[Term::Compute];
    };
    const double usual = compute(false, false, false);
    EXPECT_GT(compute(true, false, false), 1.5 * usual);
    EXPECT_GT(compute(false, true, false), 1.5 * usual);
    EXPECT_GT(compute(true, true, false), compute(true, false, false));
    EXPECT_LT(compute(true, true, true), 1.2 * usual) << "in the first and the last rows only";
}

// One column of vectors after the other, all rows of each.
Schedule product_by_columns(const PipelineDag& dag) {
    Schedule schedule = product_at_root(dag, 8);
    LoopNest& out = nest(schedule, 3);
    out.vector = split(out, 0, 8);
    out.order = {*out.vector, {1, 0}, {0, 0}};
    schedule.functions[2].compute = Level::at({3, 0, {1, 0}});
    LoopNest& sums = nest(schedule, 2, 1);
    sums.vector = split(sums, 0, 8, Tail::GuardWithIf);
    sums.order = {*sums.vector, {2, 0}, {0, 0}, {1, 0}};
    return schedule;
}

// Eight rows of a by one vector of b, along more steps than the first cache has room for: each step
// takes one element of eight lines, which are there until the lines were read to their ends; or, in
// a transposed, eight elements of a line whose others it never wants.
TEST(Cost, WhatStepsTakeOfTheSameLinesIsBroughtOnce) {
    constexpr std::int64_t kDepth = 8192 + 16;
    const auto l2 = [&](bool transposed) {
        PipelineDag dag = samples::matmul();
        Stage& update = dag.functions[2].stages[1];
        update.loops[2].range.extent = kDepth;
        std::vector<Range> a = {{0, kDepth}, {0, 384}};
        if (transposed) {
            std::swap(a[0], a[1]);
            std::swap(update.loads[0].coords[0], update.loads[0].coords[1]);
        }
        for (const int f : {0, 1}) {
            dag.functions[f].region = f == 0 ? a : std::vector<Range>{{0, 512}, {0, kDepth}};
            dag.inputs[f].region = dag.functions[f].region;
        }
        return predict(dag, sums_in_blocks(dag, 8), avx2()).cost[Term::L2];
    };
    EXPECT_LT(l2(false), l2(true));
}

// A vector of 256 rows, again and again: 16 KB of cache lines, which stay in the second cache
// unless rows are a multiple of a page apart.
TEST(Cost, LinesAMultipleOfAPageApartShareFewSets) {
    const auto beyond_the_second = [&](std::int64_t width) {
        PipelineDag dag = samples::matmul();
        const int b = samples::find(dag, "b_im");
        dag.functions[b].region[0].extent = width;
        dag.inputs[1].region[0].extent = width;
        Machine machine = avx2();
        machine.l2.bytes.value = 1 << 19;
        return predict(dag, product_by_columns(dag), machine).cost[Term::L3];
    };
    EXPECT_GT(beyond_the_second(4096), 3 * beyond_the_second(4096 + 16));
}

// All rows of a column of vectors, again and again, in rows of 8 KB, and packed.
TEST(Cost, RowsThatAreFarApartAreAPageEach) {
    PipelineDag dag = samples::matmul();
    const auto pages = [&](bool packed) {
        Schedule schedule = product_by_columns(dag);
        schedule.functions[1].compute = packed ? Level::at({3, 0, {0, 0}}) : Level::inlined();
        return predict(dag, schedule, avx2()).cost[Term::Pages];
    };
    EXPECT_GT(pages(false), 5 * pages(true));
}

// Sums of rows by one thread, whether or not all threads set them to zero before.
TEST(Cost, TrafficIsOfTheThreadsThatMoveIt) {
    PipelineDag dag = samples::sums();
    for (Function& f : dag.functions) {
        for (Stage& stage : f.stages) {
            for (Loop& loop : stage.loops) {
                loop.range.extent = loop.is_reduction() ? 1 << 20 : loop.range.extent;
            }
        }
    }
    dag.functions[0].region[0].extent = dag.inputs[0].region[0].extent = 1 << 20;
    const auto predicted = [&](bool parallel_zeros, bool parallel_sums) {
        Schedule schedule = at_root(dag, false, 1);
        if (parallel_zeros) {
            nest(schedule, 1, 0).parallel = {{0, 0}};
        }
        if (parallel_sums) {
            nest(schedule, 1, 1).parallel = {{0, 0}};
        }
        return predict(dag, schedule, avx2(4)).cost;
    };
    const Cost serial = predicted(false, false);
    for (const Term term : {Term::L3, Term::Dram}) {
        EXPECT_NEAR(predicted(true, false)[term], serial[term], 0.01 * serial[term]);
    }
    EXPECT_LT(predicted(true, true)[Term::L3], 0.5 * serial[Term::L3]);
}

// Rows that each task keeps for itself: of a third cache that cores share, each has its part.
TEST(Cost, TasksShareTheThirdCache) {
    const PipelineDag dag = large_blur();
    Schedule schedule = tiled(dag, 256, 64, false);
    nest(schedule, 2).parallel = {{1, 0}};
    const auto dram = [&](int parallelism, double cores) {
        Machine machine = avx2(parallelism);
        machine.l1.bytes.value = 1 << 12;
        machine.l2.bytes.value = 1 << 13;
        machine.l3.bytes.value = 1 << 19;  // a tile takes more than half of it
        machine.l3.cores.value = cores;
        return predict(dag, schedule, machine).cost[Term::Dram];
    };
    EXPECT_GT(dram(4, 8), 1.2 * dram(4, 1));
    EXPECT_EQ(dram(1, 8), dram(1, 1));
}

// Sums of a block by the rows of one matrix, a(k, x) * a(k, y), or of two: the block's rows of x
// and of y are no more pages and no more bytes, however far apart they are.
TEST(Cost, RowsOfOneMatrixByItsOwnAreNotAllBetweenThem) {
    const auto predicted = [&](bool its_own) {
        PipelineDag dag = samples::matmul();
        constexpr std::int64_t kDepth = 1 << 14;
        const std::vector<Range> rows = {{0, kDepth}, {0, 512}};
        Stage& update = dag.functions[2].stages[1];
        update.loops[2].range.extent = kDepth;
        for (const int f : {0, 1}) {
            dag.functions[f].region = dag.inputs[f].region = rows;
        }
        std::swap(update.loads[1].coords[0], update.loads[1].coords[1]);
        if (its_own) {
            update.loads[1].index = 0;
        }
        return predict(dag, sums_in_blocks(dag, 8), avx2()).cost;
    };
    const Cost own = predicted(true);
    const Cost two = predicted(false);
    for (const Term term : {Term::Pages, Term::L2, Term::L3}) {
        EXPECT_LT(own[term], 1.25 * two[term]) << name_of(term);
    }
}

TEST(Evaluator, PredictsWhatTheModelPredicts) {
    const PipelineDag dag = blur();
    const Machine machine = avx2();
    Evaluator evaluator(dag, machine);
    std::vector<Schedule> schedules;
    for (const std::int64_t height : {8, 36, 120}) {
        schedules.push_back(tiled(dag, 128, height, false));
        schedules.push_back(tiled(dag, 256, height, true));
        schedules.push_back(at_root(dag, height > 20));
    }
    // Twice: the second time from what was kept.
    for (int i = 0; i < 2; i++) {
        for (const Schedule& each : schedules) {
            EXPECT_DOUBLE_EQ(evaluator.seconds(each), seconds(dag, each, machine));
        }
    }
}

TEST(Cost, GroupsAddUp) {
    const PipelineDag dag = blur();
    const Prediction prediction = predict(dag, at_root(dag, false), avx2());
    ASSERT_EQ(prediction.groups.size(), 2U);
    EXPECT_DOUBLE_EQ(prediction.groups[0].cost.total() + prediction.groups[1].cost.total(),
                     prediction.cost.total());
    EXPECT_EQ(predict(dag, tiled(dag, 128, 36, false), avx2()).groups.size(), 1U);
}

}  // namespace
}  // namespace nestor
