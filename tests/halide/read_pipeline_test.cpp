#include "halide/read_pipeline.h"
#include "halide/pipeline_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace nestor {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Float;
using Halide::Func;
using Halide::ImageParam;
using Halide::Int;
using Halide::Pipeline;
using Halide::RDom;
using Halide::Target;
using Halide::UInt;
using Halide::Var;

const Target kTarget("x86-64-linux-avx2");

PipelineDag read(const Pipeline& pipeline, const ReadOptions& options = {}) {
    Result<PipelineDag> dag = read_pipeline(pipeline, kTarget, options);
    EXPECT_TRUE(dag) << dag.error();
    return dag ? std::move(dag).value() : PipelineDag{};
}

std::string refusal(const Pipeline& pipeline, const Target& target = kTarget) {
    const Result<PipelineDag> dag = read_pipeline(pipeline, target);
    EXPECT_FALSE(dag);
    return dag ? "" : dag.error();
}

const Function& function(const PipelineDag& dag, const std::string& stem, int rank = 0) {
    const int index = dag.find({stem, rank});
    EXPECT_GE(index, 0) << stem;
    return dag.functions.at(std::max(index, 0));
}

struct Blur {
    ImageParam in{UInt(8), 2, "in"};
    Var x{"x"}, y{"y"};
    Func rows{"rows"}, out{"out"};

    Blur() {
        rows(x, y) = cast<std::uint16_t>(in(x - 1, y)) + in(x, y) + in(x + 1, y);
        out(x, y) = cast<std::uint8_t>((rows(x, y - 1) + rows(x, y) + rows(x, y + 1)) / 9);
    }

    void estimate(int width, int height) {
        out.set_estimate(x, 0, width).set_estimate(y, 0, height);
        in.dim(0).set_estimate(-1, width + 2);
        in.dim(1).set_estimate(-1, height + 2);
    }
};

TEST(ReadPipeline, FindsRegionsLoopsAndLoads) {
    Blur blur;
    blur.estimate(640, 480);
    const PipelineDag dag = read(blur.out);
    EXPECT_EQ(dag.name, "out");
    ASSERT_EQ(dag.functions.size(), 3U);
    const Function& rows = function(dag, "rows");
    EXPECT_EQ(rows.region, (std::vector<Range>{{0, 640}, {-1, 482}}));
    EXPECT_EQ(rows.types, (std::vector<ScalarType>{{TypeKind::UInt, 16}}));
    EXPECT_TRUE(rows.can_inline);
    EXPECT_TRUE(function(dag, "in_im").only_wraps_input);
    const Stage& stage = function(dag, "out").stages.front();
    ASSERT_EQ(stage.loads.size(), 3U);
    EXPECT_EQ(stage.loads[0].coords[1].rates, (std::vector<double>{0, 1}));
    EXPECT_EQ(stage.loads[0].coords[1].offset_min, -1);
    EXPECT_EQ(rows.consumers, (std::vector<int>{dag.find({"out", 0})}));
}

TEST(ReadPipeline, SeesThroughLetsSubsamplingAndClamps) {
    ImageParam in(Int(32), 2, "in");
    Var x("x"), y("y");
    Func f("f"), out("out");
    f(x, y) = in(x, Halide::clamp(y, 0, in.dim(1).extent() - 1)) * 2;
    Expr shared = Halide::clamp(x * 2 + 1, 0, Expr(0) + 100 - 1);
    out(x, y) = f(shared, y / 2) + f(shared, y / 2);
    out.set_estimate(x, 0, 50).set_estimate(y, 0, 40);
    in.dim(0).set_estimate(0, 100);
    in.dim(1).set_estimate(0, 20);
    const PipelineDag dag = read(out);
    const Load& load = function(dag, "out").stages[0].loads.at(0);
    EXPECT_TRUE(load.coords[0].affine);
    EXPECT_TRUE(load.coords[0].clamped);
    EXPECT_TRUE(load.coords[0].constant_end);
    const Load& of_input = function(dag, "f").stages[0].loads.at(0);
    EXPECT_TRUE(of_input.coords[1].clamped);
    EXPECT_FALSE(of_input.coords[1].constant_end) << "the input's own end";
    EXPECT_EQ(load.coords[0].rates, (std::vector<double>{2, 0}));
    EXPECT_EQ(load.coords[1].rates, (std::vector<double>{0, 0.5}));
}

TEST(ReadPipeline, KnowsHowQuotientsAndRemaindersMove) {
    ImageParam in(Int(32), 2, "in"), table(Int(32), 2, "table");
    Var x("x"), y("y");
    RDom r(0, 8, "r");
    Func out("out"), wrapped("wrapped");
    wrapped(x, y) = in(x / 8, y);
    out(x, y) +=
        table(x % 8, y) * in((x / 8) * 8 + r, y / 2) + in((x + 1) / 8, y) + wrapped(x, (x + r) / 4);
    out.set_estimates({{0, 64}, {0, 32}});
    in.set_estimates({{0, 64}, {0, 32}});
    table.set_estimates({{0, 8}, {0, 32}});
    const PipelineDag dag = read(out);
    const std::vector<Load>& loads = function(dag, "out").stages[1].loads;
    const auto along_x = [&](int load, int dim) {
        return loads.at(load).coords[dim].steps_along(0);
    };
    EXPECT_EQ(along_x(0, 0), (Steps{8, 1}));
    EXPECT_TRUE(loads[0].coords[0].changes_with(0));
    EXPECT_EQ(along_x(1, 0), (Steps{8, 0}));
    EXPECT_EQ(loads[1].coords[0].steps_along(2), Steps{}) << "r is added as it is";
    EXPECT_EQ(along_x(1, 1), Steps{});
    EXPECT_EQ(loads[1].coords[1].steps_along(1), (Steps{2, 0}));
    EXPECT_EQ(along_x(2, 0), (Steps{1, 0})) << "blocks that begin one point before a multiple";
    EXPECT_EQ(along_x(3, 1), (Steps{1, 0}));
    EXPECT_EQ(function(dag, "wrapped").stages[0].loads[0].coords[0].steps_along(0), (Steps{8, 0}));
}

