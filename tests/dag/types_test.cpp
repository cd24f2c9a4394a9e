#include "dag/types.h"

#include <gtest/gtest.h>

namespace nestor {
namespace {

struct NameCase {
    const char* name;
    const char* stem;
    std::vector<std::int64_t> counters;
};

TEST(SplitName, SeparatesCountersThatHalideMadeUp) {
    const NameCase cases[] = {
        {"blur", "blur", {}},
        {"blur$3", "blur", {3}},
        {"f12", "f", {12}},
        {"lambda_4", "lambda", {4}},
        {"lambda_4$1", "lambda", {4, 1}},
        {"total$8_intm", "total_intm", {8}},
        {"conv$4_1_d_def__", "conv_d_def__", {4, 1}},
        {"loss_5_1_d_def__", "loss_d_def__", {5, 1}},
        {"total_9_intm", "total_intm", {9}},
        {"scan_2_0_d_def__$1", "scan_d_def__", {2, 0, 1}},
        {"scan$2_1_d_def__", "scan_d_def__", {2, 1}},
        {"scan_6_0_d_def___3", "scan_d_def__", {6, 0, 3}},
        {"f7_0_d_def__", "f_d_def__", {7, 0}},
        {"lambda_4_0_d_def__", "lambda_d_def__", {4, 0}},
    };
    for (const NameCase& each : cases) {
        EXPECT_EQ(split_name(each.name).stem, each.stem);
        EXPECT_EQ(split_name(each.name).counters, each.counters) << each.name;
    }
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
