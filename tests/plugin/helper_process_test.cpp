#include "plugin/helper_process.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace nestor {
namespace {

using testing::HasSubstr;

/** A program in a folder of its own, gone at the end. */
class Script {
  public:
    explicit Script(const std::string& commands) {
        std::string pattern = (std::filesystem::temp_directory_path() / "nestor-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        std::ofstream(path()) << "#!/bin/sh\n" << commands << "\n";
        std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
    }
    ~Script() { std::filesystem::remove_all(folder_); }
    Script(const Script&) = delete;
    Script& operator=(const Script&) = delete;

    [[nodiscard]] std::string path() const { return (folder_ / "nestor").string(); }

  private:
    std::filesystem::path folder_;
};

TEST(HelperProcess, WhatItPrintsIsTheAnswer) {
    const Script script("echo noise >&2; echo \"$# $2\"");
    const auto answer = ask_nestor(script.path(), {"records", "two words"}, 10);
    ASSERT_TRUE(answer.ok()) << answer.error();
    EXPECT_FALSE(answer.value().refused);
    EXPECT_EQ(answer.value().text, "2 two words\n");
}

TEST(HelperProcess, StatusOneIsItsRefusal) {
    const Script script("echo 'nestor: no records file' >&2; exit 1");
    const auto answer = ask_nestor(script.path(), {}, 10);
    ASSERT_TRUE(answer.ok()) << answer.error();
    EXPECT_TRUE(answer.value().refused);
    EXPECT_EQ(answer.value().text, "no records file");
}

TEST(HelperProcess, ThatItCannotAnswerIsAnError) {
    const auto fault = [](const std::string& commands) {
        const Script script(commands);
        const auto answer = ask_nestor(script.path(), {}, 0.3);
        return answer.ok() ? "" : answer.error();
    };
    EXPECT_THAT(fault("echo 'nestor: what?' >&2; exit 2"), HasSubstr("exited with code 2: what?"));
    EXPECT_THAT(fault("kill -SEGV $$"), HasSubstr("signal 11"));
    EXPECT_THAT(fault("sleep 30"), HasSubstr("took too long"));
    EXPECT_THAT(ask_nestor("/nowhere/nestor", {}, 1).error(), HasSubstr("/nowhere/nestor"));
}

TEST(HelperProcess, TheNamedOneIsTakenOrRefused) {
    const Script script("");
    const auto found = find_nestor(script.path());
    ASSERT_TRUE(found.ok()) << found.error();
    EXPECT_EQ(found.value(), script.path());
    EXPECT_FALSE(find_nestor(script.path() + "s").ok());
    std::filesystem::permissions(script.path(), std::filesystem::perms::owner_read);
    EXPECT_FALSE(find_nestor(script.path()).ok()) << "it can't be run";
}

}  // namespace
}  // namespace nestor