TEST(ReadPipeline, KnowsWithWhichLoopsADataDependentPlaceDoesNotChange) {
    ImageParam in(Float(32), 3, "in"), place(Halide::UInt(8), 2, "place");
    Var x("x"), y("y"), c("c");
    Func f("f"), out("out");
    f(c, x, y) = in(x, y, c) * 2;
    out(x, y, c) = f(c, cast<int>(place(x, y)), y);
    in.set_estimates({{0, 256}, {0, 40}, {0, 3}});
    place.set_estimates({{0, 50}, {0, 40}});
    out.set_estimates({{0, 50}, {0, 40}, {0, 3}});
    const PipelineDag dag = read(out);
    const std::vector<Load>& loads = function(dag, "out").stages[0].loads;
    const auto load = std::ranges::find_if(loads, [](const Load& each) {
        return each.source == Source::Function && each.coords.size() == 3;
    });
    ASSERT_NE(load, loads.end());
    const Coordinate& by_data = load->coords[1];
    ASSERT_FALSE(by_data.affine);
    EXPECT_TRUE(by_data.changes_with(0));
    EXPECT_TRUE(by_data.changes_with(1));
    EXPECT_FALSE(by_data.changes_with(2)) << "all channels are at one place";
    EXPECT_TRUE(load->coords[0].changes_with(2));
    EXPECT_FALSE(load->coords[0].changes_with(0));
}

// As a general resampling has it: places that have to be rounded as written.
TEST(ReadPipeline, SeesThroughStrictFloats) {
    ImageParam in(Float(32), 2, "in");
    Halide::Param<float> scale("scale");
    Var x("x"), y("y");
    Func widened("widened"), out("out");
    widened(x, y) = in(x, y) * 2;
    const Expr place = Halide::strict_float((x + 0.5f) * Halide::strict_float(1.0f / scale) - 0.5f);
    const Expr first = cast<int>(Halide::strict_float(Halide::ceil(place)));
    out(x, y) = widened(Halide::clamp(first, 0, in.dim(0).max()), y);
    scale.set_estimate(4.0f);
    in.set_estimates({{0, 160}, {0, 100}});
    out.set_estimates({{0, 400}, {0, 100}});
    const PipelineDag dag = read(Pipeline(out));
    const Function& producer = function(dag, "widened");
    EXPECT_EQ(producer.region, (std::vector<Range>{{0, 101}, {0, 100}})) << "a quarter of out's";
    const Coordinate& coordinate = function(dag, "out").stages[0].loads[0].coords[0];
    EXPECT_TRUE(coordinate.affine);
    EXPECT_EQ(coordinate.rates, (std::vector<double>{0.25, 0}));
}

TEST(ReadPipeline, KnowsWhichElementOfATupleALoadServes) {
    const Var x("x");
    Func a("a"), b("b"), pair("pair"), out("out");
    a(x) = x;
    b(x) = x + 1;
    pair(x) = Halide::Tuple(a(x), a(x + 1) + b(x));
    out(x) = pair(x)[0];
    out.set_estimates({{0, 10}});
    const PipelineDag dag = read(out);
    for (const Load& load : function(dag, "pair").stages[0].loads) {
        const bool is_a = load.index == dag.find({"a", 0});
        EXPECT_EQ(load.serves, (is_a ? std::vector<int>{0, 1} : std::vector<int>{1}));
    }
    EXPECT_TRUE(function(dag, "out").stages[0].loads.at(0).serves.empty());
}

TEST(ReadPipeline, ReadsUpdatesWithTheirProofs) {
    ImageParam in(UInt(8), 2, "in");
    Var x("x");
    Func hist("hist"), scan("scan"), out("out");
    RDom r(0, 64, 0, 32, "r");
    hist(x) = 0;
    hist(cast<int>(in(r.x, r.y))) += 1;
    RDom s(1, 255, "s");
    scan(x) = hist(x);
    scan(s) = scan(s - 1) + hist(s);
    out(x) = scan(x);
    out.set_estimate(x, 0, 256);
    in.dim(0).set_estimate(0, 64);
    in.dim(1).set_estimate(0, 32);
    const PipelineDag dag = read(out);
    const Stage& scatter = function(dag, "hist").stages.at(1);
    ASSERT_EQ(scatter.loops.size(), 2U);  // none over x, which the update does not use
    EXPECT_EQ(scatter.loops[0].label, "r_x");
    EXPECT_EQ(scatter.loops[0].kind, LoopKind::Reduction);
    EXPECT_TRUE(scatter.loops[0].constant_extent);
    EXPECT_TRUE(scatter.associative);
    EXPECT_TRUE(scatter.reads_itself);
    const Stage& steps = function(dag, "scan").stages.at(1);
    EXPECT_FALSE(steps.associative);
    EXPECT_NE(print(dag).find("hist(int32(in_im(r_x, r_y))) += 1"), std::string::npos)
        << print(dag);
}

TEST(ReadPipeline, KnowsRaceFreeReductions) {
    Var x("x");
    Func f("f");
    RDom r(0, 10, "r");
    f(x) = x;
    f(2 * r) = f(2 * r) + f(2 * r + 1);
    f.set_estimate(x, 0, 20);
    EXPECT_EQ(function(read(f), "f").stages.at(1).loops.at(0).kind, LoopKind::RaceFree);
}

TEST(ReadPipeline, DomainsMayDependOnParameters) {
    ImageParam in(Float(32), 1, "in");
    Halide::Param<int> length("length");
    Var x("x");
    Func f("f");
    RDom r(0, length, "r");
    f(x) = 0.0f;
    f(x) += in(x + r);
    f.set_estimate(x, 0, 100);
    in.dim(0).set_estimate(0, 200);
    length.set_estimate(7);
    const Loop& loop = function(read(f), "f").stages.at(1).loops.at(1);
    EXPECT_EQ(loop.range.extent, 7);
    EXPECT_FALSE(loop.constant_extent);
}

TEST(ReadPipeline, ListsAllMissingEstimatesWithTheLinesToAdd) {
    Blur blur;
    const std::string message = refusal(blur.out);
    for (const char* line : {"out.set_estimate(x, 0, 1024);", "out.set_estimate(y, 0, 1024);",
                             "in.dim(0).set_estimate(0, 1024);", "in.dim(1).set_estimate(0, 1024);",
                             "autoscheduler.default_extent=N"}) {
        EXPECT_NE(message.find(line), std::string::npos) << line << " is not in:\n" << message;
    }
}

TEST(ReadPipeline, DefaultExtentFillsInEstimates) {
    Blur blur;
    const PipelineDag dag = read(blur.out, {500});
    EXPECT_EQ(function(dag, "out").region, (std::vector<Range>{{0, 500}, {0, 500}}));
}

TEST(ReadPipeline, AScalarNeedsAnEstimateOnlyWhereItShapesTheLoops) {
    Var x("x");
    Halide::Param<float> gain("gain");
    Func plain("plain");
    plain(x) = cast<float>(x) * gain;
    plain.set_estimate(x, 0, 10);
    EXPECT_TRUE(read_pipeline(plain, kTarget));
    Halide::Param<int> offset("offset");
    ImageParam in(Float(32), 1, "in");
    in.dim(0).set_estimate(0, 100);
    Func shifted("shifted");
    shifted(x) = in(x + offset);
    shifted.set_estimate(x, 0, 10);
    EXPECT_NE(refusal(shifted).find("offset.set_estimate(1);"), std::string::npos);
}

