#include "halide/compiling.h"

#include <gtest/gtest.h>

#include "halide/lower.h"

namespace nestor {
namespace {

using Halide::Func;
using Halide::ImageParam;
using Halide::Pipeline;
using Halide::TailStrategy;
using Halide::Target;
using Halide::Var;

const Target kTarget("x86-64-linux-avx2-fma");  // eight floats a vector

struct Blur {
    Var x{"x"}, y{"y"};
    ImageParam input{Halide::Float(32), 2, "input"};
    Func out{"out"};

    explicit Blur(const Halide::Expr& stride = 1) {
        out(x, y) = input(stride * x - 1, y) + input(stride * x, y) + input(stride * x + 1, y);
    }
    [[nodiscard]] std::int64_t pairs() const {
        const auto lowered = lower(Pipeline(out), kTarget);
        EXPECT_TRUE(lowered) << lowered.error();
        return lowered ? most_access_pairs(lowered.value(), kTarget) : -1;
    }
};

TEST(AccessPairs, AreThoseOfTheInnermostLoop) {
    Blur scalar;
    EXPECT_EQ(scalar.pairs(), 3 * 1);
    Blur vectors;
    const Var row("row");
    vectors.out.split(vectors.y, vectors.y, row, 2, TailStrategy::RoundUp)
        .reorder(row, vectors.x)
        .unroll(row)
        .vectorize(vectors.x, 8, TailStrategy::RoundUp);
    EXPECT_EQ(vectors.pairs(), 6 * 2);
}

TEST(AccessPairs, CountVectorsOfTheTarget) {
    Blur wide;
    wide.out.vectorize(wide.x, 16, TailStrategy::RoundUp);
    EXPECT_EQ(wide.pairs(), 6 * 2);
    Blur spread(2);
    spread.out.vectorize(spread.x, 8, TailStrategy::RoundUp);
    EXPECT_EQ(spread.pairs(), 4 * 1);  // the last of the three is in what the first two load
    Blur gather(Halide::Param<int>("stride"));
    gather.out.vectorize(gather.x, 8, TailStrategy::RoundUp);
    EXPECT_EQ(gather.pairs(), 24 * 1);
}

TEST(AccessPairs, AreOfOneLoopAtATime) {
    Blur blur;
    Func twice("twice");
    twice(blur.x, blur.y) = blur.out(blur.x, blur.y) * 2.0f;
    blur.out.compute_at(twice, blur.y).vectorize(blur.x, 8, TailStrategy::RoundUp);
    twice.vectorize(blur.x, 8, TailStrategy::RoundUp);
    const auto lowered = lower(Pipeline(twice), kTarget);
    ASSERT_TRUE(lowered) << lowered.error();
    EXPECT_EQ(most_access_pairs(lowered.value(), kTarget), 3 * 1);
}

TEST(CompileAway, SaysWhatHalideRefuses) {
    const Blur blur;
    const Status fine = compile_away(Pipeline(blur.out), kTarget);
    EXPECT_TRUE(fine) << fine.error();
    Blur wrong;
    Func inner("inner");
    inner(wrong.x, wrong.y) = wrong.out(wrong.x, wrong.y);
    wrong.out.compute_at(inner, Var("nowhere"));
    const Status refused = compile_away(Pipeline(inner), kTarget);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().find("compiling failed: "), std::string::npos) << refused.error();
}

}  // namespace
}  // namespace nestor
