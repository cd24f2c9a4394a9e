#include "bench/wishes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "base/files.h"

namespace nestor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WishesTest : public ::testing::Test {
  protected:
    WishesTest()
        : folder_(std::filesystem::temp_directory_path() /
                  ("nestor_wishes_" + std::to_string(getpid()))) {
        std::filesystem::create_directories(folder_ / "blur");
    }
    ~WishesTest() override { std::filesystem::remove_all(folder_); }

    void write(const std::string& text) const {
        ASSERT_TRUE(write_file((folder_ / "blur/inputs.json").string(), text));
    }
    [[nodiscard]] Result<Wishes> read() const { return read_wishes({folder_.string()}, "blur"); }

    std::filesystem::path folder_;
};

CallShape matrix() {
    CallShape shape(1);
    shape[0].is_buffer = true;
    shape[0].buffer = {"matrix", false, Halide::Float(32), {{0, 3}, {0, 2}}, {1, 3}, 24};
    return shape;
}

TEST_F(WishesTest, NothingIsWishedWhereThereIsNoFolder) {
    const Result<Wishes> wishes = read_wishes({folder_.string(), "/nowhere"}, "other");
    ASSERT_TRUE(wishes) << wishes.error();
    EXPECT_TRUE(wishes.value().scalars.empty());
    EXPECT_TRUE(wishes.value().files.empty());
}

TEST_F(WishesTest, ScalarsValuesAndFilesAreFound) {
    write(R"({"scalars": {"gain": 1.5, "on": true}, "integer_slack": 2,
              "inputs": {"matrix": {"values": [[1, 2, 3], [4, 5, 6]]}, "in": {"role": "picture"}}})");
    ASSERT_TRUE(write_file((folder_ / "blur/in.npy").string(), "x"));
    const Result<Wishes> wishes = read();
    ASSERT_TRUE(wishes) << wishes.error();
    EXPECT_EQ(wishes.value().scalars.at("gain"), 1.5);
    EXPECT_EQ(wishes.value().scalars.at("on"), 1);
    EXPECT_EQ(wishes.value().integer_slack, 2);
    EXPECT_THAT(wishes.value().values.at("matrix"), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(wishes.value().files.at("in"), HasSubstr("blur/in.npy"));

    const Memories inputs = allocate(matrix(), Direction::Inputs, BufferMemory::Kind::Private);
    const Status filled = fill_inputs(matrix(), inputs, wishes.value());
    ASSERT_TRUE(filled) << filled.error();
    std::vector<float> values(6);
    std::memcpy(values.data(), inputs.at("matrix").data(), 24);
    EXPECT_THAT(values, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(WishesTest, ValuesOfAnotherSizeAreAnError) {
    write(R"({"inputs": {"matrix": {"values": [1, 2, 3]}}})");
    const Memories inputs = allocate(matrix(), Direction::Inputs, BufferMemory::Kind::Private);
    const Status filled = fill_inputs(matrix(), inputs, read().value());
    ASSERT_FALSE(filled);
    EXPECT_THAT(filled.error(), HasSubstr("has 6 elements, its values are 3"));
}

TEST_F(WishesTest, WhatIsNoJsonIsAnErrorWithItsPath) {
    write("{");
    EXPECT_THAT(read().error(), HasSubstr("blur/inputs.json"));
}

}  // namespace
}  // namespace nestor
