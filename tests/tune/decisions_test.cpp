// What tuning decides by: the best trials, the gains of tasks.

#include <gtest/gtest.h>

#include "tune/doubts.h"
#include "tune/task_scheduler.h"
#include "tune/trials.h"

namespace nestor {
namespace {

Trial trial(std::uint64_t hash, double seconds) {
    Trial trial;
    trial.hash = hash;
    trial.seconds = seconds;
    return trial;
}

TEST(Trials, KnowTheFastestAndTheLastGain) {
    Trials trials;
    EXPECT_EQ(trials.best(), -1);
    EXPECT_EQ(trials.best_seconds(), 0);
    trials.add(trial(1, 4.0), "timed");
    trials.add(trial(2, 0.0), "crash");
    trials.add(trial(3, 2.01), "timed");
    trials.add(trial(4, 2.0), "timed");
    EXPECT_EQ(trials.best(), 3);
    EXPECT_EQ(trials.last_gain(), 3) << "half a per cent is none";
    EXPECT_EQ(trials.fastest(2), (std::vector<int>{3, 2}));
    EXPECT_EQ(trials.failures(), (std::map<std::string, int>{{"crash", 1}}));
    EXPECT_TRUE(trials.knows(2));
    EXPECT_FALSE(trials.knows(5));
    trials.refuse(3);
    EXPECT_EQ(trials.best(), 2);
    EXPECT_EQ(trials.failures().at("refused"), 1);
}

TEST(Doubts, WhatIsMuchFasterBesideAnAnchorIsMeasuredAgain) {
    Measurement timed;
    timed.outcome = Outcome::Timed;
    timed.seconds = 1.0;
    timed.anchor_seconds = 2.0;
    EXPECT_TRUE(is_doubtful(timed, 1.5));
    EXPECT_FALSE(is_doubtful(timed, 1.1));
    EXPECT_FALSE(is_doubtful(timed, 0)) << "there is no best one";
    timed.anchor_seconds = 0;
    EXPECT_FALSE(is_doubtful(timed, 1.5)) << "there was no anchor";

    Measurement slower = timed;
    slower.seconds = 1.3;
    EXPECT_EQ(more_modest(timed, slower).seconds, 1.3);
    EXPECT_EQ(more_modest(slower, timed).seconds, 1.3);
    const Measurement failed = Measurement::failure(Outcome::Crash, "");
    EXPECT_FALSE(is_doubtful(failed, 1.5));
    EXPECT_EQ(more_modest(timed, failed).outcome, Outcome::Crash);
    EXPECT_EQ(more_modest(failed, timed).outcome, Outcome::Crash);
}

TEST(ChooseTask, GivesEachOneBatchFirst) {
    const std::vector<TaskHistory> tasks{{1, 8, {0.5}, false}, {1, 0, {}, false}};
    EXPECT_EQ(choose_task(tasks), 1);
}

TEST(ChooseTask, GoesWhereTheGainIs) {
    std::vector<TaskHistory> tasks{{1, 32, {1.0, 1.0, 1.0, 1.0}, false},
                                   {1, 32, {1.0, 0.8, 0.6, 0.5}, false}};
    EXPECT_EQ(choose_task(tasks), 1);
    tasks[0].weight = 100;
    EXPECT_EQ(choose_task(tasks), 0) << "weights count";
    tasks[0].over = true;
    EXPECT_EQ(choose_task(tasks), 1);
    tasks[1].over = true;
    EXPECT_EQ(choose_task(tasks), -1);
}

TEST(ChooseTask, ComesBackToWhatStandsStill) {
    // What gained long ago and stands still now loses to what had fewer batches.
    const std::vector<TaskHistory> tasks{
        {1, 160, {1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, false},
        {1, 32, {1.0, 1.0}, false}};
    EXPECT_EQ(choose_task(tasks), 1);
}

}  // namespace
}  // namespace nestor
