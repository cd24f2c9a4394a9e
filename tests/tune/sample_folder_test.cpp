// The files of an autotuning loop.

#include "tune/sample_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"

namespace nestor {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SampleFolderTest : public ::testing::Test {
  protected:
    SampleFolderTest() : path_((fs::path(::testing::TempDir()) / "nestor-samples").string()) {
        fs::remove_all(path_);
    }
    ~SampleFolderTest() override { fs::remove_all(path_); }

    [[nodiscard]] std::string text(const std::string& file) const {
        const Result<std::string> read = read_file(path_ + "/" + file);
        return read ? read.value() : read.error();
    }

    std::string path_;
    Correction first_ = Correction::create({}, {}, "the first").value();
    Correction second_ = Correction::create({}, {}, "the second").value();
};

TEST_F(SampleFolderTest, ABatchKeepsTheWeightsThatItBeganWith) {
    SampleFolder folder(path_, "blur");
    ASSERT_TRUE(folder.open(first_));
    EXPECT_EQ(folder.begin_batch(1, 0, {"a=1", "b=2"}).value(), first_);
    ASSERT_TRUE(folder.write_updated(second_));
    EXPECT_EQ(folder.begin_batch(1, 0, {"a=1", "b=2"}).value(), first_) << "gone on with";
    EXPECT_EQ(folder.begin_batch(2, 0, {}).value(), second_);
    EXPECT_EQ(folder.read_starting().value(), first_);
    EXPECT_EQ(text("batch_1_0/extra_generator_args.txt"), "a=1\nb=2\n");
    EXPECT_EQ(text("batch_1_0/used.weights"), first_.text());
}

TEST_F(SampleFolderTest, WhatIsThereStays) {
    {
        SampleFolder folder(path_, "blur");
        ASSERT_TRUE(folder.open(first_));
        ASSERT_TRUE(folder.write_updated(second_));
    }
    SampleFolder folder(path_, "blur");
    ASSERT_TRUE(folder.open(Correction()));
    EXPECT_EQ(folder.read_starting().value(), first_);
    EXPECT_EQ(text("updated.weights"), second_.text());
    ASSERT_TRUE(write_file(folder.updated_weights(), "something else"));
    const Result<Correction> damaged = folder.begin_batch(1, 0, {});
    ASSERT_FALSE(damaged);
    EXPECT_THAT(damaged.error(), HasSubstr("updated.weights: "));
}

TEST_F(SampleFolderTest, SamplesOfAllBatchesAreFound) {
    SampleFolder folder(path_, "blur");
    ASSERT_TRUE(folder.open(first_));
    EXPECT_EQ(folder.last_batch(), 0);
    ASSERT_TRUE(folder.write_sample(9, 0, 0, {"h", "j", "f", "s", "b"}));
    ASSERT_TRUE(folder.write_sample(10, 1, 3, {"h", "j", "f", "", "no time"}));
    ASSERT_TRUE(folder.write_sample(10, 1, 4, {"h", "j", "f", "s", "b"}));
    for (const char* other : {"batch_99", "batch_x_1", "batch__1", "batches_77_0"}) {
        ASSERT_TRUE(make_directory(path_ + "/" + other));
    }
    EXPECT_EQ(folder.last_batch(), 10);
    EXPECT_EQ(folder.samples(), (std::vector<std::string>{path_ + "/batch_10_1/4/blur.sample",
                                                          path_ + "/batch_9_0/0/blur.sample"}));
    EXPECT_EQ(text("batch_10_1/3/bench.txt"), "no time");
}

TEST_F(SampleFolderTest, OneProcessAtATime) {
    SampleFolder folder(path_, "blur");
    ASSERT_TRUE(folder.open(first_));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        SampleFolder other(path_, "blur");
        const Status status = other.open(first_);
        _exit(!status && status.error().starts_with("another autotune") ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace nestor
