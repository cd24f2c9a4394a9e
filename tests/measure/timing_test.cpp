#include "measure/timing.h"

#include <gtest/gtest.h>

#include <string>

#include "measure/measurement.h"
#include "nlohmann/json.hpp"

namespace nestor {
namespace {

TEST(Median, OfOddAndEvenCounts) {
    EXPECT_EQ(median_of({3, 1, 2}), 2);
    EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
    EXPECT_EQ(median_of({7}), 7);
}

TEST(Uncertainty, ShrinksWithSamplesAndGrowsWithSpread) {
    const auto spread = [](int count, double width) {
        std::vector<double> samples;
        for (int i = 0; i < count; i++) {
            samples.push_back(1 + width * ((i * 37) % count) / count);
        }
        return uncertainty_of(samples);
    };
    EXPECT_EQ(uncertainty_of({1}), 1);
    EXPECT_EQ(spread(50, 0), 0);
    EXPECT_LT(spread(400, 0.5), spread(25, 0.5));
    EXPECT_LT(spread(50, 0.1), spread(50, 0.5));
    // Ranks 50 -+ 9.8 of 100 even steps of 1%.
    EXPECT_NEAR(spread(100, 1), 0.1 / 1.495, 0.01);
}

TEST(Interleaving, RunsAllInTurnsUntilTheFirstIsKnown) {
    std::string order;
    TimingLimits limits;
    limits.min_rounds = 5;
    limits.precision = 1e9;  // whatever the noise
    limits.sample_seconds = 0;
    const TimingResult result = time_interleaved(
        {runnable("a", [&] { order += "a"; }), runnable(
                                                   "b", [&] { order += "b"; }, false)},
        limits);
    EXPECT_EQ(result.stopped, "stable");
    EXPECT_EQ(result.rounds, 5);
    EXPECT_EQ(result.versions[0].samples.size(), 5U);
    EXPECT_EQ(result.versions[1].samples.size(), 5U);
    EXPECT_NE(order.find("abbaab"), std::string::npos) << order;
}

TEST(Interleaving, AlwaysYieldsASample) {
    TimingLimits limits;
    limits.seconds = 0;
    limits.precision = 0;
    const TimingResult result =
        time_interleaved({runnable("a", [] {}), runnable("b", [] {}, false)}, limits);
    EXPECT_EQ(result.stopped, "time");
    EXPECT_EQ(result.versions[0].samples.size(), 1U);
    EXPECT_EQ(result.versions[1].samples.size(), 1U);
}

TEST(Interleaving, RoundsAndTimeEndIt) {
    // Clocks of their own: nothing here depends on the machine.
    int calls = 0;
    const auto noisy = [&](int) { return ++calls % 2 == 0 ? 0.01 : 0.02; };
    TimingLimits limits;
    limits.precision = 0;
    limits.max_rounds = 9;
    const TimingResult result = time_interleaved({{"a", noisy}, {"b", noisy, false}}, limits);
    EXPECT_EQ(result.stopped, "rounds");
    EXPECT_EQ(result.versions[0].rounds, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(result.versions[1].samples.size(), 9U);
    limits.seconds = 0;
    EXPECT_EQ(time_interleaved({{"a", noisy}}, limits).stopped, "time");
}

// A machine that is twice as slow from one round to the next, for both.
TEST(Interleaving, WhatIsRelativeIsKnownOnAMachineThatDrifts) {
    int calls = 0;
    const auto takes = [&](double seconds) {
        return [&calls, seconds](int) {
            const int round = calls++ / 2;
            return (round + 1) * seconds;
        };
    };
    TimingLimits limits;
    limits.precision = 0.01;
    limits.max_rounds = 100;
    limits.sample_seconds = 0;
    const TimingResult beside =
        time_interleaved({{"a", takes(1), true, 1}, {"b", takes(2), false}}, limits);
    EXPECT_EQ(beside.stopped, "stable");
    EXPECT_EQ(beside.rounds, limits.min_rounds);
    EXPECT_EQ(beside.versions[0].uncertainty, 0);
    EXPECT_EQ(speed_relative_to(beside.versions[1], beside.versions[0]), 2);
    calls = 0;
    EXPECT_EQ(time_interleaved({{"a", takes(1)}, {"b", takes(2), false}}, limits).stopped,
              "rounds");
}

TEST(Interleaving, SlowVersionsAreRepeatedLessOften) {
    const auto takes = [](double seconds) { return [seconds](int) { return seconds; }; };
    TimingLimits limits;
    limits.precision = 0;
    limits.max_rounds = 6;
    limits.slow_samples = 2;
    const auto rounds = [&] {
        return time_interleaved({{"fast", takes(0.01)}, {"slow", takes(0.5)}}, limits)
            .versions[1]
            .rounds;
    };
    EXPECT_EQ(rounds().size(), 6U);
    limits.slow_factor = 20;
    EXPECT_EQ(rounds(), (std::vector<int>{0, 1}));
    limits.slow_factor = 100;
    limits.slow_run = 0.1;
    EXPECT_EQ(rounds(), (std::vector<int>{0, 1}));
}

TEST(Speed, IsTheMedianRatioOfTheSameRounds) {
    // While the machine was half as fast, both were.
    const Timed reference{"reference", {1, 2, 2, 2, 1}, {0, 1, 2, 3, 4}};
    EXPECT_EQ(speed_relative_to(reference, {"all rounds", {2, 4, 4, 4, 2}, {0, 1, 2, 3, 4}}), 0.5);
    EXPECT_EQ(speed_relative_to(reference, {"some", {0.25, 0.25}, {0, 4}}), 4);
    EXPECT_EQ(speed_relative_to(reference, {"none in common", {4}, {9}}), 0.5);
    EXPECT_EQ(speed_relative_to(reference, {"never ran", {}, {}}), 0);
    EXPECT_EQ(speed_relative_to(reference, reference), 1);
}

TEST(Measurement, SurvivesJson) {
    Measurement m;
    m.outcome = Outcome::Timed;
    m.samples = {0.25, 0.5, 0.125};
    m.runs_per_sample = 3;
    m.seconds = 0.25;
    m.uncertainty = 0.5;
    m.drift = 1.25;
    m.anchor_seconds = 0.375;
    m.build_seconds = 2;
    m.peak_bytes = std::int64_t{1} << 40U;
    m.verified_against = "the unscheduled pipeline";
    m.machine = machine_state(2);
    const auto text = to_json(m);
    const Result<Measurement> back = measurement_from_json(text);
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(to_json(back.value()), text);
    EXPECT_EQ(back.value().machine, m.machine);
    EXPECT_FALSE(m.machine.cpu.empty());

    auto unknown = text;
    unknown["outcome"] = "excellent";
    EXPECT_FALSE(measurement_from_json(unknown));
    auto missing = text;
    missing.erase("seconds");
    EXPECT_FALSE(measurement_from_json(missing));
    auto older = text;
    older.erase("anchor_seconds");
    const Result<Measurement> alone = measurement_from_json(older);
    ASSERT_TRUE(alone) << alone.error();
    EXPECT_EQ(alone.value().anchor_seconds, 0);
}

}  // namespace
}  // namespace nestor
