#include "nestor/auto_scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace as = nestor::auto_scheduler;
using testing::HasSubstr;
using testing::ThrowsMessage;

/** Sums of three neighbours, in two steps. */
as::Workload blur(const as::Args& args) {
    const int size = static_cast<int>(args.at(0));
    Halide::ImageParam input(Halide::Int(32), 2, "input");
    const Halide::Var x("x"), y("y");
    Halide::Func rows("rows"), out("out");
    rows(x, y) = input(x, y) + input(x + 1, y) + input(x + 2, y);
    out(x, y) = rows(x, y) + rows(x, y + 1) + rows(x, y + 2);
    input.set_estimates({{0, size + 2}, {0, size + 2}});
    out.set_estimates({{0, size}, {0, size}});
    return {{input}, {out}};
}

as::TuningOptions quick(int trials, std::vector<as::MeasureCallback> callbacks) {
    as::TuningOptions options;
    options.num_measure_trials = trials;
    options.runner.min_repeat_ms = 20;
    options.final_seconds = 1;
    options.verbose = 0;
    options.measure_callbacks = std::move(callbacks);
    return options;
}

class AutoScheduler : public testing::Test {
  protected:
    static void SetUpTestSuite() { as::register_workload("blur", blur, true); }

    as::detail::ScratchFolder scratch_;
    std::string records_ = scratch_.file("records.db");
    as::SearchTask task_{"blur", {100}};
};

TEST_F(AutoScheduler, TunesAppliesAndGoesOn) {
    std::vector<as::MeasureResult> seen;
    const auto keep = [&](const as::MeasureResult& result) { seen.push_back(result); };
    const as::TuningResult result = task_.tune(quick(3, {as::RecordToFile{records_}, keep}));
    ASSERT_EQ(seen.size(), 3U);
    EXPECT_EQ(result.trials, 3);
    EXPECT_EQ(result.stopped, "all trials were made");
    EXPECT_GT(result.seconds, 0);
    EXPECT_EQ(seen[2].trial, 3);
    EXPECT_EQ(seen[2].task, "blur_100");

    // Applied, it computes what the function says.
    as::ScheduledProgram program = task_.apply_best(records_);
    EXPECT_THAT(program.lowered(), HasSubstr("produce out"));
    EXPECT_EQ(task_.print_best(records_, "json").substr(0, 1), "{");
    EXPECT_THAT(task_.print_best(records_), HasSubstr("Func out"));
    Halide::Buffer<int> input(102, 102), out(100, 100);
    input.for_each_element([&](int x, int y) { input(x, y) = x * 3 + y * y; });
    ASSERT_EQ(program.compile()(input, out), 0);
    int wrong = 0;
    out.for_each_element([&](int x, int y) {
        int sum = 0;
        for (int i = 0; i < 9; i++) {
            sum += input(x + i % 3, y + i / 3);
        }
        wrong += out(x, y) == sum ? 0 : 1;
    });
    EXPECT_EQ(wrong, 0);

    // Another file goes on from there, and measures nothing twice.
    const std::string other = scratch_.file("other.db");
    as::SketchPolicy policy;
    policy.init_search_callbacks = {{records_}};
    EXPECT_EQ(task_.tune(quick(2, {as::RecordToFile{other}, keep}), policy).trials, 5);
    std::set<std::string> hashes;
    for (const as::MeasureResult& each : seen) {
        hashes.insert(each.schedule_hash);
    }
    EXPECT_EQ(hashes.size(), 5U);
    EXPECT_EQ(seen.back().trial, 5);
}

TEST_F(AutoScheduler, EndsInOrderWhenACallbackThrows) {
    const auto stop = [](const as::MeasureResult&) { throw std::out_of_range("enough"); };
    EXPECT_THROW(task_.tune(quick(1000, {as::RecordToFile{records_}, stop})), std::out_of_range);
    const auto go_on = quick(1, {as::RecordToFile{records_}});
    const int trials = task_.tune(go_on).trials;
    EXPECT_GE(trials, 2);
    EXPECT_LT(trials, 1000);
}

TEST_F(AutoScheduler, InterruptsEndTuningAndNotTheProgram) {
    const auto interrupt = [](const as::MeasureResult& result) {
        if (result.trial == 1) {
            ::kill(0, SIGINT);  // as a terminal does: the whole group
        }
    };
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // Halide's pool may have threads by now
    // In a group of its own, so that whoever runs the tests goes on.
    EXPECT_EXIT(
        {
            ::setpgid(0, 0);
            const auto options = quick(1000, {as::RecordToFile{records_}, interrupt});
            const std::string stopped = as::SearchTask("blur", {100}).tune(options).stopped;
            std::exit(stopped == "interrupted" ? 7 : 1);
        },
        testing::ExitedWithCode(7), "");
}

TEST_F(AutoScheduler, PrintsTheGraph) {
    EXPECT_THAT(task_.compute_dag(), HasSubstr("rows(x, y) ="));
    EXPECT_EQ(task_.workload_key(), R"(["blur", 100])");
}

TEST_F(AutoScheduler, RefusesWorkloads) {
    EXPECT_THAT([] { as::register_workload("blur", blur); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("registered already")));
    EXPECT_THAT([] { as::register_workload("a b", blur); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("letters, digits and _")));
    EXPECT_THAT([] { as::SearchTask("missing", {}); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("no workload `missing`")));
}

TEST_F(AutoScheduler, RefusesOptions) {
    EXPECT_THAT([&] { task_.tune(quick(0, {})); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("say when to end")));
    const as::RecordToFile file{records_};
    EXPECT_THAT([&] { task_.tune(quick(1, {file, file})); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("one RecordToFile only")));
    as::TuningOptions negative = quick(1, {});
    negative.runner.timeout = -1;
    EXPECT_THAT([&] { task_.tune(negative); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("must not be negative")));
}

TEST_F(AutoScheduler, TellsWhatTheCommandSays) {
    as::detail::write_text(records_, "something else");
    EXPECT_THROW((void)task_.apply_best(records_), as::CommandError);
    EXPECT_THROW((void)task_.apply_best(scratch_.file("none.db")), as::CommandError);
    EXPECT_THAT([&] { (void)task_.print_best(records_, "cuda"); },
                ThrowsMessage<as::CommandError>(HasSubstr("cuda")));
}

TEST(TimeEvaluator, CallsAsOftenAsItSays) {
    int calls = 0;
    const as::TimeResult times = as::time_evaluator([&] { calls++; }, 5, 4);
    EXPECT_EQ(calls, 1 + 5 * 4);
    EXPECT_EQ(times.results.size(), 4U);
    calls = 0;
    const auto sleep = [&] {
        calls++;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    const double seconds = as::time_evaluator(sleep, 1, 1, 10).results.at(0);
    EXPECT_GE(seconds, 1e-3);
    EXPECT_GE(calls, 2);
    EXPECT_THROW(as::time_evaluator(sleep, 0), std::invalid_argument);
}

TEST(TimeResult, HasTheUsualStatistics) {
    const as::TimeResult odd{{5, 1, 3}}, even{{1, 2, 3, 6}};
    EXPECT_DOUBLE_EQ(odd.mean(), 3);
    EXPECT_DOUBLE_EQ(odd.median(), 3);
    EXPECT_DOUBLE_EQ(even.mean(), 3);
    EXPECT_DOUBLE_EQ(even.median(), 2.5);
    EXPECT_DOUBLE_EQ(even.std(), std::sqrt(3.5));
}

}  // namespace