TEST(ReadPipeline, RefusesGpuTargetsClearly) {
    Blur blur;
    blur.estimate(64, 64);
    const std::string message = refusal(blur.out, Target("x86-64-linux-cuda"));
    EXPECT_NE(message.find("GPU"), std::string::npos) << message;
}

TEST(ReadPipeline, PinsWhatTheUserScheduled) {
    Blur blur;
    blur.estimate(64, 64);
    blur.rows.compute_at(blur.out, blur.y);
    const PipelineDag dag = read(blur.out);
    ASSERT_TRUE(function(dag, "rows").pinned);
    EXPECT_NE(function(dag, "rows").pinned->find("compute level"), std::string::npos);
    ASSERT_TRUE(function(dag, "out").pinned);
    EXPECT_NE(function(dag, "out").pinned->find("rows"), std::string::npos);
    EXPECT_FALSE(function(dag, "in_im").pinned);
}

struct PinCase {
    const char* name;
    void (*schedule)(Blur&);
};

class Pinning : public ::testing::TestWithParam<PinCase> {};

TEST(ReadPipeline, KnowsAtWhoseLoopTheUserComputesAFunction) {
    const Var x("x"), y("y");
    Func a("a"), b("b"), c("c"), out("out");
    a(x, y) = x + y;
    b(x, y) = a(x, y) * 2;
    c(x, y) = b(x, y) + b(x, y + 1);
    out(x, y) = c(x, y) + a(x, y);
    b.compute_at(out, y);
    a.compute_root();
    out.set_estimates({{0, 10}, {0, 10}});
    const PipelineDag dag = read(out);
    EXPECT_EQ(function(dag, "b").pinned_inside, dag.find({"out", 0}));
    EXPECT_EQ(function(dag, "a").pinned_inside, -1);
    EXPECT_EQ(function(dag, "c").pinned_inside, -1);
}

TEST_P(Pinning, AnyDirectivePins) {
    Blur blur;
    blur.estimate(64, 64);
    EXPECT_FALSE(function(read(blur.out), "rows").pinned);
    GetParam().schedule(blur);
    EXPECT_TRUE(function(read(blur.out), "rows").pinned);
}

INSTANTIATE_TEST_SUITE_P(
    Directives, Pinning,
    ::testing::Values(PinCase{"root", [](Blur& b) { b.rows.compute_root(); }},
                      PinCase{"vectorize", [](Blur& b) { b.rows.vectorize(b.x); }},
                      PinCase{"reorder", [](Blur& b) { b.rows.reorder(b.y, b.x); }},
                      PinCase{"split",
                              [](Blur& b) {
                                  Var xi;
                                  b.rows.split(b.x, b.x, xi, 8);
                              }},
                      PinCase{"storage", [](Blur& b) { b.rows.reorder_storage(b.y, b.x); }},
                      PinCase{"memory", [](Blur& b) { b.rows.store_in(Halide::MemoryType::Heap); }},
                      PinCase{"specialize", [](Blur& b) { b.rows.specialize(b.in.width() > 10); }},
                      PinCase{"memoize", [](Blur& b) { b.rows.memoize(); }},
                      PinCase{"hexagon", [](Blur& b) { b.rows.hexagon(); }}),
    [](const auto& info) { return info.param.name; });

TEST(AlgorithmHash, IgnoresNamesAndSizesButNotTheAlgorithm) {
    Blur first, second, other;
    first.estimate(640, 480);
    second.estimate(64, 48);
    other.out(other.x, other.y) += cast<std::uint8_t>(1);
    other.estimate(640, 480);
    EXPECT_NE(first.rows.name(), second.rows.name());
    EXPECT_EQ(read(first.out).algorithm_hash, read(second.out).algorithm_hash);
    EXPECT_NE(read(first.out).algorithm_hash, read(other.out).algorithm_hash);
}

TEST(ReadPipeline, ChangesNothing) {
    Blur blur;
    blur.estimate(64, 64);
    Halide::LoopLevel level;
    blur.rows.compute_at(level);
    level.set(Halide::LoopLevel(blur.out, blur.y));
    EXPECT_TRUE(function(read(blur.out), "rows").pinned);
    level.set(Halide::LoopLevel::root());  // still unlocked
}

TEST(Operations, AreCountedByTypeAndNotInAddresses) {
    ImageParam in(UInt(8), 2, "in");
    Var x("x"), y("y");
    Func out("out");
    const Expr wide = cast<std::uint16_t>(in(x * 3 + 1, y)) * 5 + 7;
    const Expr real = cast<float>(wide) * 0.5f + 1.0f;
    out(x, y) = select(real > 3.0f, Halide::sqrt(real), Halide::exp(real)) / real;
    out.set_estimates({{0, 64}, {0, 64}});
    in.set_estimates({{0, 256}, {0, 64}});
    const OpCounts ops = function(read(out), "out").stages[0].ops;
    const auto count = [&](Arithmetic operation, ElementType type) {
        return ops.of(operation, type);
    };
    using enum Arithmetic;
    EXPECT_EQ(count(Multiply, ElementType::Int16), 1);
    EXPECT_EQ(count(Add, ElementType::Int16), 1);
    EXPECT_EQ(ops.of(Multiply), 1) << "the product of floats is added at once, x * 3 an address";
    EXPECT_EQ(count(MultiplyAdd, ElementType::Float32), 1);
    EXPECT_EQ(count(Widen, ElementType::Int16), 1);
    EXPECT_EQ(count(Select, ElementType::Float32), 1);
    EXPECT_EQ(count(SquareRoot, ElementType::Float32), 1);
    EXPECT_EQ(count(Exponential, ElementType::Float32), 1);
    EXPECT_EQ(count(Divide, ElementType::Float32), 1);
    EXPECT_EQ(ops.load, 1);
    EXPECT_EQ(ops.of(std::nullopt), 0);
}

TEST(Operations, AreCountedInPlacesThatTheDataTell) {
    ImageParam in(Float(32), 2, "in"), table(UInt(8), 1, "table");
    Var x("x"), y("y");
    Func out("out");
    const Expr tone = cast<int>(Halide::sqrt(in(x + 1, y)) * 255.0f);
    out(x, y) = table(Halide::clamp(tone, 0, 255));
    out.set_estimates({{0, 64}, {0, 64}});
    in.set_estimates({{0, 65}, {0, 64}});
    table.set_estimates({{0, 256}});
    const OpCounts ops = function(read(out), "out").stages[0].ops;
    using enum Arithmetic;
    EXPECT_EQ(ops.of(SquareRoot, ElementType::Float32), 1);
    EXPECT_EQ(ops.of(Multiply, ElementType::Float32), 1);
    EXPECT_EQ(ops.of(Minimum, ElementType::Int32), 2);
    EXPECT_EQ(ops.of(Add), 0) << "x + 1 is an address";
    EXPECT_EQ(ops.load, 2);
}

