// What tuning decides by: the best trials, the gains of tasks.

#include <gtest/gtest.h>

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
