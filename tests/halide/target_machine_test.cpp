#include "halide/target_machine.h"

#include <gtest/gtest.h>

namespace nestor {
namespace {

double streams(const char* target) {
    return machine_of(Halide::Target(target)).streams.value;
}

TEST(TargetMachine, ProcessorsOfOneInstructionSetFollowDifferentlyManyRuns) {
    const double intel = streams("x86-64-linux-avx-avx2-avx512-avx512_skylake-fma-sse41");
    EXPECT_EQ(intel, shipped_profile(InstructionSet::X86Avx512).streams.value);
    EXPECT_EQ(streams("x86-64-linux-avx-avx2-avx512-avx512_skylake-avx512_cannonlake-avx512_zen4-"
                      "avx512_sapphirerapids-fma-sse41"),
              intel);
    const double zen = streams(
        "x86-64-linux-avx-avx2-avx512-avx512_skylake-avx512_cannonlake-avx512_zen4-fma-"
        "sse41");
    EXPECT_LT(zen, intel);
    EXPECT_EQ(streams("x86-64-linux-tune_znver3-avx-avx2-fma-sse41"), zen);
    EXPECT_EQ(streams("x86-64-linux-avx-avx2-fma-sse41"), intel);
}

}  // namespace
}  // namespace nestor