TEST(Operations, OfATupleAreKnownWithCommonPartsOnce) {
    ImageParam in(Float(32), 2, "in");
    Var x("x"), y("y");
    const auto update_of = [&](const Expr& first, const Expr& second) {
        Func sums("sums"), out("out");
        sums(x, y) = Halide::Tuple(0.0f, 0.0f);
        sums(x, y) = Halide::Tuple(sums(x, y)[0] + first, sums(x, y)[1] + second);
        out(x, y) = sums(x, y)[0] / sums(x, y)[1];
        out.set_estimates({{0, 64}, {0, 64}});
        in.set_estimates({{0, 65}, {0, 64}});
        return function(read(out), "sums").stages[1];
    };
    const auto weight = [&] { return Halide::exp(in(x, y) - in(x + 1, y)); };
    const Stage common = update_of(weight() * in(x, y), weight());
    EXPECT_EQ(common.ops.of(Arithmetic::Exponential), 2);
    ASSERT_TRUE(common.merged_ops);
    EXPECT_EQ(common.merged_ops->of(Arithmetic::Exponential), 1);
    EXPECT_EQ(common.merged_ops->load, common.ops.load);
    EXPECT_FALSE(update_of(Halide::exp(in(x, y)), Halide::sqrt(in(x, y))).merged_ops);
}

TEST(Operations, AreNotCountedAtMirroredBorders) {
    ImageParam in(Float(32), 2, "in");
    Var x("x"), y("y");
    const Func mirrored = Halide::BoundaryConditions::mirror_image(in, {{0, 64}, {0, 64}});
    Func out("out");
    out(x, y) = mirrored(x, y) + mirrored(x + 1, y);
    out.set_estimates({{0, 64}, {0, 64}});
    in.set_estimates({{0, 64}, {0, 64}});
    const PipelineDag dag = read(out);
    for (const Function& f : dag.functions) {
        EXPECT_EQ(f.stages[0].ops.of(Arithmetic::Add), f.is_output ? 1 : 0) << f.halide_name;
        EXPECT_EQ(f.stages[0].ops.of(Arithmetic::Shift), 0) << f.halide_name;
        EXPECT_EQ(f.stages[0].ops.of(Arithmetic::Minimum), 0) << f.halide_name;
    }
}

// The comparisons of a border change with one coordinate each, what is chosen with all.
TEST(Operations, OfBordersAreCountedApart) {
    Var x("x"), y("y");
    ImageParam in(Float(32), 2, "in");
    Func picture("picture"), padded("padded"), out("out");
    picture(x, y) = in(x, y) + 1.0F;
    padded(x, y) = Halide::BoundaryConditions::constant_exterior(picture, 0.0F,
                                                                 {{Expr(), Expr()}, {0, 50}})(x, y);
    out(x, y) = padded(x, y - 1);
    out.set_estimates({{0, 40}, {0, 50}});
    in.set_estimates({{0, 40}, {0, 50}});
    double comparisons = 0;
    double choices = 0;
    for (const Function& f : read(out).functions) {
        EXPECT_EQ(f.stages[0].ops.of(Arithmetic::Select), 0) << f.halide_name;
        for (const BorderOp& each : f.stages[0].border_ops) {
            EXPECT_EQ(each.op.operation, Arithmetic::Select);
            EXPECT_EQ(each.condition, loop_set(1));
            EXPECT_EQ(contains(each.op.loops, 0), each.is_choice);
            EXPECT_TRUE(contains(each.op.loops, 1));
            EXPECT_EQ(each.op.type, each.is_choice ? ElementType::Float32 : ElementType::Int32);
            (each.is_choice ? choices : comparisons) += each.op.count;
        }
    }
    EXPECT_EQ(comparisons, 2 * 0.5);
    EXPECT_EQ(choices, 0.5);
}

/// The update sums(x) += product(in(r, x), weights(r)), of such types.
std::optional<NarrowProduct> product_of(
    const Halide::Type& in_type, const Halide::Type& weights_type,
    const std::function<Expr(const Expr& value, const Expr& weight)>& product) {
    ImageParam in(in_type, 2, "in");
    ImageParam weights(weights_type, 1, "weights");
    const Var x("x");
    const RDom r(0, 64, "r");
    Func sums("sums");
    const Expr summed = product(in(r, x), weights(r));
    sums(x) = cast(summed.type(), 0);
    sums(x) += summed;
    sums.set_estimate(x, 0, 100);
    in.dim(0).set_estimate(0, 64);
    in.dim(1).set_estimate(0, 100);
    weights.dim(0).set_estimate(0, 64);
    return function(read(Pipeline(sums)), "sums").stages[1].product;
}

TEST(NarrowProducts, AreOfFactorsThatFitDotProducts) {
    const auto widened = [](const Expr& a, const Expr& b) {
        return cast<std::int32_t>(a) * cast<std::int32_t>(b);
    };
    const auto mixed = product_of(UInt(8), Int(8), widened);
    ASSERT_TRUE(mixed);
    EXPECT_EQ(mixed->a, (ScalarType{TypeKind::UInt, 8}));
    EXPECT_EQ(mixed->b, (ScalarType{TypeKind::Int, 8}));
    EXPECT_EQ(mixed->ops.arithmetic(), 0);
    ASSERT_TRUE(product_of(Int(16), Int(8), widened));
    EXPECT_EQ(product_of(Int(16), Int(8), widened)->a, (ScalarType{TypeKind::Int, 16}));
    EXPECT_TRUE(product_of(UInt(8), Int(8), [](const Expr& a, const Expr& b) {
        return Halide::widening_mul(cast<std::int16_t>(a), cast<std::int16_t>(b));
    }));
    EXPECT_TRUE(product_of(UInt(8), UInt(8), [](const Expr& a, const Expr& b) {
        return cast<std::uint32_t>(cast<std::uint16_t>(a) * cast<std::uint16_t>(b));
    }));
    const auto offset = product_of(UInt(8), Int(8), [](const Expr& a, const Expr& b) {
        return cast<std::int32_t>(cast<std::int16_t>(a) - 3) * b;
    });
    ASSERT_TRUE(offset);
    EXPECT_EQ(offset->a, (ScalarType{TypeKind::Int, 16}));
    EXPECT_GT(offset->ops.arithmetic(), 0);
}

