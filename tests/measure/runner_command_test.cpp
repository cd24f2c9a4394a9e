#include "measure/runner_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "halide/parse_target.h"
#include "measure/benchmark.h"

namespace nestor {
namespace {

using ::testing::HasSubstr;

std::string run(const std::string& command) {
    return run_command({command, "", ""}, "/tmp/x/bench", "a=1 b=2");
}

TEST(RunnerCommand, PlaceholdersAreReplaced) {
    EXPECT_EQ(run("adb shell /data/{name} {args}"), "adb shell /data/bench a=1 b=2");
    EXPECT_EQ(run("ssh board \"cd /tmp && ./{name} {args}\""),
              "ssh board \"cd /tmp && ./bench a=1 b=2\"");
    EXPECT_EQ(run("cp {binary} y && y/{name} {args} && rm y/{name}"),
              "cp /tmp/x/bench y && y/bench a=1 b=2 && rm y/bench");
    EXPECT_EQ(copy_command({"x", "scp {binary} board:", ""}, "/tmp/x/bench"),
              "scp /tmp/x/bench board:");
}

TEST(RunnerCommand, WhatIsNotSaidFollowsAtTheEnd) {
    EXPECT_EQ(run("qemu-aarch64"), "qemu-aarch64 /tmp/x/bench a=1 b=2");
    EXPECT_EQ(run("qemu-aarch64 {binary}"), "qemu-aarch64 /tmp/x/bench a=1 b=2");
    EXPECT_EQ(run("adb shell /data/{name}"), "adb shell /data/bench a=1 b=2");
}

TEST(RunnerCommand, OtherBracesAreTheShells) {
    EXPECT_EQ(run("X=${Y} {binaries} {binary}"), "X=${Y} {binaries} /tmp/x/bench a=1 b=2");
}

TEST(RunnerCommand, WhatIsPutInIsNotLookedAtAgain) {
    EXPECT_EQ(run_command({"{binary}", "", ""}, "/{args}/{name}", "a"), "/{args}/{name} a");
}

TEST(RunnerCommand, SenselessCommandsAreRefused) {
    EXPECT_TRUE(check_runner({}));
    EXPECT_TRUE(check_runner({"env", "scp {binary} board:", "g++"}));
    EXPECT_THAT(check_runner({"sh {args}", "", ""}).error(), HasSubstr("neither {binary}"));
    EXPECT_THAT(check_runner({"env", "scp bench board:", ""}).error(), HasSubstr("{binary}"));
    EXPECT_THAT(check_runner({"", "scp {binary} board:", ""}).error(), HasSubstr("--runner"));
    EXPECT_THAT(check_runner({"", "", "g++"}).error(), HasSubstr("--runner"));
}

std::string compiler_error(const std::string& target, const std::string& compiler = "") {
    const Result<std::string> found =
        find_compiler({"env", "", compiler}, parse_target(target).value());
    return found ? "found " + found.value() : found.error();
}

TEST(RunnerCompiler, IsFoundByTheTargetOrNamed) {
    EXPECT_EQ(compiler_error("host"), "found c++");
    EXPECT_EQ(compiler_error("host", "c++"), "found c++");
    EXPECT_EQ(compiler_error("arm-64-android", "/bin/sh"), "found /bin/sh");
}

TEST(RunnerCompiler, AMissingOneIsNamedWithItsPackage) {
    const std::string path = std::getenv("PATH");
    setenv("PATH", "/nowhere", 1);
    EXPECT_THAT(compiler_error("host"), HasSubstr("install g++"));
    EXPECT_THAT(compiler_error("riscv-64-linux"), HasSubstr("install g++-riscv64-linux-gnu"));
    EXPECT_THAT(compiler_error("arm-32-linux"), HasSubstr("arm-linux-gnueabihf-g++ is needed"));
    EXPECT_THAT(compiler_error("arm-64-android"), HasSubstr("NDK"));
    EXPECT_THAT(compiler_error("arm-64-linux", "no-such-c++"), HasSubstr("no-such-c++"));
    setenv("PATH", path.c_str(), 1);
}

ProcessResult ended(int exit_code, int signal, const std::string& output,
                    const std::string& errors = "") {
    ProcessResult result;
    result.exit_code = exit_code;
    result.signal = signal;
    result.output = output;
    result.errors = errors;
    return result;
}

const std::string kTimed =
    std::string(kBenchmarkAnswer) +
    R"({"outcome":"timed","message":"","samples":[0.25],"runs_per_sample":1,"seconds":0.25,)"
    R"("uncertainty":1,"drift":0.5,"build_seconds":0,"peak_bytes":7,"verified_against":"",)"
    R"("machine":{"cpu":"x","cores":4,"threads":2,"halide":"","load":0}})";

TEST(RunnerAnswer, IsFoundAmongOtherLines) {
    // As terminals end lines, and with what a login says before and after.
    const Measurement m = read_answer(ended(0, 0, "Welcome!\n" + kTimed + "\r\nBye\n"));
    EXPECT_EQ(m.outcome, Outcome::Timed) << m.message;
    EXPECT_EQ(m.seconds, 0.25);
    EXPECT_EQ(m.machine.threads, 2);
}

TEST(RunnerAnswer, OtherEndsAreOutcomes) {
    const auto outcome = [](const ProcessResult& result) { return read_answer(result).outcome; };
    EXPECT_EQ(outcome(ended(3, 0, "", "no device")), Outcome::Lost);
    EXPECT_THAT(read_answer(ended(3, 0, "", "no device\n")).message,
                HasSubstr("exited with code 3: no device"));
    // ssh without a connection
    EXPECT_EQ(outcome(ended(255, 0, "")), Outcome::Lost);
    EXPECT_EQ(outcome(ended(0, SIGSEGV, "")), Outcome::Crash);
    EXPECT_EQ(outcome(ended(128 + SIGSEGV, 0, "")), Outcome::Crash);
    EXPECT_EQ(outcome(ended(128 + SIGKILL, 0, "")), Outcome::OutOfMemory);
    EXPECT_EQ(outcome(ended(0, 0, "")), Outcome::Lost);
    EXPECT_EQ(outcome(ended(0, 0, kTimed.substr(0, kTimed.size() / 2))), Outcome::Lost);
    EXPECT_THAT(read_answer(ended(0, 0, "rubbish\n")).message, HasSubstr("ends in: rubbish"));
    // An answer does not make up for a runner that failed.
    EXPECT_EQ(outcome(ended(1, 0, kTimed)), Outcome::Lost);
    ProcessResult late;
    late.timed_out = true;
    EXPECT_EQ(outcome(late), Outcome::Timeout);
    EXPECT_EQ(read_answer(Error{"no shell"}).outcome, Outcome::Lost);
}

}  // namespace
}  // namespace nestor
