#include "halide/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "halide/apply.h"

namespace nestor {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::ImageParam;
using Halide::Pipeline;
using Halide::TailStrategy;
using Halide::Target;
using Halide::Var;

const Target kTarget("x86-64-linux-avx2-fma");

Verifier verifier(const Pipeline& pipeline) {
    Result<Verifier> made = Verifier::create(pipeline, kTarget);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error());
    if (!made.ok()) {
        // There is none without a baseline: one of a pipeline that certainly has.
        Func f;
        f(Var("x")) = 0;
        return std::move(Verifier::create(f, kTarget)).value();
    }
    return std::move(made).value();
}

/** The error of verifying a copy that `schedule` scheduled; it gets the functions by Halide's name.
 * `observed`: see Verifier::verify(). */
using Functions = std::map<std::string, Func>;
std::string verify(const Pipeline& pipeline, const std::function<void(Functions&)>& schedule,
                   Observed* observed = nullptr) {
    const Verifier check = verifier(pipeline);
    const Pipeline copy = deep_copy(pipeline);
    std::vector<Halide::Internal::Function> outputs;
    for (const Func& output : copy.outputs()) {
        outputs.push_back(output.function());
    }
    Functions functions;
    for (const auto& [name, function] : Halide::Internal::build_environment(outputs)) {
        functions[name.substr(0, name.find('$'))] = Func(function);
    }
    schedule(functions);
    const Status status = check.verify(copy, observed);
    return status.ok() ? "" : status.error();
}

std::int64_t integer(const Expr& e) {
    Interpreter interpreter;
    const Value value = interpreter.evaluate(e);
    EXPECT_NE(as_integer(value), nullptr) << e;
    return as_integer(value) != nullptr ? *as_integer(value) : -999999;
}

