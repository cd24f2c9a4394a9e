// What the terms of the cost model say, held against the clock: of two schedules, or of two
// pipelines, one is faster by what one term is about, and both the model and the machine have to
// say which. In turns, the least of several runs, and the machine only as to the direction: other
// work on it makes no difference then.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>

#include "cost/cost_model.h"
#include "halide/apply.h"
#include "halide/jit_program.h"
#include "halide/read_pipeline.h"
#include "halide/target_machine.h"
#include "schedule/legality.h"
#include "schedule/sample_dags.h"

namespace nestor {
namespace {

using Halide::Buffer;
using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::ImageParam;
using Halide::Pipeline;
using Halide::RDom;
using Halide::Var;
using samples::nest;
using samples::split;

constexpr int kThreads = 2;
constexpr int kRuns = 15;

const Halide::Target& target() {
    static const Halide::Target host = Halide::get_host_target();
    return host;
}

Machine machine() {
    Machine result = machine_of(target());
    result.parallelism = kThreads;
    return result;
}

/// Functions by name.
class Graph {
  public:
    explicit Graph(const Pipeline& pipeline) : dag_(read_pipeline(pipeline, target()).value()) {}

    [[nodiscard]] const PipelineDag& dag() const { return dag_; }
    [[nodiscard]] int operator[](const std::string& function) const {
        const int found = samples::find(dag_, function);
        EXPECT_GE(found, 0) << "there is no function " << function;
        return std::max(found, 0);
    }
    /// Everything inlined that may be, outputs at root.
    [[nodiscard]] Schedule plain() const {
        Schedule schedule = empty_schedule(dag_);
        for (std::size_t f = 0; f < dag_.functions.size(); f++) {
            const bool inlined = dag_.functions[f].can_inline && !dag_.functions[f].is_output;
            schedule.functions[f].compute = inlined ? Level::inlined() : Level::root();
        }
        return schedule;
    }

  private:
    PipelineDag dag_;
};

/// A schedule of a pipeline, compiled, with its prediction.
class Entry {
  public:
    Entry(const Pipeline& pipeline, const Graph& graph, const Schedule& schedule)
        : pipeline_(deep_copy(pipeline)), cost_(predict(graph.dag(), schedule, machine()).cost) {
        const std::vector<Violation> violations = check_legality(graph.dag(), schedule);
        EXPECT_TRUE(violations.empty()) << (violations.empty() ? "" : violations.front().what);
        const Status applied = apply(pipeline_, graph.dag(), schedule);
        EXPECT_TRUE(applied) << applied.error();
        std::vector<int> sizes;
        for (const Range& range : graph.dag().functions[graph.dag().outputs[0]].region) {
            sizes.push_back(static_cast<int>(range.extent));
        }
        output_ = Buffer<>(pipeline_.outputs()[0].type(), sizes);
        pipeline_.compile_jit(target());
    }

    [[nodiscard]] const Cost& cost() const { return cost_; }

    double run() {
        const auto begin = std::chrono::steady_clock::now();
        pipeline_.realize({output_}, target());
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }

