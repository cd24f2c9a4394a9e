// The main program of benchmark binaries, in forks of this process, with pipelines that are plain
// functions.

#include "measure/benchmark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "measure/runner_command.h"

namespace nestor {
namespace {

using ::testing::HasSubstr;

constexpr int kCount = 64;

int calls = 0;  // of add(): the first computes the right result
halide_error_handler_t report = nullptr;

/// out = in + scalar
int add(void** arguments) {
    const auto* in = static_cast<halide_buffer_t*>(arguments[0]);
    const auto* out = static_cast<halide_buffer_t*>(arguments[2]);
    const std::int32_t scalar = *static_cast<std::int32_t*>(arguments[1]);
    for (int i = 0; i < kCount; i++) {
        reinterpret_cast<float*>(out->host)[i] =
            reinterpret_cast<const float*>(in->host)[i] + static_cast<float>(scalar);
    }
    calls++;
    return 0;
}

float& output(void** arguments, int i) {
    return reinterpret_cast<float*>(static_cast<halide_buffer_t*>(arguments[2])->host)[i];
}

int add_a_little_off(void** arguments) {
    const int code = add(arguments);
    output(arguments, 3) *= 1.0001F;
    return code;
}

int add_late_off(void** arguments) {
    const int code = add(arguments);
    output(arguments, 3) += calls > 2 ? 1.0F : 0.0F;
    return code;
}

int leave_one_out(void** arguments) {
    const float before = output(arguments, 5);
    const int code = add(arguments);
    output(arguments, 5) = before;
    return code;
}

int crash(void** /*arguments*/) {
    return std::raise(SIGSEGV);
}

int abort_it(void** /*arguments*/) {
    std::abort();
}

int loop(void** /*arguments*/) {
    for (volatile bool forever = true; forever;) {
    }
    return 0;
}

int fail(void** /*arguments*/) {
    report(nullptr, "input is \"too\" small\n");
    return -5;
}

int starve(void** /*arguments*/) {
    report(nullptr, "Out of memory (halide_malloc returned nullptr)");
    return -11;
}

class BenchmarkTest : public ::testing::Test {
  protected:
    BenchmarkTest()
        : name_((std::filesystem::temp_directory_path() /
                 ("nestor_benchmark_" + std::to_string(getpid())))
                    .string()) {
        const BufferLayout row{"in", halide_type_of<float>(), {{0, kCount, 1}}};
        program_.arguments = {{true, false, row, 1, nullptr, 0},
                              {false, false, {}, 0, nullptr, 3},
                              {true, true, {"out", row.type, row.dimensions}, 2, nullptr, 0}};
        program_.reference = add;
        program_.identity = 77;
        program_.set_error_handler = [](halide_error_handler_t handler) {
            return std::exchange(report, handler);
        };
        program_.set_num_threads = [](int) { return 1; };
        program_.set_malloc = [](halide_malloc_t) { return halide_malloc_t{}; };
        program_.set_free = [](halide_free_t) { return halide_free_t{}; };
    }
    ~BenchmarkTest() override { std::filesystem::remove(kept()); }

    [[nodiscard]] std::string kept() const { return name_ + ".expected"; }

    Measurement run(int (*candidate)(void**), std::vector<std::string> words = {}) {
        program_.candidate = candidate;
        if (words.empty()) {
            words = {"mode=candidate", "threads=1", "run_seconds=0.3", "timing_seconds=0.02",
                     "tolerance=0.001,0,0"};
        }
        words.insert(words.begin(), name_);
        const auto body = [&] {
            std::vector<char*> argv;
            for (std::string& word : words) {
                argv.push_back(word.data());
            }
            return run_benchmark(program_, static_cast<int>(argv.size()), argv.data());
        };
        ProcessOptions limits;
        limits.seconds = 20;
        return read_answer(run_forked(body, limits));
    }

