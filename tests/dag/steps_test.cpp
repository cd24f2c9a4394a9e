#include "dag/steps.h"

#include <gtest/gtest.h>

namespace nestor {
namespace {

constexpr Steps kQuotient{8, 0};   // x / 8
constexpr Steps kRemainder{8, 1};  // x % 8

TEST(Steps, OfAQuotientOfALoop) {
    EXPECT_EQ(composed(kQuotient, {}, 1, true), kQuotient);
    EXPECT_EQ(composed(kRemainder, {}, 1, true), kRemainder);
    EXPECT_EQ(composed(kRemainder, {}, 2, true), (Steps{4, 2})) << "(2 x) % 8";
    EXPECT_EQ(composed(kQuotient, {}, 16, false), Steps{}) << "(16 x + 3) / 8 moves by 2";
    EXPECT_EQ(composed(kQuotient, {}, 0, false), Steps{}) << "of another loop";
    EXPECT_EQ(composed(kQuotient, {}, 1, false), kUnknownSteps) << "(x + 3) / 8";
    EXPECT_EQ(composed(kQuotient, {}, 3, true), kUnknownSteps);
    EXPECT_EQ(composed(kQuotient, {}, 0.5, true), kUnknownSteps);
}

TEST(Steps, OfWhatHasThemAlready) {
    EXPECT_EQ(composed({3, 0}, kQuotient, 0.125, false), kQuotient) << "(x / 8) % 3 stays as long";
    EXPECT_EQ(composed({4, 1}, kRemainder, 0, true), kUnknownSteps);
}

TEST(Steps, AreAlignedWhereAllElseIsAMultiple) {
    EXPECT_TRUE(is_multiple(16, 16, {1, 8}, {}, 0, 8)) << "x + 8 y + 16";
    EXPECT_FALSE(is_multiple(3, 3, {1, 8}, {}, 0, 8));
    EXPECT_FALSE(is_multiple(0, 8, {1, 8}, {}, 0, 8));
    EXPECT_FALSE(is_multiple(0, 0, {1, 1}, {}, 0, 8)) << "x + y";
    EXPECT_FALSE(is_multiple(0, 0, {1, 0}, {{}, {8, 1}}, 0, 8)) << "x + y % 8";
}

TEST(Steps, OfSums) {
    EXPECT_EQ(sum({}, 1, {}, 2), Steps{});
    EXPECT_EQ(sum(kQuotient, 0.125, {}, 1), (Steps{8, 1})) << "x / 8 + x";
    EXPECT_EQ(sum(kQuotient, 0.125, {}, 0), kQuotient) << "x / 8 + y";
    EXPECT_EQ(sum(kQuotient, 0.125, {4, 1}, 0), (Steps{4, 1})) << "x / 8 + x % 4";
    EXPECT_EQ(sum(kQuotient, 0.125, {3, 0}, 1. / 3), kUnknownSteps);
}

}  // namespace
}  // namespace nestor
