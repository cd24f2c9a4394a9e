// What tuning decides by: errors of estimates, the best trials, the gains of tasks.

#include <gtest/gtest.h>

#include <cmath>

#include "tune/ideas.h"
#include "tune/task_scheduler.h"
#include "tune/trials.h"

namespace nestor {
namespace {

/** Mean and deviation of the logarithm of what is drawn for one second. */
std::pair<double, double> spread(const EstimateErrors& errors, IdeaKind kind) {
    constexpr int kDraws = 4000;
    std::mt19937_64 random(7);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kDraws; i++) {
        const double x = std::log(errors.draw(kind, 1, random));
        sum += x;
        squares += x * x;
    }
    const double mean = sum / kDraws;
    return {mean, std::sqrt(squares / kDraws - mean * mean)};
}

TEST(EstimateErrors, LearnsHowFarEstimatesAreOff) {
    EstimateErrors errors;
    EXPECT_NEAR(spread(errors, IdeaKind::Neighbour).first, 0, 0.02);
    for (int i = 0; i < 200; i++) {
        errors.learn(IdeaKind::Neighbour, 1, i % 2 == 0 ? 1.8 : 2.2);
    }
    const auto [mean, deviation] = spread(errors, IdeaKind::Neighbour);
    EXPECT_NEAR(mean, std::log(2), 0.05);
    EXPECT_NEAR(deviation, 0.14, 0.04);
    EXPECT_NEAR(spread(errors, IdeaKind::Mutation).first, 0, 0.03) << "each kind has its own";
}

TEST(EstimateErrors, FailuresMakeAKindLessAttractive) {
    EstimateErrors errors;
    for (int i = 0; i < 20; i++) {
        errors.learn(IdeaKind::RandomWalk, 1, 0);
    }
    EXPECT_GT(spread(errors, IdeaKind::RandomWalk).first, 0.5);
}

Idea idea(double estimate, IdeaKind kind) {
    Idea idea;
    idea.kind = kind;
    idea.estimate = estimate;
    return idea;
}

TEST(ByDraw, PrefersLowEstimatesAndTriesTheOthersAtTimes) {
    const std::vector<Idea> ideas{idea(1.0, IdeaKind::Neighbour), idea(1.1, IdeaKind::Neighbour),
                                  idea(9.0, IdeaKind::Neighbour)};
    EstimateErrors errors;
    std::mt19937_64 random(3);
    std::array<int, 3> first{};
    for (int i = 0; i < 300; i++) {
        first[by_draw(ideas, errors, random).front()]++;
    }
    EXPECT_GT(first[0], first[1]);
    EXPECT_GT(first[1], 30) << "a tenth apart is within the error";
    EXPECT_EQ(first[2], 0) << "nine times as slow is not";
}

Trial trial(std::uint64_t hash, double seconds, double predicted = 1) {
    Trial trial;
    trial.hash = hash;
    trial.seconds = seconds;
    trial.proposal.seconds = predicted;
    return trial;
}

TEST(Trials, KnowTheFastestAndTheLastGain) {
    Trials trials;
    EXPECT_EQ(trials.best(), -1);
    EXPECT_EQ(trials.best_seconds(), 0);
    trials.add(trial(1, 4.0, 2), "timed");
    trials.add(trial(2, 0.0), "crash");
    trials.add(trial(3, 2.01, 1), "timed");
    trials.add(trial(4, 2.0, 1), "timed");
    EXPECT_EQ(trials.best(), 3);
    EXPECT_EQ(trials.last_gain(), 3) << "half a per cent is none";
    EXPECT_EQ(trials.fastest(2), (std::vector<int>{3, 2}));
    EXPECT_EQ(trials.failures(), (std::map<std::string, int>{{"crash", 1}}));
    EXPECT_TRUE(trials.knows(2));
    EXPECT_FALSE(trials.knows(5));
    EXPECT_DOUBLE_EQ(trials.scale(), 2);
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