TEST(NarrowProducts, LoseNothing) {
    const auto widened = [](const Expr& a, const Expr& b) {
        return cast<std::int32_t>(a) * cast<std::int32_t>(b);
    };
    EXPECT_FALSE(product_of(UInt(16), Int(16), widened)) << "no signed 16 bits";
    EXPECT_FALSE(product_of(Int(32), Int(8), widened));
    EXPECT_FALSE(product_of(UInt(8), UInt(8), [](const Expr& a, const Expr& b) {
        return cast<std::int32_t>(cast<std::int16_t>(a) * cast<std::int16_t>(b));
    })) << "255 * 255 has 16 bits without a sign";
    EXPECT_FALSE(product_of(UInt(8), UInt(8), [](const Expr& a, const Expr& b) {
        return cast<std::int32_t>(a * b);
    })) << "bytes that wrap";
    EXPECT_FALSE(product_of(UInt(8), UInt(8), [](const Expr& a, const Expr& b) {
        return cast<std::uint16_t>(a) * cast<std::uint16_t>(b);
    })) << "sums of 16 bits";
}

TEST(Selectors, AreWhatIsTheSameForAllPoints) {
    ImageParam in(UInt(8), 2, "in");
    ImageParam modes(UInt(8), 1, "modes");
    Halide::Param<bool> flag("flag");
    Halide::Param<int> kind("kind");
    Var x("x"), y("y");
    Func by_mode("by_mode"), by_flag("by_flag"), by_kind("by_kind"), by_pixel("by_pixel");
    const Expr value = cast<std::uint16_t>(in(x, y));
    by_mode(x, y) = Halide::mux(cast<int>(modes(3)), {value, value * value + 1, value * 3 + 5});
    by_flag(x, y) = select(flag, by_mode(x, y) / 7 * 5 + 3, by_mode(x, y));
    by_kind(x, y) = select(kind == 4, by_flag(x, y) * 2, 9 == kind, by_flag(x, y) * 3 + 1,
                           by_flag(x, y) / (by_flag(x, y) + 1));
    by_pixel(x, y) = select(in(x, y) == 4, by_kind(x, y) * 7, by_kind(x, y));
    by_pixel.set_estimates({{0, 64}, {0, 64}});
    in.set_estimates({{0, 64}, {0, 64}});
    modes.set_estimates({{0, 8}});
    const PipelineDag dag = read(by_pixel);
    const auto selector = [&](const char* name) { return function(dag, name).stages[0].selector; };

    ASSERT_TRUE(selector("by_mode"));
    EXPECT_EQ(dag.functions[selector("by_mode")->function].id.stem, "modes_im");
    EXPECT_EQ(selector("by_mode")->at, std::vector<std::int64_t>{3});
    EXPECT_EQ(selector("by_mode")->type, (ScalarType{TypeKind::UInt, 8}));
    EXPECT_EQ(selector("by_mode")->values, (std::vector<std::int64_t>{0, 1}))
        << "anything else is the last arm";
    const OpCounts mode = selector("by_mode")->ops;
    EXPECT_FLOAT_EQ(mode.of(Arithmetic::Multiply), 2.0F / 3) << "one in two of three arms";
    EXPECT_FLOAT_EQ(mode.of(Arithmetic::Select), 0);

    ASSERT_TRUE(selector("by_flag"));
    EXPECT_EQ(dag.scalars[selector("by_flag")->scalar].name, "flag");
    EXPECT_TRUE(selector("by_flag")->type.is_boolean());
    EXPECT_EQ(selector("by_flag")->values, std::vector<std::int64_t>{1});

    ASSERT_TRUE(selector("by_kind"));
    EXPECT_EQ(selector("by_kind")->values, (std::vector<std::int64_t>{4, 9}));
    EXPECT_FLOAT_EQ(selector("by_kind")->ops.of(Arithmetic::Divide), 1.0F / 3);

    EXPECT_FALSE(selector("by_pixel")) << "each pixel has its own";
}

// A program of operations, of which each step carries out one.
TEST(Phases, AreStepsOfReductionsToo) {
    ImageParam in(Float(32), 2, "in");
    ImageParam program(Int(32), 1, "program");
    Var x("x"), y("y");
    RDom r(0, 3, 0, program.dim(0).extent());
    r.where(r.x == program(r.y));
    Func result("result"), out("out");
    result(x, y) = in(x, y);
    result(x, y) =
        Halide::mux(r.x, {result(x, y) + 1, result(x, y) / in(x, y), sqrt(result(x, y))});
    out(x, y) = result(x, y);
    in.set_estimates({{0, 64}, {0, 64}});
    program.set_estimates({{0, 8}});
    out.set_estimates({{0, 64}, {0, 64}});
    const PipelineDag dag = read(Pipeline(out));
    const Stage& update = function(dag, "result").stages[1];
    const auto steps = std::ranges::find_if(
        update.loops, [](const Loop& loop) { return loop.is_reduction() && loop.constant_extent; });
    ASSERT_NE(steps, update.loops.end());
    const auto loop = static_cast<int>(steps - update.loops.begin());
    EXPECT_EQ(update.phases, (std::vector<Phase>{{loop, 3, true}}));
    EXPECT_FLOAT_EQ(ops_in(update, 0).of(Arithmetic::Divide), 1);
    EXPECT_FLOAT_EQ(ops_in(update, 1).of(Arithmetic::Divide), 1.0F / 3);
}

TEST(Predicates, LeaveAShareOfTheirDomain) {
    ImageParam in(Float(32), 2, "in");
    ImageParam program(Int(32), 1, "program");
    const Var x("x");
    const auto share = [&](const std::function<void(RDom&)>& restrict) {
        RDom r(0, 4, 0, in.height());
        restrict(r);
        Func sums("sums");
        sums(x) = 0.0F;
        sums(x) += in(x, r.y) * cast<float>(r.x);
        in.set_estimates({{0, 64}, {0, 100}});
        program.set_estimates({{0, 100}});
        sums.set_estimates({{0, 64}});
        const PipelineDag dag = read(Pipeline(sums));
        return function(dag, "sums").stages[1].predicate_share;
    };
    EXPECT_EQ(share([](RDom&) {}), 1);
    EXPECT_NEAR(share([&](RDom& r) { r.where(r.y < x); }), 0.32, 0.03) << "a triangle";
    EXPECT_NEAR(share([&](RDom& r) { r.where(r.y < in.height() / 4); }), 0.25, 0.01);
    EXPECT_EQ(share([&](RDom& r) { r.where(r.x == program(r.y)); }), 0.25) << "one step of four";
    EXPECT_EQ(share([&](RDom& r) { r.where(program(r.y) != r.x); }), 0.75);
    EXPECT_EQ(share([&](RDom& r) { r.where(in(r.x, r.y) > 0); }), 1) << "nobody knows";
    EXPECT_NEAR(share([&](RDom& r) {
                    r.where(r.y < 50);
                    r.where(r.x == program(r.y));
                }),
                0.125, 0.005);
    EXPECT_GT(share([](RDom& r) { r.where(r.y < 0); }), 0) << "not nothing";
}

