#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace nestor {
namespace {

TEST(Result, HoldsAValue) {
    const Result<int> result = 3;
    ASSERT_TRUE(result.ok());
    EXPECT_TRUE(static_cast<bool>(result));
    EXPECT_EQ(result.value(), 3);
}

TEST(Result, HoldsAnError) {
    const Result<int> result = Error{"no such file; create it"};
    ASSERT_FALSE(result.ok());
    EXPECT_FALSE(static_cast<bool>(result));
    EXPECT_EQ(result.error(), "no such file; create it");
}

TEST(Result, GivesUpAMoveOnlyValue) {
    Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
    const std::unique_ptr<int> value = std::move(result).value();
    EXPECT_EQ(*value, 5);
}

// A value that is itself an error's type of text is still a value.
TEST(Result, KeepsTextAndErrorApart) {
    const Result<std::string> result = std::string("text");
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.value(), "text");
}

}  // namespace
}  // namespace nestor
