#include "dag/types.h"

#include <gtest/gtest.h>

namespace nestor {
namespace {

TEST(SplitName, SeparatesCountersThatHalideMadeUp) {
    EXPECT_EQ(split_name("blur").stem, "blur");
    EXPECT_EQ(split_name("blur$3").stem, "blur");
    EXPECT_EQ(split_name("blur$3").counter, 3);
    EXPECT_EQ(split_name("f12").stem, "f");
    EXPECT_EQ(split_name("f12").number, 12);
    EXPECT_EQ(split_name("lambda_4").stem, "lambda");
    EXPECT_EQ(split_name("lambda_4$1").number, 4);
}

TEST(SplitName, KeepsNumbersThatTheUserWrote) {
    EXPECT_EQ(split_name("conv1").stem, "conv1");
    EXPECT_EQ(split_name("f_12").stem, "f_12");
    EXPECT_EQ(split_name("$3").stem, "$3");
    EXPECT_EQ(split_name("f").stem, "f");
}

TEST(VariableLabel, IsAnIdentifierWithoutCounters) {
    EXPECT_EQ(variable_label("x"), "x");
    EXPECT_EQ(variable_label("x$3"), "x");
    EXPECT_EQ(variable_label("v12"), "v");
    EXPECT_EQ(variable_label("_0"), "_0");
    EXPECT_EQ(variable_label("r4$x"), "r_x");
    EXPECT_EQ(variable_label("window$y"), "window_y");
}

TEST(FuncId, PrintsRankOnlyWhereItTells) {
    EXPECT_EQ((FuncId{"sum", 0}).text(), "sum");
    EXPECT_EQ((FuncId{"sum", 2}).text(), "sum#2");
}

TEST(ScalarType, CountsBooleansAsBytes) {
    EXPECT_EQ((ScalarType{TypeKind::UInt, 1}).bytes(), 1);
    EXPECT_EQ((ScalarType{TypeKind::UInt, 1}).text(), "bool");
    EXPECT_EQ((ScalarType{TypeKind::BFloat, 16}).text(), "bfloat16");
    EXPECT_TRUE((ScalarType{TypeKind::Float, 64}).is_float());
}

}  // namespace
}  // namespace nestor
