#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace nestor {
namespace {

// The values are part of the contract: schedules saved by one release are looked up by another.
TEST(Hash, IsTheSameEverywhere) {
    EXPECT_EQ(hash_text(hash_bytes("")), "f52a15e9a9b5e89b");
    EXPECT_EQ(hash_text(hash_bytes("nestor")), "9cb622c948704842");
}

TEST(Hash, DependsOnTheSeed) {
    EXPECT_NE(hash_bytes("nestor", 1), hash_bytes("nestor", 2));
}

TEST(Hash, TellsShortStringsApart) {
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 10000; i++) {
        seen.insert(hash_bytes(std::to_string(i)));
    }
    EXPECT_EQ(seen.size(), 10000u);
}

TEST(Hash, TextIsSixteenDigits) {
    EXPECT_EQ(hash_text(0), "0000000000000000");
    EXPECT_EQ(hash_text(0x0123456789abcdefull), "0123456789abcdef");
}

}  // namespace
}  // namespace nestor
