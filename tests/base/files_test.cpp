#include "base/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <sys/resource.h>
#include <csignal>
#include <filesystem>

namespace nestor {
namespace {

class FilesTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = ::testing::TempDir() + "nestor-files-XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    [[nodiscard]] std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(directory_), {}));
    }

    std::string directory_;
};

TEST_F(FilesTest, ReadsBackWhatWasWritten) {
    const std::string bytes("a\0b\n", 4);
    ASSERT_TRUE(write_file(directory_ + "/x", bytes));
    const Result<std::string> read = read_file(directory_ + "/x");
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read.value(), bytes);
    EXPECT_EQ(entries(), 1U);
}

TEST_F(FilesTest, ReplacesAFile) {
    ASSERT_TRUE(write_file(directory_ + "/x", "old"));
    ASSERT_TRUE(write_file(directory_ + "/x", "new"));
    EXPECT_EQ(read_file(directory_ + "/x").value(), "new");
}

TEST_F(FilesTest, SaysWhatIsMissing) {
    const Result<std::string> read = read_file(directory_ + "/nothing");
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().find(directory_ + "/nothing: No such file"), std::string::npos)
        << read.error();
    EXPECT_FALSE(write_file(directory_ + "/no/such/directory", "x"));
    EXPECT_FALSE(read_file(directory_));
}

TEST_F(FilesTest, MakesDirectories) {
    EXPECT_TRUE(make_directory(directory_ + "/a/b"));
    EXPECT_TRUE(make_directory(directory_ + "/a/b"));
    ASSERT_TRUE(write_file(directory_ + "/file", ""));
    EXPECT_FALSE(make_directory(directory_ + "/file/below"));
}

// A size limit fails in the middle of a write, as a full disk does.
TEST_F(FilesTest, LeavesTheOldFileWhenTheDiskIsFull) {
    ASSERT_TRUE(write_file(directory_ + "/x", "old"));
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{1000, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const Status status = write_file(directory_ + "/x", std::string(100'000, 'n'));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_FALSE(status);
    EXPECT_EQ(read_file(directory_ + "/x").value(), "old");
    EXPECT_EQ(entries(), 1U);
}

}  // namespace
}  // namespace nestor