bool mentions(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

#define EXPECT_MENTIONS(text, part) EXPECT_PRED2(mentions, text, part)

/** A stencil of a stencil, over an input of a float. */
struct Corners {
    Var x{"x"}, y{"y"};
    ImageParam input{Halide::Float(32), 2, "input"};
    Func gray{"gray"}, ix{"ix"}, out{"out"};

    Corners() {
        gray(x, y) = input(x, y) * 0.5f;
        ix(x, y) = gray(x - 1, y - 1) - gray(x + 1, y + 1);
        out(x, y) = ix(x, y - 1) * ix(x, y + 1);
        out.set_estimates({{0, 640}, {0, 480}});
        input.set_estimates({{-1, 642}, {-2, 484}});
    }
};

// ---- Regions and checks
// -------------------------------------------------------------------------------

TEST(Verify, TheUnscheduledPipelinePasses) {
    EXPECT_EQ(verify(Pipeline(Corners().out), [](Functions&) {}), "");
    EXPECT_GE(verifier(Pipeline(Corners().out)).calls(), 10U);
    EXPECT_TRUE(verifier(Pipeline(Corners().out)).notes().empty());
}

TEST(Verify, SafeSchedulesPass) {
    const Corners corners;
    const Var xi("xi"), yi("yi");
    EXPECT_EQ(verify(Pipeline(corners.out),
                     [](Functions& f) {
                         f["gray"].compute_root();
                         f["ix"].compute_root();
                     }),
              "");
    EXPECT_EQ(verify(Pipeline(corners.out),
                     [&](Functions& f) {
                         f["out"].split(corners.y, corners.y, yi, 16, TailStrategy::GuardWithIf);
                         f["out"]
                             .split(corners.x, corners.x, xi, 8, TailStrategy::GuardWithIf)
                             .vectorize(xi);
                         f["out"].parallel(corners.y);
                         f["gray"].compute_at(f["out"], corners.y);
                         f["ix"].store_at(f["out"], corners.y).compute_at(f["out"], yi);
                     }),
              "");
}

// Design, section 5 (a): the window of `ix` slides along the rows of strips, so that its warm-up
// starts earlier by more than the window needs, and `gray`, which does not slide, reads the input
// for all of that.
TEST(Verify, OverReadByTheWarmUpOfASlidingWindowIsFound) {
    const Corners corners;
    const Var yi("yi");
    const std::string slid = verify(Pipeline(corners.out), [&](Functions& f) {
        f["out"].split(corners.y, corners.y, yi, 8, TailStrategy::GuardWithIf);
        f["ix"].store_root().compute_at(f["out"], yi);
        f["gray"].compute_at(f["out"], yi);
    });
    EXPECT_MENTIONS(slid, "input in dimension 1 is required at ");
    EXPECT_MENTIONS(slid, "at the estimates");
    EXPECT_EQ(verify(Pipeline(corners.out),
                     [&](Functions& f) {
                         f["out"].split(corners.y, corners.y, yi, 8, TailStrategy::GuardWithIf);
                         f["ix"].store_root().compute_at(f["out"], yi);
                         f["gray"].compute_root();
                     }),
              "");
}

// Design, section 5 (e).
TEST(Verify, OutputSmallerThanATileThatShiftsInwardsIsFound) {
    const Corners corners;
    const Var xi("xi");
    const std::string shifted = verify(Pipeline(corners.out), [&](Functions& f) {
        f["out"].split(corners.x, corners.x, xi, 8, TailStrategy::ShiftInwards);
    });
    EXPECT_MENTIONS(shifted, "at 1 in all dimensions");
    EXPECT_MENTIONS(shifted, "the unscheduled pipeline requires it at");
    EXPECT_EQ(verify(Pipeline(corners.out),
                     [&](Functions& f) {
                         f["out"]
                             .specialize(f["out"].output_buffer().dim(0).extent() >= 8)
                             .split(corners.x, corners.x, xi, 8, TailStrategy::ShiftInwards);
                     }),
              "");
}

TEST(Verify, RoundingUpReadsBeyondTheInput) {
    const Corners corners;
    const Var xi("xi");
    const std::string rounded = verify(Pipeline(corners.out), [&](Functions& f) {
        f["gray"].compute_root().split(corners.x, corners.x, xi, 16, TailStrategy::RoundUp);
    });
    EXPECT_MENTIONS(rounded, "input in dimension 0 is required at -1..");
    // Behind a producer with storage of its own, rounding up is harmless.
    EXPECT_EQ(verify(Pipeline(corners.out),
                     [&](Functions& f) {
                         f["gray"].compute_root();
                         f["ix"].compute_root().split(corners.x, corners.x, xi, 16,
                                                      TailStrategy::ShiftInwards);
                         f["gray"].split(corners.x, corners.x, xi, 16, TailStrategy::GuardWithIf);
                     }),
              "");
}

TEST(Verify, MultiplesAtTheEstimatesDoNotHideOddSizes) {
    const Corners corners;  // 640 is a multiple of 16
    const Var xi("xi");
    const std::string rounded = verify(Pipeline(corners.out), [&](Functions& f) {
        f["out"].split(corners.x, corners.x, xi, 16, TailStrategy::RoundUp);
    });
    EXPECT_MENTIONS(rounded, "input in dimension 0 is required at");
    EXPECT_FALSE(mentions(rounded, "at the estimates (")) << rounded;
}

TEST(Verify, WhatDoesNotLowerIsAnError) {
    const Corners corners;
    const std::string error = verify(Pipeline(corners.out), [&](Functions& f) {
        f["gray"].compute_at(f["ix"], corners.x);  // ix is inlined
    });
    EXPECT_MENTIONS(error, "lowering failed");
}

// Found by the fuzzer as a crash (seed 5000328, a random schedule).
TEST(Verify, VectorsOfASingleElementAreFound) {
    Var x("x"), y("y"), xi("xi"), xii("xii");
    ImageParam input(Halide::Int(16), 2, "input");
    Func inner("inner"), middle("middle"), out("out");
    inner(x, y) = Halide::cast<std::int64_t>(input(x, y));
    middle(x, y) = inner(x, y) / 3;
    out(x, y) = middle(x, y) + 1;
    out.set_estimates({{0, 64}, {0, 48}});
    input.set_estimates({{0, 64}, {0, 48}});
    const auto within = [&](const Var& inner, const Var& outer) {
        return verify(out, [&](Functions& f) {
            f.at("out").reorder(inner, outer);
            f.at("middle").compute_at(f.at("out"), y);
            f.at("middle").split(x, x, xi, 16, TailStrategy::GuardWithIf);
            f.at("middle").split(xi, xi, xii, 8).vectorize(xii);
            f.at("inner").compute_at(f.at("middle"), x);
        });
    };
    EXPECT_MENTIONS(within(y, x), "middle is a single element that is used as a vector");
    EXPECT_EQ(within(x, y), "") << "of a row";
}

// The fuzzer's seeds 8000069 and 8000105.
TEST(Verify, VectorsThatBeginBeforeTheirMemoryAreRefused) {
    ImageParam input(Halide::Float(32), 1, "input");
    Var x("x");
    Func row("row"), backwards("backwards"), out("out");
    row(x) = input(x);
    backwards(x) = row(229 - x);
    out(x) = backwards(x) + 1.0f;
    out.output_buffer().dim(0).set_bounds(0, 230);
    out.set_estimate(x, 0, 230);
    input.dim(0).set_estimate(0, 230);
    const auto in_vectors = [&](int lanes) {
        return verify(out, [&](Functions& f) {
            f.at("row").compute_root();
            f.at("backwards").compute_root().vectorize(x, lanes, TailStrategy::GuardWithIf);
        });
    };
    EXPECT_MENTIONS(in_vectors(16), "row is read backwards in a vector that begins before it");
    EXPECT_EQ(in_vectors(10), "") << "230 are whole vectors";
}

TEST(Verify, ChecksAreLoweredForTargetsWithoutThem) {
    const Corners corners;
    const Target target =
        kTarget.with_feature(Target::NoAsserts).with_feature(Target::NoBoundsQuery);
    const auto check = Verifier::create(Pipeline(corners.out), target);
    ASSERT_TRUE(check.ok()) << check.error();
    const Pipeline copy = deep_copy(Pipeline(corners.out));
    Func(copy.outputs()[0]).vectorize(corners.x, 8, TailStrategy::ShiftInwards);
    EXPECT_FALSE(check.value().verify(copy).ok());
}

// Slides in steps of four rows, the last of which is shifted; 0: not folded by the schedule.
std::string verify_slides(const Corners& corners, int gray, int ix, Observed& observed) {
    return verify(
        Pipeline(corners.out),
        [&](Functions& f) {
            const Var yi("yi");
            f["out"]
                .specialize(f["out"].output_buffer().dim(1).extent() >= 4)
                .split(corners.y, corners.y, yi, 4, TailStrategy::ShiftInwards)
                .reorder(corners.x, yi, corners.y);
            f["gray"].compute_at(f["out"], corners.y).store_root();
            f["ix"].compute_at(f["out"], corners.y).store_root();
            if (gray > 0) {
                f["gray"].fold_storage(f["gray"].args()[1], gray);
            }
            if (ix > 0) {
                f["ix"].fold_storage(f["ix"].args()[1], ix);
            }
        },
        &observed);
}

std::int64_t rows_of(const Corners& corners, const Func& f, const Observed& observed) {
    const auto found = observed.allocated.find(f.name());
    EXPECT_NE(found, observed.allocated.end()) << f.name();
    const std::int64_t width = f.name() == corners.gray.name() ? 642 : 640;
    return found == observed.allocated.end() ? 0 : found->second / (width * 4);
}

TEST(Verify, TellsWhichStorageIsFolded) {
    const Corners corners;
    Observed observed;
    EXPECT_EQ(verify_slides(corners, 0, 0, observed), "");
    EXPECT_GE(rows_of(corners, corners.gray, observed), 480) << "Halide has begun to fold it";
    EXPECT_EQ(verify_slides(corners, 16, 16, observed), "");
    EXPECT_EQ(rows_of(corners, corners.gray, observed), 16);
    EXPECT_EQ(rows_of(corners, corners.ix, observed), 16);
}

TEST(Verify, FoldsThatAreTooShortAreRefused) {
    const Corners corners;
    Observed observed;
    EXPECT_EQ(verify_slides(corners, 8, 6, observed), "") << "what a step of four rows needs";
    EXPECT_MENTIONS(verify_slides(corners, 8, 5, observed), "fold");
    EXPECT_MENTIONS(verify_slides(corners, 7, 6, observed), "fold");
}

// A row of 64 pixels in vectors of eight, computed in the rows of its reader: three of them for
// each, or half of one.
std::string verify_rows(const Func& last, bool slides, Observed& observed) {
    return verify(
        Pipeline(last),
        [&](Functions& f) {
            Func producer = f["first"], reader = f["last"];
            const Var yi("yi");
            reader.split(reader.args()[1], reader.args()[1], yi, 20).vectorize(reader.args()[0], 8);
            producer.compute_at(reader, yi).vectorize(producer.args()[0], 8);
            if (slides) {
                producer.store_at(reader, reader.args()[1]);
            }
        },
        &observed);
}

TEST(Verify, TellsHowOftenLoopsRun) {
    const Var x("x"), y("y");
    const auto runs = [&](bool halves, bool slides) {
        ImageParam input(Halide::Float(32), 2, "input");
        Func first("first"), last("last");
        first(x, y) = Halide::sqrt(input(x, y));
        last(x, y) = halves ? first(x, y / 2) : first(x, y) + first(x, y + 1) + first(x, y + 2);
        last.bound(x, 0, 64).bound(y, 0, 40);
        last.set_estimates({{0, 64}, {0, 40}});
        input.set_estimates({{0, 64}, {0, 42}});
        Observed observed;
        EXPECT_EQ(verify_rows(last, slides, observed), "");
        EXPECT_NEAR(observed.runs[last.name() + ".s0"], 8 * 40, 8 * 2);
        return observed.runs[first.name() + ".s0"];
    };
    EXPECT_EQ(runs(false, false), 8 * 40 * 3);
    EXPECT_NEAR(runs(false, true), 8 * 2 * 22, 8 * 2) << "twice with two rows more to begin with";
    EXPECT_EQ(runs(true, false), 8 * 40);
    EXPECT_NEAR(runs(true, true), 8 * 40, 8 * 2) << "Halide does not slide by half a row";
}

// Where a guard ends the loop, Halide keeps track of the window in memory when it runs.
TEST(Verify, WindowsAreFollowedFromIterationToIteration) {
    const Corners corners;
    const auto guarded = [&](int rows) {
        return verify(Pipeline(corners.out), [&](Functions& f) {
            const Var yi("yi"), yii("yii");
            f["out"].split(corners.y, corners.y, yi, 4, TailStrategy::GuardWithIf);
            f["out"].reorder(corners.x, yi, corners.y);
            f["gray"].compute_at(f["out"], corners.y).store_root();
            f["gray"].fold_storage(f["gray"].args()[1], rows);
        });
    };
    EXPECT_EQ(guarded(8), "");
    EXPECT_MENTIONS(guarded(4), "fold");
}

TEST(Verify, WorksForTargetsThatAreNotThisMachine) {
    const Corners corners;
    for (const char* name :
         {"arm-64-linux", "arm-64-android-sve2-vector_bits_128",
          "x86-64-windows-avx512-avx512_skylake", "wasm-32-wasmrt-wasm_simd128"}) {
        const auto check = Verifier::create(Pipeline(corners.out), Target(name));
        ASSERT_TRUE(check.ok()) << name << ": " << check.error();
        EXPECT_TRUE(check.value().verify(deep_copy(Pipeline(corners.out))).ok()) << name;
    }
}

// ---- Kinds of pipelines
// -------------------------------------------------------------------------------

TEST(Verify, BoundaryConditionsDependOnTheSizeOfTheInput) {
    const Var x("x"), y("y"), xi("xi");
    ImageParam input(Halide::UInt(8), 2, "input");
    const Func padded = Halide::BoundaryConditions::repeat_edge(input);
    Func out("out");
    out(x, y) = padded(x - 1, y) + padded(x + 1, y);
    out.set_estimates({{0, 640}, {0, 480}});
    input.set_estimates({{0, 640}, {0, 480}});
    EXPECT_EQ(verify(Pipeline(out), [](Functions& f) { f["repeat_edge"].compute_root(); }), "");
    // Rounded up, but clamped: the input is not read beyond its end.
    EXPECT_EQ(verify(Pipeline(out),
                     [&](Functions& f) {
                         f["repeat_edge"].compute_root().split(f["repeat_edge"].args()[0], x, xi,
                                                               16, TailStrategy::RoundUp);
                     }),
              "");
}

TEST(Verify, InterleavedImagesAndFixedExtents) {
    const Var x("x"), y("y"), c("c"), xi("xi");
    ImageParam input(Halide::UInt(8), 3, "input");
    input.dim(0).set_stride(3);
    input.dim(2).set_stride(1).set_bounds(0, 3);
    Func out("out");
    out(x, y, c) = input(x, y, 2 - c);
    out.set_estimates({{0, 640}, {0, 480}, {0, 3}});
    out.output_buffer().dim(0).set_stride(3);
    out.output_buffer().dim(2).set_stride(1).set_bounds(0, 3);
    input.set_estimates({{0, 640}, {0, 480}, {0, 3}});
    for (const CheckPoint& point : check_points(Pipeline(out))) {
        EXPECT_EQ(point.outputs.at(out.name())[2], (Range{0, 3})) << point.text;
    }
    EXPECT_EQ(verify(Pipeline(out),
                     [&](Functions& f) { f["out"].reorder(c, x, y).bound(c, 0, 3).unroll(c); }),
              "");
    EXPECT_NE(verify(Pipeline(out), [&](Functions& f) { f["out"].vectorize(x, 8); }), "");
}

TEST(Verify, TuplesAndOutputsThatReadEachOther) {
    const Var x("x"), y("y");
    ImageParam input(Halide::Int(32), 2, "input");
    Func first("first"), second("second");
    first(x, y) = Halide::Tuple(input(x, y), Halide::cast<float>(input(x, y + 1)));
    second(x, y) = first(x + 1, y)[0] + first(x, y)[0];
    first.set_estimates({{0, 100}, {0, 50}});
    second.set_estimates({{0, 100}, {0, 50}});
    input.set_estimates({{0, 101}, {0, 51}});
    const Pipeline pipeline({first, second});
    EXPECT_EQ(verify(pipeline, [](Functions&) {}), "");
    EXPECT_NE(
        verify(pipeline, [&](Functions& f) { f["first"].vectorize(x, 8, TailStrategy::RoundUp); }),
        "");
}

TEST(Verify, OutputsOfSeveralSizesScaleAlike) {
    const Var x("x");
    Func full("full"), half("half");
    full(x) = x;
    half(x) = x;
    full.set_estimates({{0, 100}});
    half.set_estimates({{4, 50}});
    for (const CheckPoint& point : check_points(Pipeline({full, half}))) {
        const Range whole = point.outputs.at(full.name())[0];
        EXPECT_EQ(point.outputs.at(half.name())[0].extent, (whole.extent + 1) / 2) << point.text;
    }
}

TEST(Verify, ZeroDimensionalOutputsAndReductionsOverInputs) {
    ImageParam input(Halide::Int(32), 1, "input");
    input.set_estimates({{0, 1000}});
    const Halide::RDom r(0, input.dim(0).extent());
    Func sum("sum"), out("out");
    sum() = 0;
    sum() += input(r);
    out() = sum() * 2;
    EXPECT_EQ(verify(Pipeline(out), [](Functions&) {}), "");
    EXPECT_EQ(verify(Pipeline(out), [](Functions& f) { f["sum"].compute_root(); }), "");
}

TEST(Verify, ScalarParametersTakeTheirEstimates) {
    const Var x("x"), xi("xi");
    ImageParam input(Halide::Int(32), 1, "input");
    Halide::Param<int> shift("shift");
    Halide::Param<float> scale("scale", 1.0f, 0.5f, 4.0f);
    Halide::Param<bool> flip("flip");
    shift.set_estimate(7);
    scale.set_estimate(2.0f);
    flip.set_estimate(true);
    Func out("out");
    out(x) = Halide::select(flip, input(x + shift), input(Halide::cast<int>(scale * 3.0f)));
    out.set_estimates({{0, 100}});
    input.set_estimates({{0, 107}});
    const auto lowered = lower(Pipeline(out), kTarget);
    ASSERT_TRUE(lowered.ok()) << lowered.error();
    const BoundsQuery query =
        query_bounds(lowered.value(), check_points(Pipeline(out)).front(), {});
    EXPECT_EQ(query.required.at("input")[0], (Range{6, 101}));
    EXPECT_TRUE(query.unknown_checks.empty());
    EXPECT_EQ(verify(Pipeline(out), [](Functions&) {}), "");
    EXPECT_NE(verify(Pipeline(out),
                     [&](Functions& f) { f["out"].vectorize(x, 8, TailStrategy::RoundUp); }),
              "");
}

TEST(Verify, ScalarParametersVary) {
    const Var x("x"), xi("xi");
    ImageParam input(Halide::Int(32), 1, "input");
    Halide::Param<int> size("size");
    size.set_estimate(16);
    const Halide::RDom r(0, size);
    Func out("out");
    out(x) = 0;
    out(x) += input(x + r);
    out.set_estimates({{0, 100}});
    input.set_estimates({{0, 115}});
    std::set<std::int64_t> values;
    for (const CheckPoint& point : check_points(Pipeline(out))) {
        values.insert(integer(point.scalars.at("size")));
    }
    EXPECT_EQ(values, (std::set<std::int64_t>{15, 16, 17}));
    EXPECT_EQ(verify(Pipeline(out), [](Functions&) {}), "");
}

TEST(Verify, ScalarsWithoutEstimates) {
    Halide::Param<std::uint8_t> plain("plain");
    Halide::Param<int> ranged("ranged");
    ranged.set_min_value(5);
    ranged.set_max_value(9);
    Halide::Param<int> set("set");
    set.set(42);
    EXPECT_EQ(scalar_value(plain.parameter(), {}), Value{std::int64_t{1}});
    EXPECT_EQ(scalar_value(ranged.parameter(), {}), Value{std::int64_t{5}});
    EXPECT_EQ(scalar_value(set.parameter(), {}), Value{std::int64_t{42}});
    EXPECT_EQ(scalar_value(set.parameter(), Expr(3.5f)), Value{std::int64_t{3}});
}

TEST(Verify, PointsThatTheUnscheduledPipelineRefusesAreDropped) {
    const Corners corners;
    Pipeline pipeline(corners.out);
    pipeline.add_requirement(corners.out.output_buffer().width() % 4 == 0, "a multiple of four");
    const Verifier check = verifier(pipeline);
    EXPECT_LT(check.calls(), verifier(Pipeline(corners.out)).calls());
    EXPECT_EQ(verify(pipeline, [](Functions&) {}), "");
}

TEST(Verify, EmbeddedBuffers) {
    const Var x("x"), xi("xi");
    Halide::Buffer<int> table(20, "table");
    table.fill(3);
    Func data("data"), out("out");
    data(x) = table(x);
    out(x) = data(x);
    out.bound(x, 0, 20);
    out.set_estimates({{0, 20}});
    EXPECT_EQ(verify(Pipeline(out), [](Functions& f) { f["data"].compute_root(); }), "");
    const std::string rounded = verify(Pipeline(out), [&](Functions& f) {
        f["data"].compute_root().split(x, x, xi, 8, TailStrategy::RoundUp);
    });
    EXPECT_MENTIONS(rounded, "table");
}

TEST(Verify, BoundsThatTheUserPromised) {
    const Var x("x"), xi("xi");
    Func data("data"), out("out");
    data(x) = x * 2;
    out(x) = data(x) + data(Halide::min(x + 1, 99));
    data.bound(x, 0, 100);
    out.bound(x, 0, 100);
    out.set_estimates({{0, 100}});
    EXPECT_EQ(verify(Pipeline(out), [](Functions& f) { f["data"].compute_root(); }), "");
    const std::string rounded = verify(Pipeline(out), [&](Functions& f) {
        f["data"].compute_at(f["out"], x);
        f["out"].split(x, x, xi, 8, TailStrategy::RoundUp);
    });
    EXPECT_NE(rounded, "");
}

TEST(Verify, ExternStagesAreNotedAndTheRestIsChecked) {
    const Var x("x"), y("y"), xi("xi");
    ImageParam input(Halide::Int(32), 2, "input"), other(Halide::Int(32), 2, "other");
    Func before("before"), made("made"), out("out");
    before(x, y) = input(x, y) + 1;
    made.define_extern("user_function", {before}, Halide::Int(32), 2);
    out(x, y) = made(x, y) + other(x, y);
    before.compute_root();
    made.compute_root();
    out.set_estimates({{0, 100}, {0, 100}});
    input.set_estimates({{0, 100}, {0, 100}});
    other.set_estimates({{0, 100}, {0, 100}});
    EXPECT_FALSE(verifier(Pipeline(out)).notes().empty());
    EXPECT_EQ(verify(Pipeline(out), [](Functions&) {}), "");
    EXPECT_EQ(verify(Pipeline(out),
                     [&](Functions& f) { f["out"].vectorize(x, 8, TailStrategy::GuardWithIf); }),
              "");
    EXPECT_NE(verify(Pipeline(out),
                     [&](Functions& f) { f["out"].vectorize(x, 8, TailStrategy::RoundUp); }),
              "");
}

TEST(Verify, LongChainsOfStencilsHaveABaseline) {
    const Var x("x"), y("y");
    ImageParam input(Halide::Float(32), 2, "input");
    input.set_estimates({{-20, 680}, {-20, 520}});
    std::vector<Func> chain = {Func(input)};
    for (int i = 0; i < 12; i++) {
        Func next("stencil");
        Expr sum = 0.0f;
        for (int dx = -1; dx <= 1; dx++) {
            for (int dy = -1; dy <= 1; dy++) {
                sum += chain.back()(x + dx, y + dy);
            }
        }
        next(x, y) = sum;
        chain.push_back(next);
    }
    chain.back().set_estimates({{0, 640}, {0, 480}});
    EXPECT_TRUE(Verifier::create(Pipeline(chain.back()), kTarget).ok());
}

// The slow twin: Halide's own bounds query, compiled.
TEST(Verify, QueriesAgreeWithHalide) {
    const Var xi("xi"), yi("yi");
    const std::function<void(Corners&)> schedules[] = {
        [](Corners&) {},
        [](Corners& c) { c.gray.compute_root().vectorize(c.x, 16, TailStrategy::RoundUp); },
        [&](Corners& c) {
            c.out.split(c.y, c.y, yi, 8, TailStrategy::GuardWithIf);
            c.ix.store_root().compute_at(c.out, yi);
            c.gray.compute_at(c.out, yi);
        },
        [&](Corners& c) {
            c.out.tile(c.x, c.y, xi, yi, 32, 8, TailStrategy::ShiftInwards)
                .vectorize(xi, 8)
                .parallel(c.y);
            c.ix.compute_at(c.out, c.x).vectorize(c.x, 8, TailStrategy::RoundUp);
        },
    };
    for (const auto& schedule : schedules) {
        Corners corners;
        schedule(corners);
        const auto lowered = lower(corners.out, Halide::get_jit_target_from_environment());
        ASSERT_TRUE(lowered.ok()) << lowered.error();
        for (const int width : {40, 57, 640}) {
            corners.input.reset();
            corners.out.infer_input_bounds({width, 43});
            const Halide::Buffer<> expected = corners.input.get();
            const CheckPoint point{"", {{corners.out.name(), {{0, width}, {0, 43}}}}, {}};
            const BoundsQuery query = query_bounds(lowered.value(), point, {});
            for (int dim = 0; dim < 2; dim++) {
                EXPECT_EQ(query.required.at(corners.input.name())[dim],
                          (Range{expected.dim(dim).min(), expected.dim(dim).extent()}));
            }
        }
    }
}

// ---- Points
// -------------------------------------------------------------------------------------------

TEST(CheckPoints, StartWithTheEstimatesAndKeepMinima) {
    const Var x("x"), y("y");
    Func out("out");
    out(x, y) = x + y;
    out.set_estimates({{10, 64}, {-5, 32}});
    const std::vector<CheckPoint> points = check_points(Pipeline(out));
    const std::string name = out.name();
    ASSERT_GE(points.size(), 12U);
    EXPECT_EQ(points[0].outputs.at(name), (BufferRegion{{10, 64}, {-5, 32}}));
    const auto has = [&](const BufferRegion& region) {
        return std::any_of(points.begin(), points.end(), [&](const CheckPoint& point) {
            return point.outputs.at(name) == region;
        });
    };
    EXPECT_TRUE(has({{10, 65}, {-5, 33}}));
    EXPECT_TRUE(has({{10, 63}, {-5, 31}}));
    EXPECT_TRUE(has({{10, 32}, {-5, 16}}));
    EXPECT_TRUE(has({{10, 1}, {-5, 1}}));
    EXPECT_TRUE(has({{10, 3}, {-5, 32}}));
    EXPECT_TRUE(has({{10, 1}, {-5, 32}}));
}

// ---- The interpreter
// ----------------------------------------------------------------------------------

/** A constant that the front end does not fold. */
Expr opaque(const Expr& e) {
    return Halide::Internal::Let::make("value", e,
                                       Halide::Internal::Variable::make(e.type(), "value"));
}

// A specialised definition is simplified before bounds are inferred, and what it no longer reads is
// computed for nobody: Halide 21 crashes (fuzzer's seed 6000269, a random schedule).
TEST(Verify, RefusesWhatIsReadOnlyUntilItIsSimplified) {
    const Var x("x");
    Func read("read"), difference("difference"), out("out");
    read(x) = Halide::cast<float>(x) * 0.5F;
    difference(x) = Halide::abs(read(x) * 0.25F - read(x) * 0.25F);
    out(x) = difference(x) + Halide::cast<float>(x);
    const Pipeline pipeline(out);
    const auto with_case = [&](bool specialised) {
        return verify(pipeline, [&](Functions& f) {
            f.at("read").compute_root();
            f.at("difference").compute_root();
            if (specialised) {
                f.at("difference").specialize(f.at("out").output_buffer().dim(0).extent() == 8);
            }
        });
    };
    EXPECT_EQ(with_case(false), "");
    EXPECT_NE(with_case(true).find("nothing reads read"), std::string::npos);
}

TEST(Interpreter, DividesAsHalideDoes) {
    for (const int a : {-7, -6, -1, 0, 1, 6, 7}) {
        for (const int b : {-3, -1, 0, 1, 3}) {
            // Halide's own constant folding is the reference.
            const auto quotient =
                Halide::Internal::as_const_int(Halide::Internal::simplify(Expr(a) / Expr(b)));
            const auto remainder =
                Halide::Internal::as_const_int(Halide::Internal::simplify(Expr(a) % Expr(b)));
            ASSERT_TRUE(quotient && remainder);
            EXPECT_EQ(integer(opaque(a) / opaque(b)), *quotient) << a << " / " << b;
            EXPECT_EQ(integer(opaque(a) % opaque(b)), *remainder) << a << " % " << b;
        }
    }
}

TEST(Interpreter, WrapsConvertsAndShifts) {
    using Halide::cast;
    EXPECT_EQ(integer(cast<std::uint8_t>(opaque(300))), 44);
    EXPECT_EQ(integer(cast<std::int8_t>(opaque(200))), -56);
    EXPECT_EQ(integer(opaque(cast<std::uint8_t>(200)) + opaque(cast<std::uint8_t>(100))), 44);
    EXPECT_EQ(integer(cast<int>(opaque(Expr(-2.75f)))), -2);
    EXPECT_EQ(integer(Halide::saturating_cast<std::uint8_t>(opaque(300))), 255);
    EXPECT_EQ(integer(opaque(-9) >> opaque(1)), -5);
    EXPECT_EQ(integer(opaque(3) << opaque(4)), 48);
    EXPECT_EQ(integer(Halide::abs(opaque(-9))), 9);
    EXPECT_EQ(integer(Halide::absd(opaque(-9), opaque(4))), 13);
    EXPECT_EQ(integer(cast<int>(Halide::floor(opaque(Expr(-2.5f))))), -3);
    EXPECT_EQ(integer(Halide::likely(opaque(5))), 5);
    EXPECT_EQ(integer(opaque(cast<std::uint64_t>(-1)) / opaque(cast<std::uint64_t>(2))), INT64_MAX);
}

TEST(Interpreter, UnknownsSpreadOnlyWhereTheyMatter) {
    Interpreter interpreter;
    const Expr unknown = Halide::Internal::Variable::make(Halide::Int(32), "unheard_of");
    EXPECT_FALSE(is_known(interpreter.evaluate(unknown + 1)));
    EXPECT_EQ(interpreter.evaluate(opaque(1) < 0 && unknown < 3), Value{std::int64_t{0}});
    EXPECT_EQ(interpreter.evaluate(unknown < 3 || opaque(1) > 0), Value{std::int64_t{1}});
    EXPECT_EQ(interpreter.evaluate(Halide::select(opaque(1) > 0, 7, unknown)),
              Value{std::int64_t{7}});
    EXPECT_FALSE(is_known(interpreter.evaluate(Halide::select(unknown > 0, 7, 8))));
}

}  // namespace
}  // namespace nestor