    std::string name_;
    BenchmarkProgram program_;
};

TEST_F(BenchmarkTest, TimesWhatIsRight) {
    const Measurement m = run(add_a_little_off);
    EXPECT_EQ(m.outcome, Outcome::Timed) << m.message;
    EXPECT_FALSE(m.samples.empty());
    EXPECT_GT(m.seconds, 0);
    EXPECT_GT(m.drift, 0);
    EXPECT_GT(m.machine.cores, 0);
    EXPECT_EQ(m.machine.threads, 1);
    EXPECT_THAT(m.machine.cpu, HasSubstr("("));
}

TEST_F(BenchmarkTest, FindsWhatIsWrong) {
    const std::vector<std::string> exact = {"mode=candidate", "run_seconds=0.3",
                                            "timing_seconds=0.02", "tolerance=0,0,0"};
    EXPECT_THAT(run(add_a_little_off, exact).message, HasSubstr("1 of 64 elements are wrong"));
    EXPECT_EQ(run(leave_one_out).outcome, Outcome::Wrong);
    const Measurement late = run(add_late_off);
    EXPECT_EQ(late.outcome, Outcome::Wrong);
    EXPECT_THAT(late.message, HasSubstr("in a later run"));
}

TEST_F(BenchmarkTest, AnswersWhateverACandidateDoes) {
    EXPECT_EQ(run(crash).outcome, Outcome::Crash);
    EXPECT_EQ(run(abort_it).outcome, Outcome::Crash);
    EXPECT_EQ(run(loop).outcome, Outcome::Timeout);
    EXPECT_EQ(run(starve).outcome, Outcome::OutOfMemory);
    const Measurement failed = run(fail);
    EXPECT_EQ(failed.outcome, Outcome::RunError);
    EXPECT_THAT(failed.message, HasSubstr("Halide error -5: input is \"too\" small"));
}

TEST_F(BenchmarkTest, UnknownSettingsAreNoAnswer) {
    const Measurement m = run(add, {"mode=candidate", "colour=red"});
    EXPECT_EQ(m.outcome, Outcome::Lost);
    EXPECT_THAT(m.message, HasSubstr("colour=red"));
    EXPECT_EQ(run(add, {"mode=candidate", "tolerance=much"}).outcome, Outcome::Lost);
}

TEST_F(BenchmarkTest, KeepsTheRightResult) {
    EXPECT_EQ(run(nullptr, {"mode=reference"}).outcome, Outcome::Timed);
    ASSERT_TRUE(std::filesystem::exists(kept()));
    // A reference that fails is not asked again.
    program_.reference = fail;
    EXPECT_EQ(run(add).outcome, Outcome::Timed);
    EXPECT_EQ(run(leave_one_out).outcome, Outcome::Wrong);
    // One of another pipeline, or one that was damaged, is not used.
    program_.identity++;
    EXPECT_EQ(run(add).outcome, Outcome::RunError);
    program_.identity--;
    std::fstream file(kept(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    const char before = static_cast<char>(file.peek());
    file.seekp(100);
    file.put(static_cast<char>(before + 1));
    file.close();
    EXPECT_EQ(run(add).outcome, Outcome::RunError);
}

TEST_F(BenchmarkTest, WhereNothingCanBeKeptItIsComputedAgain) {
    name_ = "/nowhere/benchmark";
    EXPECT_EQ(run(nullptr, {"mode=reference"}).outcome, Outcome::Timed);
    EXPECT_EQ(run(add).outcome, Outcome::Timed);
    EXPECT_EQ(run(leave_one_out).outcome, Outcome::Wrong);
}

TEST_F(BenchmarkTest, ContentsReplaceRandomNumbers) {
    const std::vector<float> ones(kCount, 1.0F);
    const auto is_four = [](void** arguments) {
        add(arguments);
        return output(arguments, 7) == 4.0F ? 0 : -1;  // 1 + 3
    };
    EXPECT_EQ(run(is_four).outcome, Outcome::RunError);
    program_.arguments[0].contents = reinterpret_cast<const std::uint8_t*>(ones.data());
    EXPECT_EQ(run(is_four).outcome, Outcome::Timed);
}

}  // namespace
}  // namespace nestor
