// Candidates that a runner's command runs: on this machine, for another processor in its emulator,
// and by runners that fail.

#include "measure/remote_measurer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "HalideBuffer.h"
#include "halide/pipeline_file.h"
#include "halide/read_pipeline.h"
#include "halide/task_target.h"
#include "machine/profiles.h"
#include "measure/npy.h"
#include "measure/pool.h"
#include "schedule/print.h"
#include "search/seeds.h"

namespace nestor {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Sums rows and columns, in floats.
Halide::Pipeline blur() {
    Halide::Var x("x");
    Halide::Var y("y");
    Halide::ImageParam in(Halide::Float(32), 2, "in");
    Halide::Func across("across");
    across(x, y) = in(x, y) * 0.3F + in(x + 1, y) * 0.4F + in(x + 2, y) * 0.3F;
    Halide::Func out("out");
    out(x, y) = across(x, y) + across(x, y + 1) + across(x, y + 2);
    in.set_estimates({{0, 130}, {0, 98}});
    out.set_estimates({{0, 128}, {0, 96}});
    return {out};
}

std::vector<Candidate> seeds_of(const Halide::Pipeline& pipeline, const Halide::Target& target,
                                InstructionSet set) {
    const Result<PipelineDag> dag = read_pipeline(pipeline, target);
    EXPECT_TRUE(dag) << dag.error();
    std::vector<Candidate> candidates{{"none"}};
    for (const Seed& seed : make_seeds(dag.value(), shipped_profile(set))) {
        candidates.push_back({print_json(dag.value(), seed.schedule)});
    }
    return candidates;
}

class RemoteMeasurerTest : public ::testing::Test {
  protected:
    RemoteMeasurerTest()
        : folder_(fs::temp_directory_path() / ("nestor_remote_" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
        options_.pipeline = (folder_ / "pipeline.hlpipe").string();
        options_.threads = 2;
        options_.run_seconds = 5;
        options_.timing_seconds = 0.02;
    }
    ~RemoteMeasurerTest() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name)) << text;
    }
    Result<std::unique_ptr<MeasurePool>> try_start(const Halide::Pipeline& pipeline) {
        const Status saved = save_pipeline(pipeline, options_.pipeline);
        EXPECT_TRUE(saved) << saved.error();
        return MeasurePool::start({NESTOR_COMMAND, "measure-worker"}, options_);
    }
    std::unique_ptr<MeasurePool> start(const Halide::Pipeline& pipeline) {
        Result<std::unique_ptr<MeasurePool>> pool = try_start(pipeline);
        EXPECT_TRUE(pool) << pool.error();
        return pool ? std::move(pool).value() : nullptr;
    }

    fs::path folder_;
    MeasureOptions options_;
};

// Correctness only: an emulator's times mean nothing.
TEST_F(RemoteMeasurerTest, ArmRunsInItsEmulator) {
    options_.target = "arm-64-linux";
    options_.runner.command = "qemu-aarch64";
    const auto pool = start(blur());
    ASSERT_NE(pool, nullptr) << "scripts/setup installs qemu-user and g++-aarch64-linux-gnu";
    EXPECT_THAT(pool->machine().cpu, HasSubstr("(aarch64), runner: qemu-aarch64"));
    EXPECT_EQ(pool->machine().threads, 2);
    std::vector<Candidate> candidates =
        seeds_of(blur(), Halide::Target(options_.target), InstructionSet::ArmNeon);
    candidates.resize(std::min<std::size_t>(candidates.size(), 4));
    for (const Measurement& m : pool->measure(candidates)) {
        EXPECT_EQ(m.outcome, Outcome::Timed) << m.message;
        EXPECT_GT(m.seconds, 0);
        EXPECT_EQ(m.verified_against, "the unscheduled pipeline");
        EXPECT_EQ(m.machine, pool->machine());
    }
}