// Nine directions, as lattices have, or 3 x 3 weights.
TEST(Phases, AreOfSixteenPointsAtMost) {
    ImageParam in(Float(32), 2, "in");
    Var x("x"), y("y"), c("c");
    const auto phases = [&](int directions) {
        std::vector<Halide::Expr> of_direction;
        for (int i = 0; i < directions; i++) {
            of_direction.push_back(in(x + i, y) * (1.0f + static_cast<float>(i)));
        }
        Func out("out");
        out(x, y, c) = Halide::mux(c, of_direction);
        in.set_estimates({{0, 80}, {0, 64}});
        out.set_estimates({{0, 64}, {0, 64}, {0, directions}});
        return function(read(out), "out").stages[0].phases;
    };
    EXPECT_EQ(phases(9), (std::vector<Phase>{{2, 9, true}}));
    EXPECT_EQ(phases(16), (std::vector<Phase>{{2, 16, true}}));
    EXPECT_TRUE(phases(17).empty());
}

TEST(Phases, HaveInCommonWhatDoesNotChangeFromPointToPoint) {
    ImageParam in(Float(32), 3, "in");
    Var x("x"), y("y"), c("c");
    const Expr grey = sqrt(in(x, y, 0) * in(x, y, 1));
    Func out("out");
    out(x, y, c) = Halide::mux(c, {in(x, y, 0) - grey, in(x, y, 1) - grey, grey / in(x, y, 2)});
    in.set_estimates({{0, 64}, {0, 64}, {0, 3}});
    out.set_estimates({{0, 64}, {0, 64}, {0, 3}});
    out.output_buffer().dim(2).set_bounds(0, 3);
    const PipelineDag dag = read(out);
    const Stage& stage = function(dag, "out").stages[0];
    ASSERT_EQ(stage.phase_ops.size(), 1U);
    ASSERT_EQ(stage.merged_phase_ops.size(), 1U);
    EXPECT_FLOAT_EQ(stage.phase_ops[0].of(Arithmetic::SquareRoot), 1);
    EXPECT_FLOAT_EQ(stage.merged_phase_ops[0].of(Arithmetic::SquareRoot), 1.0F / 3);
    EXPECT_FLOAT_EQ(stage.merged_phase_ops[0].of(Arithmetic::Add), 2.0F / 3);
    EXPECT_FLOAT_EQ(stage.merged_phase_ops[0].of(Arithmetic::Divide), 1.0F / 3);
    EXPECT_EQ(stage.merged_phase_ops[0].load, stage.phase_ops[0].load);
}

TEST(Phases, AreWhereDefinitionsRepeat) {
    ImageParam in(Float(32), 2, "in");
    Var x("x"), y("y"), c("c");
    Func halves("halves"), thirds("thirds"), squares("squares"), channels("channels"), out("out");
    halves(x, y) = in(x / 2, y) + in((x + 1) / 2, y);
    thirds(x, y) = select((2 * x + y) % 6 == 0, in(x, y) * 3.0f, in(x, y) + 1.0f);
    squares(x, y) = in(cast<int>(in(x, y)) % 8, y % 16) + in(x * 8 / 8, y);
    channels(x, y, c) = select(c == 0, in(x, y) / in(x + 1, y), c == 1, sqrt(in(x, y)), in(x, y));
    out(x, y, c) = halves(x, y) + thirds(x, y) + squares(x, y) + channels(x, y, c);
    in.set_estimates({{0, 65}, {0, 64}});
    out.set_estimates({{0, 64}, {0, 64}, {0, 30}});
    const auto phases = [&](const char* stem) {
        return function(read(out), stem).stages[0].phases;
    };
    EXPECT_EQ(phases("halves"), (std::vector<Phase>{{0, 2, false}}));
    EXPECT_EQ(phases("thirds"), (std::vector<Phase>{{0, 3, false}, {1, 6, false}}));
    EXPECT_TRUE(phases("squares").empty()) << "by a value; too long; none";
    EXPECT_TRUE(phases("channels").empty()) << "there may be more channels";
    EXPECT_TRUE(phases("out").empty());
    out.set_estimate(c, 0, 3);
    EXPECT_EQ(phases("channels"), (std::vector<Phase>{{2, 3, true}})) << "there probably are not";

    out.output_buffer().dim(2).set_bounds(0, 3);
    EXPECT_EQ(phases("channels"), (std::vector<Phase>{{2, 3, true}}));
    const PipelineDag dag = read(out);
    const Stage& stage = function(dag, "channels").stages[0];
    ASSERT_EQ(stage.phase_ops.size(), 1U);
    EXPECT_FLOAT_EQ(ops_in(stage, 0).of(Arithmetic::Divide), 1);
    EXPECT_FLOAT_EQ(ops_in(stage, 1).of(Arithmetic::Divide), 1.0F / 3);
    EXPECT_FLOAT_EQ(ops_in(stage, 1).of(Arithmetic::SquareRoot), 1.0F / 3);
    EXPECT_FLOAT_EQ(ops_in(stage, 1).of(Arithmetic::Select), 0);
    // Of two phases, either alone or both.
    const Stage& two = function(dag, "thirds").stages[0];
    ASSERT_EQ(two.phase_ops.size(), 3U);
    const auto products = [&](unsigned known) {
        return ops_in(two, known).of(Arithmetic::Multiply, ElementType::Float32);
    };
    EXPECT_FLOAT_EQ(products(0), 1);
    EXPECT_FLOAT_EQ(products(1), 1) << "y decides, too";
    EXPECT_FLOAT_EQ(products(3), 1.0F / 6);
    EXPECT_FLOAT_EQ(ops_in(two, 3).of(Arithmetic::Select), 0);
}

TEST(Strides, AreThoseOfTheConstraints) {
    ImageParam in(UInt(8), 3, "in");
    Var c("c"), x("x"), y("y");
    Func out("out");
    Func below("below");
    below(c, x, y) = in(c, x, y);
    out(c, x, y) = below(c, x, y) + below(2 - c, x + 1, y);
    out.output_buffer().dim(0).set_bounds(0, 3);
    in.dim(0).set_stride(1);
    in.dim(1).set_stride(3);
    out.output_buffer().dim(1).set_stride(4);
    in.set_estimates({{0, 3}, {0, 65}, {0, 64}});
    out.set_estimates({{0, 3}, {0, 64}, {0, 64}});
    const PipelineDag dag = read(out);
    EXPECT_EQ(dag.inputs[0].strides, (std::vector<std::int64_t>{1, 3, 0}));
    EXPECT_EQ(function(dag, "out").strides, (std::vector<std::int64_t>{1, 4, 0}));
    EXPECT_EQ(function(dag, "out").constant, (std::vector<bool>{true, false, false}));
    EXPECT_EQ(function(dag, "below").constant, (std::vector<bool>{true, false, false}));
}

