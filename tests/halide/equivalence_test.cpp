#include "halide/equivalence.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "halide/lower.h"

namespace nestor {
namespace {

using Halide::Func;
using Halide::TailStrategy;
using Halide::Var;
using Halide::Internal::Stmt;

struct Blur {
    Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
    Halide::ImageParam input{Halide::UInt(16), 2, "input"};
    Func unnamed, blur_x{"blur_x"}, blur_y{"blur_y"};

    Blur() {
        unnamed(x, y) = input(x, y) * Halide::cast<std::uint16_t>(3);
        blur_x(x, y) = unnamed(x - 1, y) + unnamed(x, y) + unnamed(x + 1, y);
        blur_y(x, y) = blur_x(x, y - 1) + blur_x(x, y) + blur_x(x, y + 1);
    }
};

/** Each call makes a new pipeline, whose functions get other names. */
Stmt lowered(const std::function<void(Blur&)>& schedule) {
    Blur blur;
    schedule(blur);
    Result<Stmt> stmt = lower(blur.blur_y, Halide::Target("x86-64-linux-avx2-fma"));
    EXPECT_TRUE(stmt.ok()) << (stmt.ok() ? "" : stmt.error());
    return stmt.ok() ? stmt.value() : Stmt();
}

void tiles(Blur& b, int lanes) {
    b.blur_y.split(b.y, b.y, b.yi, 16, TailStrategy::GuardWithIf)
        .split(b.x, b.x, b.xi, lanes, TailStrategy::GuardWithIf)
        .vectorize(b.xi)
        .parallel(b.y);
    b.blur_x.store_at(b.blur_y, b.y)
        .compute_at(b.blur_y, b.yi)
        .vectorize(b.x, lanes, TailStrategy::RoundUp);
    b.unnamed.compute_root().vectorize(b.x, 8, TailStrategy::GuardWithIf).parallel(b.y);
}

TEST(Difference, NoneBetweenTwoBuildsOfOnePipeline) {
    EXPECT_EQ(difference(lowered([](Blur&) {}), lowered([](Blur&) {})), "");
    for (int i = 0; i < 12; i++) {  // past 9, 99, ... of the process's counters
        EXPECT_EQ(difference(lowered([](Blur& b) { tiles(b, 16); }),
                             lowered([](Blur& b) { tiles(b, 16); })),
                  "");
    }
}

TEST(Difference, LooksIntoParallelLoops) {
    const auto at = [](int lanes) {
        return lowered([lanes](Blur& b) {
            b.blur_y.vectorize(b.x, lanes, TailStrategy::GuardWithIf).parallel(b.y);
        });
    };
    EXPECT_EQ(difference(at(8), at(8)), "");
    EXPECT_NE(difference(at(8), at(16)), "");
}

TEST(Difference, ShowsBothSides) {
    const std::string text =
        difference(lowered([](Blur& b) { tiles(b, 16); }), lowered([](Blur& b) { tiles(b, 8); }));
    EXPECT_NE(text.find("and\n"), std::string::npos) << text;
    EXPECT_LT(text.size(), 8000U);
}

TEST(Difference, OfOrderKindTypeAndLevel) {
    const Stmt plain = lowered([](Blur& b) { b.blur_x.compute_root(); });
    const std::function<void(Blur&)> others[] = {
        [](Blur&) {},
        [](Blur& b) { b.blur_x.compute_root().reorder(b.y, b.x); },
        [](Blur& b) { b.blur_x.compute_root().parallel(b.y); },
        [](Blur& b) { b.blur_x.compute_root().never_partition_all(); },
        [](Blur& b) { b.blur_x.compute_root().store_in(Halide::MemoryType::Stack); },
        [](Blur& b) { b.blur_x.compute_at(b.blur_y, b.y); },
        [](Blur& b) { b.blur_x.compute_root(), b.unnamed.compute_root(); },
    };
    for (const auto& schedule : others) {
        EXPECT_NE(difference(plain, lowered(schedule)), "");
    }
}

/** first and second are told apart by what is stored last only. */
Stmt swapped(bool swap) {
    const Var x("x");
    Func first("first"), second("second"), out("out");
    first(x) = x;
    second(x) = x;
    out(x) = swap ? second(x) * 2 + first(x + 1) : first(x) * 2 + second(x + 1);
    first.compute_root();
    second.compute_root();
    return lower(out, Halide::Target("x86-64-linux")).value();
}

TEST(Difference, RenamingIsOneToOne) {
    EXPECT_EQ(difference(swapped(false), swapped(false)), "");
    const Var x("x");
    using namespace Halide::Internal;  // NOLINT(google-build-using-namespace)
    const auto store = [](const std::string& to, const std::string& from) {
        const Halide::Expr load = Load::make(Halide::Int(32), from, 0, {}, {}, const_true(), {});
        return Store::make(to, load, 0, {}, const_true(), {});
    };
    const Stmt two = Block::make(store("a", "b"), store("b", "a"));
    EXPECT_EQ(difference(two, Block::make(store("p", "q"), store("q", "p"))), "");
    const std::string one_for_two = difference(two, Block::make(store("p", "q"), store("p", "p")));
    EXPECT_NE(one_for_two.find("`b` was `q`"), std::string::npos) << one_for_two;
    const std::string two_for_one = difference(Block::make(store("p", "p"), store("q", "p")), two);
    EXPECT_NE(two_for_one, "");
}

TEST(Difference, OfMessages) {
    using namespace Halide::Internal;  // NOLINT(google-build-using-namespace)
    const auto check = [](const std::string& text) {
        return AssertStmt::make(const_true(), Call::make(Halide::Int(32), "error",
                                                         {StringImm::make(text)}, Call::Extern));
    };
    EXPECT_EQ(difference(check("buffer f$1 of f$1"), check("buffer f$2 of f$2")), "");
    EXPECT_NE(difference(check("buffer f$1 of f$1"), check("buffer f$2 of f$3")), "");
    EXPECT_NE(difference(check("at most 16"), check("at most 8")), "");
}

}  // namespace
}  // namespace nestor
