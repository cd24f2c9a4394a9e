#include "search/limits.h"

#include <gtest/gtest.h>

#include <vector>

namespace nestor {
namespace {

constexpr std::int64_t kMuch = std::int64_t{1} << 40;

TEST(Limits, LetGoOnWithinThem) {
    EXPECT_EQ(Limits(1e6, kMuch).check(), StopReason::Finished);
}

TEST(Limits, StopAfterTheTime) {
    EXPECT_EQ(Limits(-1, kMuch).check(), StopReason::TimeLimit);
}

TEST(Limits, StopWhenMemoryHasGrown) {
    const Limits limits(1e6, 16 << 20);
    EXPECT_EQ(limits.check(), StopReason::Finished);
    const std::vector<char> touched(std::size_t{64} << 20, 1);
    EXPECT_EQ(limits.check(), StopReason::MemoryLimit) << touched.size();
}

}  // namespace
}  // namespace nestor