  private:
    Pipeline pipeline_;
    Cost cost_;
    Buffer<> output_;
};

/// What other work on the machine may make of two that need two processors: they take turns.
constexpr double kBusy = 1.1;

/// The first is faster, and spends less on that term.
void expect_faster(Entry fast, Entry slow, Term term, double slack = 1) {
    JitProgram::set_threads(kThreads);
    EXPECT_LT(fast.cost()[term], slow.cost()[term]) << name_of(term);
    EXPECT_LT(fast.cost().total(), slow.cost().total());
    double fast_seconds = std::numeric_limits<double>::infinity();
    double slow_seconds = fast_seconds;
    for (int i = 0; i < kRuns; i++) {
        fast_seconds = std::min(fast_seconds, fast.run());
        slow_seconds = std::min(slow_seconds, slow.run());
    }
    EXPECT_LT(fast_seconds, slack * slow_seconds)
        << "predicted " << fast.cost().total() << " and " << slow.cost().total();
    ::testing::Test::RecordProperty("predicted",
                                    std::to_string(slow.cost().total() / fast.cost().total()));
    ::testing::Test::RecordProperty("measured", std::to_string(slow_seconds / fast_seconds));
}

int natural_lanes() {
    return target().natural_vector_size<float>();
}

Buffer<float> numbers(const std::vector<int>& sizes) {
    Buffer<float> buffer(sizes);
    int i = 0;
    buffer.for_each_value([&](float& value) { value = static_cast<float>(i++ % 97) / 97; });
    return buffer;
}

/// An input of that size, as its estimates say, too.
ImageParam input(const std::vector<int>& sizes, const char* name) {
    ImageParam image(Halide::Float(32), static_cast<int>(sizes.size()), name);
    for (std::size_t d = 0; d < sizes.size(); d++) {
        image.dim(static_cast<int>(d)).set_estimate(0, sizes[d]);
    }
    image.set(numbers(sizes));
    return image;
}

// `steps` dependent operations for each of `count` points: sums in registers.
Pipeline recurrence(int count, int steps) {
    Var x("x");
    Func sums("sums"), out("out");
    RDom r(0, steps, "r");
    sums(x) = cast<float>(x);
    sums(x) = sums(x) * 0.75F + cast<float>(r.x);
    out(x) = sums(x) + 1.0F;
    out.set_estimates({{0, count}});
    return Pipeline(out);
}

/// Vectors along the first dimension, so many of them side by side in the innermost loops; the loop
/// over such blocks, which is not yet in the order.
LoopRef side_by_side(LoopNest& nest, int vectors, Tail tail) {
    const int lanes = natural_lanes();
    const LoopRef copies = split(nest, 0, lanes * vectors, tail);
    nest.vector = split(nest, 0, lanes, tail == Tail::ShiftInwards ? Tail::RoundUp : tail);
    nest.unrolled = {copies};
    nest.order = {*nest.vector, copies};
    return {0, copies.level - 1};
}

/// Sums in vectors, `copies` of them side by side, in tasks of so many points.
Schedule recurrences(const Graph& graph, int copies, int points_of_task) {
    Schedule schedule = graph.plain();
    const int sums = graph["sums"];
    const int out = graph["out"];
    LoopNest& consumer = nest(schedule, out);
    if (points_of_task > 0) {
        split(consumer, 0, points_of_task, Tail::ShiftInwards);
        consumer.parallel = {{0, 0}};
    }
    const LoopRef block = side_by_side(consumer, copies, Tail::ShiftInwards);
    consumer.order.push_back(block);
    if (points_of_task > 0) {
        consumer.order.push_back({0, 0});
    }
    schedule.functions[sums].compute = Level::at({out, 0, block});
    for (const int stage : {0, 1}) {
        LoopNest& mine = nest(schedule, sums, stage);
        const Tail tail = stage == 0 ? Tail::RoundUp : Tail::GuardWithIf;
        const LoopRef outer = side_by_side(mine, copies, tail);
        if (stage == 1) {
            mine.order.push_back({1, 0});
        }
        mine.order.push_back(outer);
    }
    return schedule;
}

TEST(Terms, ComputeScalarsTakeLongerThanVectors) {
    Var x("x"), y("y");
    const ImageParam in = input({1024, 256}, "in");
    Func out("out");
    Expr value = in(x, y);
    for (int i = 0; i < 12; i++) {
        value = value * in(x, y) + 0.5F;
    }
    out(x, y) = value;
    out.set_estimates({{0, 1024}, {0, 256}});
    const Pipeline pipeline(out);
    const Graph graph(pipeline);
    const Schedule scalar = graph.plain();
    Schedule vectors = scalar;
    LoopNest& loops = nest(vectors, graph["out"]);
    loops.vector = split(loops, 0, natural_lanes(), Tail::ShiftInwards);
    expect_faster({pipeline, graph, vectors}, {pipeline, graph, scalar}, Term::Compute);
}

// A block of bytes of which the last one is not whole, on a processor that has no masks for them.
TEST(Terms, LoopsBytesUnderMasksAreBranches) {
    const Machine mine = machine();
    if (mine.masked_bytes() == 1) {
        GTEST_SKIP() << mine.target << " has masks for bytes";
    }
    const int lanes = target().natural_vector_size<std::uint8_t>();
    const int block = 4 * lanes;
    const int width = 4 * block + lanes / 4;
    Var x("x"), y("y");
    Func first("first"), out("out");
    first(x, y) = cast<std::uint8_t>(x * 3 + y);
    out(x, y) = first(x, y) + first(x, y + 1);
    out.set_estimates({{0, width}, {0, 2000}});
    const Pipeline pipeline(out);
    const Graph graph(pipeline);
    const auto with = [&](Tail tail) {
        Schedule schedule = graph.plain();
        LoopNest& consumer = nest(schedule, graph["out"]);
        consumer.vector = split(consumer, 0, lanes, Tail::ShiftInwards);
        LoopNest& loops = nest(schedule, graph["first"]);
        const LoopRef copies = split(loops, 0, block, tail);
        loops.vector = split(loops, 0, lanes, Tail::RoundUp);
        loops.unrolled = {copies};
        loops.order = {*loops.vector, copies, {0, 0}, {1, 0}};
        schedule.functions[graph["first"]].compute = Level::at({graph["out"], 0, {1, 0}});
        return schedule;
    };
    expect_faster({pipeline, graph, with(Tail::RoundUp)},
                  {pipeline, graph, with(Tail::GuardWithIf)}, Term::Loops);
}

// Sums of two planes and of their weights, in vectors of one register and of four.
TEST(Terms, ComputeCommonPartsOfATupleAgainInWideVectors) {
    const int lanes = natural_lanes();
    const int width = 32 * lanes;
    Var x("x"), y("y");
    const ImageParam in = input({width + 8, 64, 2}, "in");
    RDom r(0, 8, "r");
    Expr apart = 0.0F;
    for (int plane = 0; plane < 2; plane++) {
        const Expr difference = in(x + r, y, plane) - in(x, y, plane);
        apart = apart + difference * difference;
    }
    Expr weight = apart;
    for (int i = 0; i < 12; i++) {
        weight = weight * apart + 0.5F;
    }
    Func sums("sums"), out("out");
    sums(x, y) = Halide::Tuple(0.0F, 0.0F, 0.0F);
    const Halide::Tuple before = sums(x, y);
    sums(x, y) = Halide::Tuple(before[0] + weight * in(x + r, y, 0),
                               before[1] + weight * in(x + r, y, 1), before[2] + weight);
    out(x, y) = (sums(x, y)[0] + sums(x, y)[1]) / sums(x, y)[2];
    out.set_estimates({{0, width}, {0, 64}});
    const Pipeline pipeline(out);
    const Graph graph(pipeline);
    const auto in_vectors = [&](int registers) {
        Schedule schedule = graph.plain();
        schedule.functions[graph["sums"]].compute = Level::root();
        LoopNest& update = nest(schedule, graph["sums"], 1);
        update.vector = split(update, 0, registers * lanes, Tail::GuardWithIf);
        update.order = {*update.vector, {2, 0}, {0, 0}, {1, 0}};
        return schedule;
    };
    expect_faster({pipeline, graph, in_vectors(1)}, {pipeline, graph, in_vectors(4)},
                  Term::Compute);
}

TEST(Terms, LatencyOneChainWaitsForItself) {
    const int lanes = natural_lanes();
    const Pipeline pipeline = recurrence(8 * lanes, 20'000);
    const Graph graph(pipeline);
    expect_faster({pipeline, graph, recurrences(graph, 8, 0)},
                  {pipeline, graph, recurrences(graph, 1, 0)}, Term::Latency);
}

// Chains that wait for themselves, in tasks. (Of two threads on a busy machine, one may do it all.)
TEST(Terms, ImbalanceTooLittleParallelism) {
    if (std::thread::hardware_concurrency() < kThreads) {
        GTEST_SKIP() << "there is one processor";
    }
    const int lanes = natural_lanes();
    const Pipeline pipeline = recurrence(12 * lanes, 40'000);
    const Graph graph(pipeline);
    // Three tasks take two rounds, and leave a thread without work in the second.
    expect_faster({pipeline, graph, recurrences(graph, 1, 3 * lanes)},
                  {pipeline, graph, recurrences(graph, 1, 4 * lanes)}, Term::Imbalance, kBusy);
    expect_faster({pipeline, graph, recurrences(graph, 1, 6 * lanes)},
                  {pipeline, graph, recurrences(graph, 1, 0)}, Term::Latency, kBusy);
}

TEST(Terms, LaunchTooMuchParallelism) {
    Var x("x"), y("y");
    const ImageParam in = input({1024, 1024}, "in");
    Func out("out");
    out(x, y) = in(x, y) * 0.5F;
    out.set_estimates({{0, 1024}, {0, 1024}});
    const Pipeline pipeline(out);
    const Graph graph(pipeline);
    const auto tasks = [&](int width, int height) {
        Schedule schedule = graph.plain();
        LoopNest& loops = nest(schedule, graph["out"]);
        const LoopRef columns = split(loops, 0, width, Tail::ShiftInwards);
        loops.vector = split(loops, 0, natural_lanes(), Tail::RoundUp);
        const LoopRef rows = split(loops, 1, height, Tail::ShiftInwards);
        loops.order = {*loops.vector, columns, rows, {0, 0}, {1, 0}};
        loops.parallel = {{0, 0}, {1, 0}};
        return schedule;
    };
    expect_faster({pipeline, graph, tasks(1024, 128)}, {pipeline, graph, tasks(64, 1)},
                  Term::Launch);
}

// What is computed in slabs, one after the other, starts its tasks in each of them.
TEST(Terms, LaunchInEachSlab) {
    Var x("x"), y("y"), z("z");
    const ImageParam in = input({128, 32, 64}, "in");
    Func before("before"), out("out");
    before(x, y, z) = in(x, y, z) * 0.5F;
    out(x, y, z) = before(x, 31 - y, z) + 1.0F;
    out.set_estimates({{0, 128}, {0, 32}, {0, 64}});
    const Pipeline pipeline(out);
    const Graph graph(pipeline);
    const auto in_tasks = [&](int loop) {
        Schedule schedule = graph.plain();
        for (const char* name : {"before", "out"}) {
            LoopNest& loops = nest(schedule, graph[name]);
            loops.vector = split(loops, 0, natural_lanes(), Tail::ShiftInwards);
            loops.order = {*loops.vector, {0, 0}, {1, 0}, {2, 0}};
            loops.parallel = {{loop, 0}};
        }
        schedule.functions[graph["before"]].compute =
            loop == 2 ? Level::root() : Level::at({graph["out"], 0, {2, 0}});
        return schedule;
    };
    expect_faster({pipeline, graph, in_tasks(2)}, {pipeline, graph, in_tasks(1)}, Term::Launch);
}

// Sums in registers, of one table for each of many: all of its 512 KiB for one after the other, or
// 16 KiB for all of them. Only loads, and cheap operations: of sums in memory, both took as long
// on a machine of CI's.
TEST(Terms, L2ATilePastTheFirstCache) {
    constexpr int kSums = 64;
    const int lanes = natural_lanes();
    const int width = 8 * lanes;
    const int row_bytes = width * static_cast<int>(sizeof(int));
    const int height = (512 << 10) / row_bytes;
    Var x("x"), y("y");
    const ImageParam seed = input({width, height}, "seed");
    Func table("table"), sums("sums"), out("out");
    RDom r(0, height, "r");
    table(x, y) = cast<int>(seed(x, y) * 97.0F);
    sums(x, y) = y;
    sums(x, y) += table(x, r);
    out(x, y) = sums(x, y);
    out.set_estimates({{0, width}, {0, kSums}});
    const Pipeline pipeline(out);
    const Graph graph(pipeline);
    const auto in_tiles = [&](int tile) {
        Schedule schedule = graph.plain();
        for (const char* name : {"table", "sums", "out"}) {
            const int f = graph[name];
            schedule.functions[f].compute = Level::root();
            LoopNest& loops = nest(schedule, f);
            loops.vector =
                split(loops, 0, lanes, f == graph["sums"] ? Tail::RoundUp : Tail::ShiftInwards);
        }
        LoopNest& loops = nest(schedule, graph["sums"], 1);
        const LoopRef columns = split(loops, 0, width, Tail::GuardWithIf);
        const LoopRef rows = split(loops, 2, tile, Tail::GuardWithIf);
        loops.vector = split(loops, 0, lanes, Tail::GuardWithIf);
        loops.unrolled = {columns};
        loops.order = {*loops.vector, columns, rows, {1, 0}, {2, 0}, {0, 0}};
        return schedule;
    };
    expect_faster({pipeline, graph, in_tiles((16 << 10) / row_bytes)},
                  {pipeline, graph, in_tiles(height)}, Term::L2);
}

// What is made and read again, by rows or as a whole picture of 64 MiB.
TEST(Terms, MemoryAndFreshPagesOfAWholePicture) {
    constexpr int kSize = 4096;
    Var x("x"), y("y");
    Func first("first"), out("out");
    first(x, y) = cast<float>(x * 3 + y);
    out(x, y) = cast<std::uint8_t>(first(x, y) + first(x + 1, y));
    out.set_estimates({{0, kSize}, {0, kSize}});
    const Pipeline pipeline(out);
    const Graph graph(pipeline);
    Schedule at_root = graph.plain();
    at_root.functions[graph["first"]].compute = Level::root();
    LoopNest& producer = nest(at_root, graph["first"]);
    producer.vector = split(producer, 0, natural_lanes(), Tail::RoundUp);
    LoopNest& consumer = nest(at_root, graph["out"]);
    consumer.vector = split(consumer, 0, natural_lanes(), Tail::ShiftInwards);
    Schedule in_rows = at_root;
    in_rows.functions[graph["first"]].compute = Level::at({graph["out"], 0, {1, 0}});
    expect_faster({pipeline, graph, in_rows}, {pipeline, graph, at_root}, Term::Allocation);
}

// Sums of columns, walking along rows or down columns, a page for each element.
TEST(Terms, PagesDownTheColumns) {
    constexpr int kSize = 2048;
    Var x("x");
    const ImageParam in = input({kSize, kSize}, "in");
    Func sums("sums"), out("out");
    RDom r(0, kSize, "r");
    sums(x) = 0.0F;
    sums(x) += in(x, r);
    out(x) = sums(x);
    out.set_estimates({{0, kSize}});
    const Pipeline pipeline(out);
    const Graph graph(pipeline);
    Schedule rows = graph.plain();
    rows.functions[graph["sums"]].compute = Level::root();
    nest(rows, graph["sums"], 1).order = {{0, 0}, {1, 0}};
    Schedule columns = rows;
    nest(columns, graph["sums"], 1).order = {{1, 0}, {0, 0}};
    expect_faster({pipeline, graph, rows}, {pipeline, graph, columns}, Term::Pages);
}

// 16 columns of 1,024 rows are read 32 times: 64 KiB that stay in the second cache, unless rows are
// a multiple of a page apart, where all of these lines want the same few sets.
TEST(Terms, L3RowsAMultipleOfAPageApart) {
    constexpr int kDepth = 1024, kTimes = 32;
    const auto product = [&](int width) {
        Var x("x"), y("y");
        const ImageParam rows = input({width, kDepth}, "rows");
        const ImageParam weights = input({kDepth, kTimes}, "weights");
        Func sums("sums"), out("out");
        RDom r(0, kDepth, "r");
        sums(x, y) = 0.0F;
        sums(x, y) += rows(x, r) * weights(r, y);
        out(x, y) = sums(x, y);
        out.set_estimates({{0, 4096}, {0, kTimes}});
        const Pipeline pipeline(out);
        const Graph graph(pipeline);
        Schedule schedule = graph.plain();
        LoopNest& loops = nest(schedule, graph["out"]);
        loops.vector = split(loops, 0, 16, Tail::ShiftInwards);
        loops.order = {*loops.vector, {1, 0}, {0, 0}};
        schedule.functions[graph["sums"]].compute = Level::at({graph["out"], 0, {1, 0}});
        LoopNest& update = nest(schedule, graph["sums"], 1);
        update.vector = split(update, 0, 16, Tail::GuardWithIf);
        update.order = {*update.vector, {2, 0}, {0, 0}, {1, 0}};
        return Entry(pipeline, graph, schedule);
    };
    expect_faster(product(4096 + 64), product(4096), Term::L3);
}

// A scan along rows, of vectors down the columns: each step changes one element of 32 rows, whose
// lines stay in the first cache from step to step, unless all of them want the same sets.
TEST(Terms, L2ScannedRowsAMultipleOfAPageApart) {
    constexpr int kRows = 512, kTogether = 32;
    const auto scan = [&](int width) {
        Var x("x"), y("y");
        const ImageParam in = input({width, kRows}, "in");
        Func sums("sums"), out("out");
        RDom r(1, width - 1, "r");
        sums(x, y) = in(x, y);
        sums(r, y) += 0.5F * sums(r - 1, y);
        out(x, y) = sums(x, y) + 1.0F;
        out.set_estimates({{0, width}, {0, kRows}});
        const Pipeline pipeline(out);
        const Graph graph(pipeline);
        Schedule schedule = graph.plain();
        LoopNest& loops = nest(schedule, graph["out"]);
        loops.vector = split(loops, 0, natural_lanes(), Tail::ShiftInwards);
        const LoopRef row = split(loops, 1, kTogether, Tail::ShiftInwards);
        loops.order = {*loops.vector, {0, 0}, row, {1, 0}};
        schedule.functions[graph["sums"]].compute = Level::at({graph["out"], 0, {1, 0}});
        LoopNest& before = nest(schedule, graph["sums"]);
        before.vector = split(before, 0, natural_lanes(), Tail::RoundUp);
        LoopNest& update = nest(schedule, graph["sums"], 1);
        const LoopRef rows = split(update, 0, kTogether, Tail::GuardWithIf);
        update.vector = split(update, 0, 8, Tail::GuardWithIf);
        update.unrolled = {rows};
        update.order = {*update.vector, rows, {1, 0}, {0, 0}};
        return Entry(pipeline, graph, schedule);
    };
    expect_faster(scan(2048 + 64), scan(2048), Term::L2);
}

TEST(Terms, ComputeGathersTakeLongerThanLoads) {
    constexpr int kSize = 1 << 18;
    constexpr int kTable = 1 << 14;
    Var x("x");
    const ImageParam table = input({kTable}, "table");
    const ImageParam row = input({kSize}, "row");
    const auto lookup = [&](bool gathers) {
        Func out("out");
        const Expr mixed = (x * 7919) & (kTable - 1);
        out(x) = gathers ? table(Halide::clamp(mixed, 0, kTable - 1)) : row(x) + cast<float>(mixed);
        out.set_estimates({{0, kSize}});
        return Pipeline(out);
    };
    const auto in_vectors = [&](const Pipeline& pipeline) {
        const Graph graph(pipeline);
        Schedule schedule = graph.plain();
        LoopNest& loops = nest(schedule, graph["out"]);
        loops.vector = split(loops, 0, natural_lanes(), Tail::ShiftInwards);
        return Entry(pipeline, graph, schedule);
    };
    expect_faster(in_vectors(lookup(false)), in_vectors(lookup(true)), Term::Compute);
}

// A place in a table that takes some arithmetic, in vectors that look their elements up one by one,
// and one by one as a whole.
TEST(Terms, ComputeOfPlacesInATable) {
    constexpr int kSize = 1 << 18;
    Var x("x");
    const ImageParam table = input({1024}, "table");
    const ImageParam in = input({kSize}, "in");
    Func out("out");
    Expr light = in(x);
    for (int i = 0; i < 4; i++) {
        light = light * (1.5F - 0.5F * light * light);
    }
    out(x) = table(Halide::clamp(cast<int>(light * 1024.0F), 0, 1023));
    out.set_estimates({{0, kSize}});
    const Pipeline pipeline(out);
    const Graph graph(pipeline);
    Schedule vectors = graph.plain();
    LoopNest& loops = nest(vectors, graph["out"]);
    loops.vector = split(loops, 0, natural_lanes(), Tail::ShiftInwards);
    expect_faster({pipeline, graph, vectors}, {pipeline, graph, graph.plain()}, Term::Compute);
}

// Zeros around a picture whose elements are each multiplied by a vector of weights, along channels:
// in memory, or by a choice for each element.
TEST(Terms, ComputeBordersOfSingleElements) {
    constexpr int kWidth = 256;
    constexpr int kBlock = 8;
    const int lanes = natural_lanes();
    const int vectors = 16 * lanes;
    Var k("k"), x("x"), y("y");
    const ImageParam in = input({16, kWidth, 32}, "in");
    const ImageParam weights = input({vectors, 16, 3}, "weights");
    Func picture("picture"), padded("padded"), sums("sums"), out("out");
    picture(k, x, y) = in(k, Halide::clamp(x, 0, kWidth - 1), y) + 1.0F;
    padded(k, x, y) = select(x < 0 || x >= kWidth, 0.0F, Halide::likely(picture(k, x, y)));
    RDom r(0, 16, 0, 3, "r");
    sums(k, x, y) = 0.0F;
    sums(k, x, y) += weights(k, r.x, r.y) * padded(r.x, x + r.y - 1, y);
    out(k, x, y) = sums(k, x, y) + 1.0F;
    out.set_estimates({{0, vectors}, {0, kWidth}, {0, 32}});
    const Pipeline pipeline(out);
    const Graph graph(pipeline);
    const auto with_borders = [&](bool stored) {
        Schedule schedule = graph.plain();
        LoopNest& loops = nest(schedule, graph["out"]);
        const LoopRef block = split(loops, 1, kBlock, Tail::ShiftInwards);
        loops.vector = split(loops, 0, lanes, Tail::ShiftInwards);
        loops.unrolled = {block};
        loops.order = {*loops.vector, block, {0, 0}, {1, 0}, {2, 0}};
        loops.partition = {{{1, 0}, PartitionPolicy::Never}};
        for (const char* name : {"picture", "padded"}) {
            if (stored || graph[name] == graph["picture"]) {
                LoopNest& mine = nest(schedule, graph[name]);
                mine.vector = split(mine, 0, natural_lanes(), Tail::RoundUp);
                schedule.functions[graph[name]].compute = Level::root();
            }
        }
        schedule.functions[graph["sums"]].compute = Level::at({graph["out"], 0, {0, 0}});
        for (const int stage : {0, 1}) {
            LoopNest& mine = nest(schedule, graph["sums"], stage);
            const Tail tail = stage == 0 ? Tail::RoundUp : Tail::GuardWithIf;
            const LoopRef pixel = split(mine, 1, kBlock, tail);
            mine.vector = split(mine, 0, lanes, tail);
            mine.unrolled = {pixel};
            mine.order = {*mine.vector, pixel};
            if (stage == 1) {
                const LoopRef channel{3, 0};
                const LoopRef tap{4, 0};
                mine.unrolled.push_back(tap);
                mine.order.insert(mine.order.end(), {tap, channel});
            }
            mine.order.insert(mine.order.end(), {{0, 0}, {1, 0}, {2, 0}});
        }
        return Entry(pipeline, graph, schedule);
    };
    expect_faster(with_borders(true), with_borders(false), Term::Compute);
}

// The quotient of a vector that begins at a multiple is one element, and of another one a gather.
TEST(Terms, ComputeQuotientsAreOneElementWhereVectorsBeginAtAMultiple) {
    constexpr int kBlock = 16;
    Var x("x"), y("y");
    const ImageParam in = input({1024 / kBlock + 8, 256}, "in");
    Func blocks("blocks"), out("out");
    Expr value = cast<float>(y);
    for (int i = 0; i < 4; i++) {
        value = value * 0.5F + in(x / kBlock + i, y);
    }
    blocks(x, y) = value;
    out(x, y) = blocks(x, y) + 1.0F;
    out.set_estimates({{0, 1024}, {0, 256}});
    const Pipeline pipeline(out);
    const auto aligned = [&](std::int64_t elements) {
        const Graph graph(pipeline);
        Schedule schedule = graph.plain();
        const int producer = graph["blocks"];
        schedule.functions[producer].compute = Level::root();
        if (elements > 1) {
            schedule.functions[producer].region_alignment = {{0, elements}};
        }
        for (const int f : {producer, graph["out"]}) {
            LoopNest& loops = nest(schedule, f);
            loops.vector = split(loops, 0, 16, f == producer ? Tail::RoundUp : Tail::ShiftInwards);
        }
        return Entry(pipeline, graph, schedule);
    };
    expect_faster(aligned(kBlock), aligned(1), Term::Compute);
}

// Twice as many points as there are to read, between which every second one lies. An output's case
// for where it begins at an even one knows which are which.
TEST(Terms, ComputeEvenAndOddPointsAreKnownWhereAnOutputBeginsAtAMultiple) {
    Var x("x"), y("y");
    const ImageParam in = input({520, 256}, "in");
    Func out("out");
    const Expr here = in(x / 2, y);
    const Expr next = in(x / 2 + 1, y);
    out(x, y) = select(x % 2 == 0, here, Halide::sqrt(here * next) / (here + next));
    out.set_estimates({{0, 1024}, {0, 256}});
    const Pipeline pipeline(out);
    const Graph graph(pipeline);
    const auto in_multiples_of = [&](std::int64_t multiple) {
        Schedule schedule = graph.plain();
        StageSchedule& stage = schedule.functions[graph["out"]].stages[0];
        Specialization large{{{0, 32, -1, {}, multiple}}, stage.nest, {}};
        large.nest.vector = split(large.nest, 0, 32, Tail::ShiftInwards);
        split(stage.nest, 0, 32, Tail::GuardWithIf);
        stage.specializations = {large};
        return Entry(pipeline, graph, schedule);
    };
    expect_faster(in_multiples_of(2), in_multiples_of(1), Term::Compute);
}

// A planar picture whose planes differ by a factor, in pieces of a row of a vector each. What the
// planes have in common is computed once where their loop is the innermost one: that over the
// vector of a row is none.
TEST(Terms, ComputeWhatPlanesShareOnceWhereTheirLoopIsInnermost) {
    const int lanes = natural_lanes();
    Var x("x"), y("y"), c("c");
    const ImageParam in = input({512, 64}, "in");
    Func planes("planes"), out("out");
    Expr value = in(x, y);
    for (int i = 0; i < 12; i++) {
        value = Halide::sqrt(value * in(x, y) + 0.5F);
    }
    planes(x, y, c) = value * (cast<float>(c) + 1.0F);
    out(x, y, c) = planes(x, y, c) + 1.0F;
    out.set_estimates({{0, 512}, {0, 64}, {0, 8}});
    const Pipeline pipeline(out);
    const Graph graph(pipeline);
    const auto with_innermost = [&](int dim) {
        Schedule schedule = graph.plain();
        LoopNest& consumer = nest(schedule, graph["out"]);
        consumer.vector = split(consumer, 0, lanes, Tail::ShiftInwards);
        const LoopRef rows = split(consumer, 1, 8, Tail::ShiftInwards);
        const LoopRef channels = split(consumer, 2, 8, Tail::ShiftInwards);
        consumer.order = {*consumer.vector, channels, rows, {0, 0}, {1, 0}, {2, 0}};
        schedule.functions[graph["planes"]].compute = Level::at({graph["out"], 0, {0, 0}});
        LoopNest& producer = nest(schedule, graph["planes"]);
        producer.vector = split(producer, 0, lanes, Tail::RoundUp);
        producer.order = {*producer.vector, {0, 0}, {dim, 0}, {3 - dim, 0}};
        return Entry(pipeline, graph, schedule);
    };
    expect_faster(with_innermost(2), with_innermost(1), Term::Compute);
}

// Sums of columns of a window that are next to each other, or whole vectors apart: the first lie in
// two cache lines each. Four vectors of sums side by side, so that none waits for the one before.
TEST(Terms, ComputeColumnsOfAWindowStraddleLines) {
    constexpr int kColumns = 32;
    constexpr int kWidth = 2048;
    constexpr int kSideBySide = 4;
    constexpr int kTogether = 8;
    const int lanes = natural_lanes();
    ImageParam in(Halide::Int(32), 1, "in");
    const int longest = 2 * kSideBySide * lanes;
    in.dim(0).set_estimate(0, kWidth + kColumns * longest);
    Buffer<int> values(kWidth + kColumns * longest);
    values.fill(3);
    in.set(values);
    const auto columns_apart = [&](int step) {
        Var x("x"), y("y");
        Func sums("sums"), out("out");
        RDom r(0, kColumns, "r");
        sums(x, y) = y;
        sums(x, y) += in(x + step * r.x);
        out(x, y) = cast<float>(sums(x, y));
        out.set_estimates({{0, kWidth}, {0, 64}});
        const Pipeline pipeline(out);
        const Graph graph(pipeline);
        Schedule schedule = graph.plain();
        LoopNest& consumer = nest(schedule, graph["out"]);
        const LoopRef block = side_by_side(consumer, kSideBySide, Tail::ShiftInwards);
        consumer.order.insert(consumer.order.end(), {block, {1, 0}});
        schedule.functions[graph["sums"]].compute = Level::at({graph["out"], 0, block});
        LoopNest& first = nest(schedule, graph["sums"]);
        const LoopRef all = side_by_side(first, kSideBySide, Tail::RoundUp);
        first.order.insert(first.order.end(), {all, {1, 0}});
        LoopNest& steps = nest(schedule, graph["sums"], 1);
        const LoopRef outer = side_by_side(steps, kSideBySide, Tail::GuardWithIf);
        const LoopRef together = split(steps, 2, kTogether, Tail::GuardWithIf);
        steps.unrolled.push_back(together);
        steps.order.insert(steps.order.end(), {together, {2, 0}, outer, {1, 0}});
        return Entry(pipeline, graph, schedule);
    };
    const bool half = lanes * sizeof(int) < 64;  // of the vectors lie in two lines, then
    expect_faster(columns_apart(longest), columns_apart(1), Term::Compute, half ? kBusy : 1);
}

// Square blocks of rows that become columns: of registers, where all rows are stored in one stretch
// of code, or of memory, element by element. Whole blocks of a size that is no power of two: rows
// 2 KiB apart compete for the sets of the first cache, in input and output, and hide the rest.
TEST(Terms, ComputeTranspositionsOfRegistersAndOfMemory) {
    constexpr int kSize = 336;
    const int lanes = natural_lanes();
    Var u("u"), v("v");
    const ImageParam in = input({kSize, kSize}, "in");
    Func rows("rows"), out("out");
    rows(u, v) = in(u, v) + 1.0F;
    out(u, v) = rows(v, u) * 2.0F;
    out.set_estimates({{0, kSize}, {0, kSize}});
    const Pipeline pipeline(out);
    const Graph graph(pipeline);
    const auto unrolled = [&](bool all) {
        Schedule schedule = graph.plain();
        LoopNest& blocks = nest(schedule, graph["out"]);
        const LoopRef columns = split(blocks, 1, lanes, Tail::ShiftInwards);
        blocks.vector = split(blocks, 0, lanes, Tail::ShiftInwards);
        blocks.unrolled = {columns};
        blocks.order = {*blocks.vector, columns, {0, 0}, {1, 0}};
        schedule.functions[graph["rows"]].compute = Level::at({graph["out"], 0, {0, 0}});
        LoopNest& made = nest(schedule, graph["rows"]);
        made.vector = split(made, 0, lanes, Tail::RoundUp);
        const LoopRef row = split(made, 1, lanes, Tail::RoundUp);
        if (all) {
            made.unrolled = {row};
        }
        return Entry(pipeline, graph, schedule);
    };
    expect_faster(unrolled(true), unrolled(false), Term::Compute, kBusy);
}

// Rows that slide in tiles begin with a window of 15 rows each.
TEST(Terms, ComputeTheWarmUpOfSlides) {
    Var x("x"), y("y");
    const ImageParam in = input({1024, 1024 + 16}, "in");
    Func first("first"), out("out");
    Expr value = in(x, y);
    for (int i = 0; i < 12; i++) {
        value = value * in(x, y) + 0.5F;
    }
    first(x, y) = value;
    Expr sum = first(x, y);
    for (int i = 1; i < 15; i++) {
        sum += first(x, y + i);
    }
    out(x, y) = sum;
    out.set_estimates({{0, 1024}, {0, 1024}});
    const Pipeline pipeline(out);
    const Graph graph(pipeline);
    const auto in_strips = [&](int height) {
        Schedule schedule = graph.plain();
        const int of = graph["out"];
        LoopNest& consumer = nest(schedule, of);
        consumer.vector = split(consumer, 0, natural_lanes(), Tail::ShiftInwards);
        const LoopRef rows = split(consumer, 1, height, Tail::ShiftInwards);
        consumer.order = {*consumer.vector, {0, 0}, rows, {1, 0}};
        FunctionSchedule& mine = schedule.functions[graph["first"]];
        mine.compute = Level::at({of, 0, rows});
        mine.store = Level::at({of, 0, {1, 0}});
        LoopNest& producer = nest(schedule, graph["first"]);
        producer.vector = split(producer, 0, natural_lanes(), Tail::RoundUp);
        return schedule;
    };
    expect_faster({pipeline, graph, in_strips(256)}, {pipeline, graph, in_strips(4)},
                  Term::Compute);
}

}  // namespace
}  // namespace nestor
