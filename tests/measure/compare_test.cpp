#include "measure/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "halide/read_pipeline.h"
#include "schedule/schedule.h"

namespace nestor {
namespace {

using ::testing::HasSubstr;

/// 4 x 3, with a gap behind each row.
BufferShape shape_of(const Halide::Type& type) {
    BufferShape shape{"out", true, type, {{5, 4}, {0, 3}}, {1, 6}, 0};
    shape.bytes = (2 * 6 + 4) * type.bytes();
    return shape;
}

template <class T>
void set(const BufferMemory& memory, int x, int y, T value) {
    std::memcpy(memory.data() + (y * 6 + x) * sizeof(T), &value, sizeof(T));
}

template <class T>
class Pair {
  public:
    explicit Pair(const Halide::Type& type, T value) : shape(shape_of(type)) {
        for (int y = 0; y < 3; y++) {
            for (int x = 0; x < 4; x++) {
                set(expected, x, y, value);
                set(actual, x, y, value);
            }
        }
        set(actual, 4, 0, T(77));  // in a gap: not compared
    }
    std::string operator()(const Tolerance& tolerance = {}) const {
        return difference(shape, expected, actual, tolerance);
    }

    BufferShape shape;
    BufferMemory expected{16 * sizeof(T), BufferMemory::Kind::Private};
    BufferMemory actual{16 * sizeof(T), BufferMemory::Kind::Private};
};

TEST(Difference, IntegersAreComparedExactly) {
    Pair<std::uint16_t> pair(Halide::UInt(16), 1000);
    EXPECT_EQ(pair(), "");
    set<std::uint16_t>(pair.actual, 2, 1, 1001);
    EXPECT_THAT(pair(), HasSubstr("1 of 12 elements are wrong, the first at (7, 1): 1001 instead"));
    EXPECT_EQ(pair({0, 0, 1}), "");
}

TEST(Difference, ExceptionsMayBeAnything) {
    Pair<std::uint8_t> pair(Halide::UInt(8), 0);
    set<std::uint8_t>(pair.actual, 2, 1, 255);
    set<std::uint8_t>(pair.actual, 3, 1, 255);
    EXPECT_EQ(count_differences(pair.shape, pair.expected, pair.actual, {}), 2);
    EXPECT_EQ(pair({0, 0, 0, 2}), "");
    EXPECT_THAT(pair({0, 0, 0, 1}), HasSubstr("2 of 12 elements are wrong"));
}

TEST(Exceptions, AreFewAndOnlyWhereRightResultsDiffer) {
    EXPECT_EQ(exceptions(0, 1'000'000), 0);
    EXPECT_EQ(exceptions(100, 1'000'000), 416);
    EXPECT_EQ(exceptions(5000, 1'000'000), 1000) << "no more than a thousandth";
    EXPECT_EQ(exceptions(1, 900), 0);
}

TEST(Difference, SixtyFourBitsAreNotRounded) {
    Pair<std::int64_t> pair(Halide::Int(64), std::int64_t{1} << 60U);
    set<std::int64_t>(pair.actual, 0, 0, (std::int64_t{1} << 60U) + 1);
    EXPECT_THAT(pair(), HasSubstr("1 of 12"));
}

TEST(Difference, FloatsMayBeOffByATolerance) {
    Pair<float> pair(Halide::Float(32), 2.0F);
    set(pair.actual, 3, 2, 2.0001F);
    EXPECT_NE(pair(), "");
    EXPECT_EQ(pair({1e-4, 0, 0}), "");
    EXPECT_NE(pair({1e-5, 0, 0}), "");
    set(pair.expected, 0, 0, 1e6F);
    set(pair.actual, 0, 0, 1e6F);
    EXPECT_EQ(pair({0, 1e-9, 0}), "");
}

TEST(Difference, NotANumberEqualsItselfAndNothingElse) {
    Pair<float> pair(Halide::Float(32), 1.0F);
    set(pair.expected, 1, 1, NAN);
    set(pair.actual, 1, 1, -NAN);
    EXPECT_EQ(pair(), "");
    set(pair.actual, 2, 2, NAN);
    EXPECT_NE(pair({1, 1, 1}), "");
    set(pair.actual, 2, 2, INFINITY);
    EXPECT_NE(pair({1, 1, 1}), "");
}

TEST(Tolerances, KnowWhatMayBeReordered) {
    const Halide::Type f32 = Halide::Float(32);
    EXPECT_EQ(tolerance(f32, {true, false, 1, {}}).relative, 0);
    const double plain = tolerance(f32, {false, false, 1, {}}).relative;
    EXPECT_GT(plain, 0);
    EXPECT_GT(tolerance(f32, {true, true, 1e6, {}}).relative, plain);
    EXPECT_LT(tolerance(Halide::Float(64), {}).relative, plain);
    // Four million squares of pixels: all are rounded in the same direction.
    const double squares = tolerance(Halide::Float(64), {false, true, 4e6, {}}).relative;
    EXPECT_GE(squares, 4e6 * 0x1p-53);
    EXPECT_LT(squares, 1e-8);
    EXPECT_LE(tolerance(Halide::Float(16), {false, true, 1e9, {}}).relative, 0.02);
    // What is computed in single precision on the way has no more digits than that.
    EXPECT_EQ(tolerance(Halide::Float(64), {false, false, 1, {false, 0x1p-23}}).relative, plain);
    EXPECT_EQ(tolerance(Halide::Int(32), {}).absolute, 0);
    EXPECT_EQ(tolerance(Halide::Int(32), {false, false, 1, {true, 0}}).absolute, 1);
}

struct Sum {
    Halide::Var x{"x"};
    Halide::RDom r{0, 100, "r"};
    Halide::ImageParam in{Halide::Float(32), 1, "in"};
    Halide::Func sum{"sum"};
    Halide::Func out{"out"};
    Sum() {
        sum(x) = 0.0F;
        sum(x) += in(x + r);
        out(x) = Halide::cast<std::uint8_t>(sum(x));
        in.set_estimates({{0, 164}});
        out.set_estimates({{0, 64}});
    }
};

TEST(RoundingFacts, AreReadFromTheSchedule) {
    const Sum sum;
    const Halide::Target target = Halide::get_host_target();
    const Halide::Pipeline pipeline(sum.out);
    const Result<PipelineDag> dag = read_pipeline(pipeline, target);
    ASSERT_TRUE(dag) << dag.error();
    Schedule schedule = empty_schedule(dag.value());
    const auto facts = [&] { return rounding_facts(dag.value(), schedule, pipeline, target); };
    EXPECT_TRUE(facts().types.rounds);
    EXPECT_EQ(facts().types.unit, 0x1p-23);
    EXPECT_FALSE(facts().reassociates);
    EXPECT_FALSE(facts().strict);

    const int f = dag.value().find({"sum", 0});
    ASSERT_GE(f, 0);
    StageSchedule& update = schedule.functions[static_cast<std::size_t>(f)].stages[1];
    update.nest.splits = {{}, {{8, Tail::GuardWithIf}}};  // of the reduction, in order
    EXPECT_FALSE(facts().reassociates);
    update.nest.order = {{1, 0}, {1, 1}, {0, 0}};
    EXPECT_TRUE(facts().reassociates);
    update.nest.order = {};
    update.nest.vector = LoopRef{1, 1};
    EXPECT_TRUE(facts().reassociates);
    EXPECT_GE(facts().terms, 100);
}

/// Of out(x) = value.
TypeFacts facts_of(const Halide::Var& x, const Halide::Expr& value) {
    Halide::Func out("out");
    out(x) = value;
    return type_facts(Halide::Pipeline(out));
}

TEST(TypeFacts, KnowWhatRoundsToIntegers) {
    const Halide::ImageParam in(Halide::Float(32), 1, "in");
    Halide::Var x("x");
    const auto rounds = [&](const Halide::Expr& value) { return facts_of(x, value).rounds; };
    EXPECT_TRUE(rounds(Halide::cast<std::uint8_t>(in(x))));
    EXPECT_TRUE(rounds(Halide::saturating_cast<std::uint8_t>(in(x))));
    EXPECT_FALSE(rounds(Halide::saturating_cast<std::uint8_t>(x)));
    EXPECT_FALSE(rounds(Halide::sqrt(in(x))));
    EXPECT_FALSE(rounds(Halide::select(Halide::is_nan(in(x)), 1, 2)));
}

TEST(TypeFacts, AreOfWhatIsComputedNotOfWhatIsStored) {
    const Halide::ImageParam in(Halide::Float(32), 1, "in");
    Halide::Var x("x");
    const auto unit = [&](const Halide::Expr& value) { return facts_of(x, value).unit; };
    const Halide::Expr wide = Halide::cast<double>(in(x));
    EXPECT_EQ(unit(wide), 0);
    EXPECT_EQ(unit(wide * Halide::Expr(0.5)), 0x1p-52);
    EXPECT_EQ(unit(Halide::cast<double>(in(x) * 0.5F)), 0x1p-23);
    EXPECT_EQ(unit(Halide::cast<double>(Halide::sqrt(in(x))) * Halide::Expr(0.5)), 0x1p-23);
    EXPECT_EQ(unit(Halide::cast<double>(Halide::cast<float>(wide * Halide::Expr(0.5)))), 0x1p-23);
}

}  // namespace
}  // namespace nestor