TEST(Layouts, ArePlanarOrInterleavedWhereNothingConstrains) {
    ImageParam in(UInt(8), 3, "in"), table(Float(32), 2, "table");
    Var c("c"), x("x"), y("y");
    Func out("out");
    out(x, y, c) = in(x, y, c) + table(c, 0);
    in.set_estimates({{0, 64}, {0, 64}, {0, 3}});
    table.set_estimates({{0, 3}, {0, 2}});
    out.set_estimates({{0, 64}, {0, 64}, {0, 3}});
    EXPECT_TRUE(read(out).layouts.empty()) << "Halide's default is a dense dimension 0";
    in.dim(0).set_stride(Expr());
    out.output_buffer().dim(0).set_stride(Expr());
    const PipelineDag dag = read(out);
    const int buffer = dag.outputs[0];
    ASSERT_EQ(dag.layouts.size(), 2U);
    EXPECT_EQ(dag.layouts[0], (std::vector<BufferStride>{{Source::Input, 0, 0, 1},
                                                         {Source::Function, buffer, 0, 1}}));
    EXPECT_EQ(dag.layouts[1], (std::vector<BufferStride>{{Source::Input, 0, 0, 3},
                                                         {Source::Input, 0, 2, 1},
                                                         {Source::Function, buffer, 0, 3},
                                                         {Source::Function, buffer, 2, 1}}));
    EXPECT_EQ(dag.inputs[0].strides[0], 1) << "estimates are of the first";
}

TEST(Layouts, HaveTheFewChannelsOfAPixelSideBySide) {
    ImageParam in(UInt(8), 3, "in");
    Var c("c"), x("x"), y("y");
    Func out("out");
    out(c, x, y) = in(c, x, y) + in(c, x + 1, y);
    in.set_estimates({{0, 4}, {0, 65}, {0, 64}});
    out.set_estimates({{0, 4}, {0, 64}, {0, 64}});
    PipelineDag dag = read(out);
    ASSERT_EQ(dag.layouts.size(), 1U);
    EXPECT_EQ(dag.layouts[0],
              (std::vector<BufferStride>{{Source::Input, 0, 1, 4},
                                         {Source::Function, dag.outputs[0], 1, 4}}));
    in.dim(1).set_stride(5);
    dag = read(out);
    ASSERT_EQ(dag.layouts.size(), 1U);
    EXPECT_EQ(dag.layouts[0],
              (std::vector<BufferStride>{{Source::Function, dag.outputs[0], 1, 4}}));
}

TEST(Layouts, AreNotOfWeightsInGroups) {
    ImageParam in(UInt(8), 2, "in"), weights(Int(8), 3, "weights");
    Var x("x"), y("y");
    RDom r(0, 64, "r");
    Func sum("sum");
    sum(x, y) += cast<int>(in(r, y)) * cast<int>(weights(r % 4, x, r / 4));
    in.set_estimates({{0, 64}, {0, 100}});
    weights.set_estimates({{0, 4}, {0, 100}, {0, 16}});
    sum.set_estimates({{0, 100}, {0, 100}});
    EXPECT_TRUE(read(sum).layouts.empty());
}

// Halide's own format forgets the constraints, and a new parameter is dense.
TEST(PipelineFile, KeepsWhatIsNotConstrained) {
    ImageParam in(UInt(8), 2, "in");
    Var x("x"), y("y");
    Func out("out");
    out(x, y) = in(x, y) + 1;
    in.dim(0).set_stride(Expr());
    in.set_estimates({{0, 64}, {0, 64}});
    out.set_estimates({{0, 64}, {0, 64}});
    const std::string file = ::testing::TempDir() + "strides.hlpipe";
    ASSERT_TRUE(save_pipeline(Pipeline(out), file));
    const Result<LoadedPipeline> loaded = load_pipeline(file);
    ASSERT_TRUE(loaded) << loaded.error();
    const Result<PipelineDag> dag =
        read_pipeline(loaded.value().pipeline, Halide::get_host_target());
    ASSERT_TRUE(dag) << dag.error();
    EXPECT_EQ(dag.value().layouts, read(out).layouts);
    EXPECT_EQ(dag.value().layouts.size(), 1U);
}

TEST(Assumptions, AreSmallRangesOfOutputsThatNothingConstrains) {
    ImageParam in(UInt(8), 3, "in");
    Var c("c"), x("x"), y("y");
    Func out("out"), gray("gray"), shifted("shifted");
    shifted(x, y, c) = in(x, y, c) + in(x + 1, y, c);
    gray(x, y) = shifted(x, y, 0) + shifted(x, y, 1);
    out(x, y, c) = shifted(x, y, c) - gray(x, y);
    in.set_estimates({{0, 65}, {0, 64}, {0, 3}});
    out.set_estimates({{0, 64}, {0, 64}, {0, 3}});
    PipelineDag dag = read(out);
    ASSERT_EQ(dag.assumptions.size(), 1U);
    EXPECT_EQ(dag.assumptions[0].dim, 2);
    EXPECT_EQ(dag.assumptions[0].range, (Range{0, 3}));
    for (const char* name : {"out", "shifted"}) {
        EXPECT_EQ(function(dag, name).constant, (std::vector<bool>{false, false, true}));
        EXPECT_EQ(function(dag, name).assumed, (std::vector<bool>{false, false, true}));
    }
    out.output_buffer().dim(2).set_bounds(0, 3);
    dag = read(out);
    EXPECT_TRUE(dag.assumptions.empty());
    EXPECT_EQ(function(dag, "shifted").constant, (std::vector<bool>{false, false, true}));
    EXPECT_EQ(function(dag, "shifted").assumed, (std::vector<bool>{false, false, false}));
}

TEST(Operations, OfSaturatingCastsAreOfTheWiderType) {
    using enum Arithmetic;
    const auto ops_of = [](const Halide::Type& from) {
        ImageParam in(from, 1, "in");
        Var x("x");
        Func out("out");
        out(x) = Halide::saturating_cast<std::uint8_t>(in(x));
        out.set_estimates({{0, 64}});
        in.set_estimates({{0, 64}});
        return function(read(out), "out").stages[0].ops;
    };
    const OpCounts of_floats = ops_of(Float(32));
    EXPECT_EQ(of_floats.of(Minimum, ElementType::Float32), 2);
    EXPECT_EQ(of_floats.of(Widen, ElementType::Float32), 2) << "to integers, and to narrow ones";
    EXPECT_EQ(of_floats.of(Minimum, ElementType::Int8), 0);
    const OpCounts of_words = ops_of(Int(16));
    EXPECT_EQ(of_words.of(Minimum, ElementType::Int16), 1);
    EXPECT_EQ(of_words.of(Widen, ElementType::Int16), 1);
}

