#include "tune/doubted_machine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "machine/profiles.h"

namespace nestor {
namespace {

TEST(DoubtedMachine, IsAnotherOneWithTheSameInstructions) {
    const Machine& machine = shipped_profile(InstructionSet::X86Avx2);
    std::mt19937_64 random(1);
    bool faster = false;
    bool slower = false;
    for (int i = 0; i < 100; i++) {
        const Machine each = doubted(machine, random);
        const double clock = each.clock.value / machine.clock.value;
        faster = faster || clock > 1.5;
        slower = slower || clock < 1 / 1.5;
        EXPECT_TRUE(0.4 <= clock && clock <= 2.5) << clock;
        EXPECT_GE(each.task.value, machine.task.value);
        EXPECT_EQ(each.operations, machine.operations);
        EXPECT_EQ(each.vector_bytes, machine.vector_bytes);
        EXPECT_EQ(each.parallelism, machine.parallelism);
    }
    EXPECT_TRUE(faster);
    EXPECT_TRUE(slower);
}

TEST(DoubtedMachine, IsWhatTheSeedSays) {
    const Machine& machine = shipped_profile(InstructionSet::ArmNeon);
    std::mt19937_64 one(7), same(7), other(8);
    const Machine first = doubted(machine, one);
    EXPECT_EQ(first, doubted(machine, same));
    EXPECT_NE(first, doubted(machine, other));
    EXPECT_NE(first, doubted(machine, one)) << "another one each time";
}

}  // namespace
}  // namespace nestor
