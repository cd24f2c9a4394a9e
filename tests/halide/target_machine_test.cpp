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

TEST(TargetMachine, PagesCostWhatTheyDoOnItsCores) {
    const auto fault = [](const char* target) {
        return machine_of(Halide::Target(target)).page_fault.value;
    };
    const double of_profile = shipped_profile(InstructionSet::X86Avx2).page_fault.value;
    EXPECT_EQ(fault("x86-64-linux-avx-avx2-fma-sse41"), of_profile);
    EXPECT_GT(fault("x86-64-linux-tune_znver3-avx-avx2-fma-sse41"), of_profile);
}

TEST(TargetMachine, CachesAreThoseOfTheCoresThatTheTargetNames) {
    const auto kib = [](const char* target) {
        const Machine machine = machine_of(Halide::Target(target));
        return std::pair(machine.l1.bytes.value / 1024, machine.l2.bytes.value / 1024);
    };
    EXPECT_EQ(kib("x86-64-linux-avx-avx2-avx512-avx512_skylake-avx512_cannonlake-avx512_zen4-"
                  "avx512_sapphirerapids-fma-sse41"),
              std::pair(48.0, 2048.0));
    EXPECT_EQ(kib("x86-64-linux-avx-avx2-avx512-avx512_skylake-avx512_cannonlake-avx512_zen4-"
                  "avx512_zen5-fma-sse41"),
              std::pair(48.0, 1024.0));
    EXPECT_EQ(kib("x86-64-linux-avx-avx2-avx512-avx512_skylake-fma-sse41"), std::pair(32.0, 1024.0))
        << "the profile's";
}

TEST(TargetMachine, ZensSinceTheThirdShareALargeCache) {
    const auto mib = [](const char* target) {
        return machine_of(Halide::Target(target)).l3.bytes.value / (1024 * 1024);
    };
    const double of_profile = mib("x86-64-linux-avx-avx2-fma-sse41");
    EXPECT_LT(of_profile, 32);
    EXPECT_EQ(mib("x86-64-linux-tune_znver3-avx-avx2-fma-sse41"), 32);
    EXPECT_EQ(mib("x86-64-linux-tune_znver2-avx-avx2-fma-sse41"), of_profile);
}

TEST(TargetMachine, NarrowGathersAreCheaperOnlyWhereThatWasMeasured) {
    const auto saved = [](const char* target, ElementType type) {
        const Machine machine = machine_of(Halide::Target(target));
        return machine.gather[type].value - machine.narrow_gather[type].value;
    };
    for (std::size_t i = 0; i < kElementTypes; i++) {
        const auto type = static_cast<ElementType>(i);
        EXPECT_GT(saved("x86-64-linux-avx-avx2-avx512-avx512_skylake-avx512_cannonlake-avx512_"
                        "sapphirerapids-fma-sse41",
                        type),
                  0);
        for (const char* target :
             {"x86-64-linux-avx-avx2-avx512-avx512_skylake-avx512_cannonlake-avx512_zen4-fma-sse41",
              "x86-64-linux-avx-avx2-fma-sse41", "x86-64-linux-sse41"}) {
            EXPECT_EQ(saved(target, type), 0) << target << ' ' << i;
        }
    }
}

TEST(TargetMachine, DotProductsOfBytesAreTheTargetsNotTheProfiles) {
    const auto cycles = [](const char* target, ElementType type) {
        const Machine machine = machine_of(Halide::Target(target));
        return machine.operations[Arithmetic::DotProduct][type][Width::Bytes16].cycles.value;
    };
    using enum ElementType;
    const char* skylake = "x86-64-linux-avx-avx2-avx512-avx512_skylake-fma-sse41";
    EXPECT_GT(cycles(skylake, Int8), 3 * cycles(skylake, Int16));
    const char* zen4 =
        "x86-64-linux-avx-avx2-avx512-avx512_skylake-avx512_cannonlake-avx512_zen4-fma-sse41";
    EXPECT_LT(cycles(zen4, Int8), 2 * cycles(zen4, Int16));
    EXPECT_LT(cycles("arm-64-linux-arm_dot_prod", Int8), cycles("arm-64-linux", Int8));
}

}  // namespace
}  // namespace nestor