// The same numbers as this process makes; an array from a file; a scalar; a copy to elsewhere.
TEST_F(RemoteMeasurerTest, InputsAreThoseOfLocalMeasuring) {
    const BufferLayout layout{"random", halide_type_of<std::uint16_t>(), {{0, 34, 1}}};
    std::vector<std::uint16_t> row(34);
    fill_random(layout, stream_of("random", 9), reinterpret_cast<std::uint8_t*>(row.data()));
    Halide::Runtime::Buffer<std::int32_t> array(32);
    array.fill(11);
    array(31) = 12;
    write_npy(path("array.npy"), array);

    Halide::Var x("x");
    Halide::ImageParam random(Halide::UInt(16), 1, "random");
    Halide::ImageParam given(Halide::Int(32), 1, "given");
    Halide::Param<int> scale("scale");
    scale.set_estimate(1);
    Halide::Func out("out");
    const Halide::Expr as_expected = random(0) == Halide::cast<std::uint16_t>(row[0]) &&
                                     random(33) == Halide::cast<std::uint16_t>(row[33]) &&
                                     given(31) == 12 && scale == 5;
    out(x) = Halide::require(as_expected, random(x) + random(x + 2) + given(x) * scale,
                             "other inputs than these");
    random.set_estimates({{0, 34}});
    given.set_estimates({{0, 32}});
    out.set_estimates({{0, 32}});
    options_.seed = 9;
    options_.inputs = {{"given", path("array.npy")}};
    options_.scalars = {{"scale", 5}};
    EXPECT_NE(start({out}), nullptr) << "not even without a runner";
    fs::create_directories(folder_ / "elsewhere");
    options_.runner.copy = "cp {binary} " + path("elsewhere");
    options_.runner.command = "cd " + path("elsewhere") + " && ./{name}";
    const auto pool = start({out});
    ASSERT_NE(pool, nullptr);
    const Measurement m = pool->measure(std::vector<Candidate>{{"none"}}).front();
    EXPECT_EQ(m.outcome, Outcome::Timed) << m.message;
    EXPECT_THAT(m.machine.cpu, HasSubstr("runner: cd "));
}

/// Does to candidates what the file `what` says; the right result it leaves alone.
constexpr const char* kFaultyRunner = R"(folder=$1; shift
case "$*" in *mode=reference*) exec "$@" ;; esac
case $(cat "$folder/what") in
    exits) echo "no device" >&2; exit 3 ;;
    hangs) sleep 1000 & echo $! > "$folder/pid"; wait ;;
    rubbish) echo "Segmentation fault, or so" ;;
    half) "$@" | head -c 60 ;;
    wrong) "$@" | sed 's/"outcome":"timed"/"outcome":"wrong"/' ;;
    dies) kill -SEGV $$ ;;
    *) exec "$@" ;;
esac
)";

/// It may be left as a zombie where nobody waits for orphans.
bool runs(const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/stat");
    std::string number;
    std::string name;
    std::string state;
    return file >> number >> name >> state && state != "Z";
}

TEST_F(RemoteMeasurerTest, FailuresOfTheRunnerAreOutcomes) {
    write("runner.sh", kFaultyRunner);
    options_.runner.command = "sh " + path("runner.sh") + " " + folder_.string();
    options_.run_seconds = 0.4;
    const auto pool = start(blur());
    ASSERT_NE(pool, nullptr);
    const auto measure = [&](const std::string& what, const std::string& schedule = "none") {
        write("what", what);
        return pool->measure(std::vector<Candidate>{{schedule}}).front();
    };
    const Measurement exits = measure("exits");
    EXPECT_EQ(exits.outcome, Outcome::Lost);
    EXPECT_EQ(exits.message, "the runner exited with code 3: no device");
    EXPECT_EQ(measure("rubbish").outcome, Outcome::Lost);
    EXPECT_EQ(measure("half").outcome, Outcome::Lost);
    EXPECT_EQ(measure("wrong").outcome, Outcome::Wrong);
    EXPECT_EQ(measure("dies").outcome, Outcome::Crash);
    EXPECT_EQ(measure("right", "{}").outcome, Outcome::Refused);
    EXPECT_EQ(measure("hangs").outcome, Outcome::Timeout);
    std::string pid;
    ASSERT_TRUE(std::ifstream(path("pid")) >> pid);
    for (int i = 0; i < 100 && runs(pid); i++) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_FALSE(runs(pid)) << "what a runner started ends with it";
    EXPECT_EQ(measure("right").outcome, Outcome::Timed);
}

TEST_F(RemoteMeasurerTest, WhatCannotBeMeasuredIsSaidAtOnce) {
    options_.target = is_of_host(Halide::Target("arm-64-linux")) ? "x86-64-linux" : "arm-64-linux";
    EXPECT_THAT(try_start(blur()).error(), HasSubstr("--runner"));
    options_.target = "host";
    options_.runner.command = "env";
    options_.load = {"libsomething.so"};
    EXPECT_THAT(try_start(blur()).error(), HasSubstr("--load"));
    options_.load.clear();
    Halide::Var x("x");
    Halide::Func out("out");
    out(x) = Halide::Internal::Call::make(Halide::Int(32), "elsewhere", {x},
                                          Halide::Internal::Call::Extern);
    out.set_estimates({{0, 10}});
    EXPECT_THAT(try_start({out}).error(), HasSubstr("the extern function elsewhere"));
    options_.runner.compiler = "false";
    EXPECT_THAT(try_start(blur()).error(), HasSubstr("does not compile"));
}

}  // namespace
}  // namespace nestor