// The place where an update adds is the one where it finds what it adds to.
TEST(Operations, PlacesOfUpdatesAreFoundOnce) {
    ImageParam in(Halide::UInt(8), 1, "in");
    Var i("i");
    RDom r(0, 64, "r");
    const auto stage_of = [&](const Expr& place, const Expr& added_to) {
        Func out("out");
        out(i) = Halide::cast<std::uint32_t>(0);
        out(place) = out(added_to) + 1;
        out.set_estimates({{0, 256}});
        in.set_estimates({{0, 64}});
        return function(read(out), "out").stages[1];
    };
    const Expr place = cast<int>(in(r));
    const Stage same = stage_of(place, place);
    EXPECT_EQ(same.ops.of(Arithmetic::Widen, ElementType::Int32), 1);
    EXPECT_EQ(same.ops.load, 2);
    const Stage another = stage_of(place, cast<int>(in(r)) + 1);
    EXPECT_EQ(another.ops.of(Arithmetic::Widen, ElementType::Int32), 2);
}

TEST(Operations, FunctionsWithoutVectorsAreCalls) {
    Var x("x");
    Func out("out");
    out(x) = Halide::sin(cast<float>(x)) + cast<float>(x % 7) + cast<float>(x / 8);
    out.set_estimates({{0, 64}});
    const OpCounts ops = function(read(out), "out").stages[0].ops;
    EXPECT_EQ(ops.of(std::nullopt), 1);
    EXPECT_EQ(ops.of(Arithmetic::Shift, ElementType::Int32), 5) << "x / 8, and x % 7";
    EXPECT_EQ(ops.of(Arithmetic::Multiply, ElementType::Int32), 3) << "x % 7";
    EXPECT_EQ(ops.of(Arithmetic::Divide), 0);
}

TEST(ReadPipeline, ProductsOfNarrowFactorsAreNarrow) {
    ImageParam bytes(UInt(8), 1, "bytes"), words(UInt(16), 1, "words");
    Var x("x");
    const auto products = [&](const Expr& value, ElementType type) {
        Func out("out");
        out(x) = value;
        out.set_estimate(x, 0, 100);
        bytes.dim(0).set_estimate(0, 101);
        words.dim(0).set_estimate(0, 101);
        return function(read(out), "out").stages[0].ops.of(Arithmetic::Multiply, type);
    };
    const Expr byte = cast<int>(bytes(x));
    const Expr word = cast<int>(words(x));
    const Expr difference = byte - cast<int>(bytes(x + 1));
    EXPECT_EQ(products(difference * byte, ElementType::Int16), 1);
    EXPECT_EQ(products(difference * byte, ElementType::Int32), 0);
    EXPECT_EQ(products(byte * 300, ElementType::Int16), 1);
    EXPECT_EQ(products(word * byte, ElementType::Int32), 1) << "beyond 32767";
}

TEST(Operations, AreCountedByTheLoopsThatTheyChangeWith) {
    Var x("x"), y("y");
    ImageParam input(Float(32), 2, "input");
    Func out("out"), sum("sum"), even("even");
    Halide::RDom r(0, 5);
    out(x, y) = input(x, y) * Halide::exp(cast<float>(y)) + Halide::sqrt(input(0, 0));
    sum(x, y) = 0.0f;
    sum(x, y) += input(x + r, y) * Halide::exp(cast<float>(r));
    even(x, y) = Halide::select(x % 2 == 0, Halide::exp(cast<float>(y)), input(x, y));
    for (Func f : {out, sum, even}) {
        f.set_estimates({{0, 64}, {0, 64}});
    }
    input.set_estimates({{0, 72}, {0, 64}});
    const PipelineDag dag = read(Pipeline({out, sum, even}));
    const auto loops = [&](const OpCounts& ops, Arithmetic operation) {
        std::vector<LoopSet> found;
        for (const OpCount& each : ops.counts) {
            if (each.operation == operation) {
                found.push_back(each.loops);
            }
        }
        return found;
    };
    using Sets = std::vector<LoopSet>;
    const OpCounts& pure = function(dag, "out").stages[0].ops;
    EXPECT_EQ(loops(pure, Arithmetic::Exponential), Sets{0b10}) << "rows";
    EXPECT_EQ(loops(pure, Arithmetic::SquareRoot), Sets{0}) << "once";
    EXPECT_EQ(loops(pure, Arithmetic::MultiplyAdd), Sets{0b11});
    const OpCounts& update = function(dag, "sum").stages[1].ops;
    EXPECT_EQ(loops(update, Arithmetic::Exponential), Sets{0b100}) << "the reduction";
    EXPECT_EQ(loops(update, Arithmetic::MultiplyAdd), Sets{0b111});
    const Stage& phased = function(dag, "even").stages[0];
    EXPECT_EQ(loops(phased.ops, Arithmetic::Exponential), Sets{0b10});
    ASSERT_EQ(phased.phase_ops.size(), 1U);
    EXPECT_EQ(loops(phased.phase_ops[0], Arithmetic::Exponential), Sets{0b11})
        << "others at each point, though none of them mentions x";
}

TEST(Stores, SayWhereAnUpdateWrites) {
    ImageParam in(UInt(8), 1, "in");
    Var x("x"), y("y");
    RDom r(0, 100, "r");
    Func hist("hist"), out("out");
    hist(x, y) = 0;
    hist(cast<int>(in(r)), y) += 1;
    out(x, y) = hist(x, y);
    out.set_estimates({{0, 256}, {0, 8}});
    in.set_estimates({{0, 100}});
    const PipelineDag dag = read(out);
    const Stage& update = function(dag, "hist").stages[1];
    ASSERT_EQ(update.stores.size(), 2U);
    EXPECT_FALSE(update.stores[0].affine);
    EXPECT_TRUE(update.stores[1].affine);
    EXPECT_EQ(update.own_loads.size(), 1U);
    EXPECT_TRUE(update.reads_itself);
    EXPECT_EQ(function(dag, "hist").stages[0].stores[1].rates, (std::vector<double>{0, 1}));
}

TEST(DenseDimension, IsTheOneOfStrideOne) {
    ImageParam in(UInt(8), 3, "in");
    Var x("x"), y("y"), c("c");
    Func out("out");
    out(x, y, c) = in(x, y, c);
    in.dim(0).set_stride(3);
    in.dim(2).set_stride(1);
    out.output_buffer().dim(0).set_stride(3);
    out.output_buffer().dim(2).set_stride(1);
    out.set_estimates({{0, 64}, {0, 64}, {0, 3}});
    in.set_estimates({{0, 64}, {0, 64}, {0, 3}});
    const PipelineDag dag = read(out);
    EXPECT_EQ(dag.inputs[0].dense_dim, 2);
    EXPECT_EQ(function(dag, "out").dense_dim, 2);
}

}  // namespace
}  // namespace nestor
