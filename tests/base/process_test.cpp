#include "base/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nestor {
namespace {

using ::testing::HasSubstr;

Result<ProcessResult> run_shell(const std::string& script, const ProcessOptions& options) {
    return run_process({"/bin/sh", "-c", script}, options);
}

TEST(Process, TellsHowItEndedAndWhatItPrinted) {
    const auto done = run_shell("echo out; echo err >&2; exit 3", {});
    ASSERT_TRUE(done) << done.error();
    EXPECT_EQ(done.value().exit_code, 3);
    EXPECT_EQ(done.value().output, "out\n");
    EXPECT_EQ(done.value().errors, "err\n");
    EXPECT_FALSE(done.value().ok());
    EXPECT_FALSE(done.value().timed_out);
    EXPECT_GT(done.value().seconds, 0);
    EXPECT_GT(done.value().peak_bytes, 0);
}

TEST(Process, IsKilledWithWhatItStartedWhenItTakesTooLong) {
    ProcessOptions options;
    options.seconds = 0.2;
    const auto done = run_shell("sleep 1000 & sleep 1000", options);
    ASSERT_TRUE(done) << done.error();
    EXPECT_TRUE(done.value().timed_out);
    EXPECT_FALSE(done.value().ok());
    EXPECT_GE(done.value().seconds, 0.2);
    EXPECT_EQ(done.value().how_it_ended(), "took too long");
}

TEST(Process, CannotTakeMoreMemoryThanItMay) {
    ProcessOptions options;
    options.memory_bytes = std::int64_t{256} << 20U;
    const std::string script = "head -c 1000000000 /dev/zero | tail -c 900000000 | wc -c";
    const auto limited = run_shell(script, options);
    ASSERT_TRUE(limited) << limited.error();
    EXPECT_THAT(limited.value().errors, HasSubstr("memory"));
    EXPECT_EQ(limited.value().output.find("900000000"), std::string::npos);
}

TEST(Process, WhatDoesNotExistIsAnError) {
    const auto nothing = run_process({"/nowhere/program"}, {});
    ASSERT_FALSE(nothing);
    EXPECT_THAT(nothing.error(), HasSubstr("/nowhere/program"));
}

}  // namespace
}  // namespace nestor
