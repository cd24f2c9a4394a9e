#include "train/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "train/booster.h"
#include "train/dataset.h"

namespace nestor {
namespace {

std::vector<float> random_row(std::mt19937& random) {
    std::vector<float> row(features().size());
    for (float& value : row) {
        value = std::uniform_real_distribution<float>(-1, 1)(random);
    }
    return row;
}

/// What the model is wrong by, in these tests: by two features of many.
double error_of(std::span<const float> row) {
    return std::exp((row[5] < 0 ? 0.5 : -0.3) + (row[11] < 0.4 ? 0.2 : -0.4));
}

/// Of schedules with so many groups, measured with so much noise (the standard deviation of a log).
std::vector<Example> synthetic(int count, int groups, unsigned seed, double noise = 0) {
    std::mt19937 random(seed);
    std::vector<Example> examples(count);
    for (Example& example : examples) {
        for (int g = 0; g < groups; g++) {
            const std::vector<float> row = random_row(random);
            const double seconds = 1e-3 * std::exp(std::normal_distribution<>(0, 1)(random));
            example.groups.rows.add(row);
            example.groups.seconds.push_back(seconds);
            example.measured_seconds += seconds * error_of(row);
        }
        example.measured_seconds *= std::exp(std::normal_distribution<>(0, noise)(random));
    }
    return examples;
}

/// Standard deviation of log(predicted / measured).
double spread(const std::vector<Example>& examples, const Correction* correction) {
    double sum = 0;
    double squares = 0;
    for (const Example& example : examples) {
        const double error =
            std::log(corrected_seconds(example.groups, correction) / example.measured_seconds);
        sum += error;
        squares += error * error;
    }
    const auto count = static_cast<double>(examples.size());
    return std::sqrt(squares / count - (sum / count) * (sum / count));
}

Correction fitted(const std::vector<Example>& examples, const TrainOptions& options = {},
                  const Correction* prior = nullptr) {
    Result<Correction> result = fit(examples, options, prior);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error());
    return result.ok() ? std::move(result).value() : Correction();
}

TEST(Fit, FindsAKnownErrorOfSingleGroups) {
    const Correction correction = fitted(synthetic(800, 1, 1), {.rounds = 100, .shrinkage = 0});
    double worst = 0;
    std::mt19937 random(2);
    const std::vector<float> base = random_row(random);
    // Up to the constant, which is not kept.
    double first = 0;
    for (const float five : {-0.5F, 0.5F}) {
        for (const float eleven : {-0.5F, 0.9F}) {
            std::vector<float> row = base;
            row[5] = five;
            row[11] = eleven;
            const double error = std::log(correction.factor(row) / error_of(row));
            first = first == 0 ? error : first;
            worst = std::max(worst, std::abs(error - first));
        }
    }
    EXPECT_LT(worst, 0.12);
}

TEST(Fit, FindsItInSchedulesOfSeveralGroupsAndHelpsWithOthers) {
    const std::vector<Example> learned = synthetic(300, 4, 1, 0.05);
    const std::vector<Example> others = synthetic(300, 4, 2, 0.05);
    const Correction correction = fitted(learned);
    EXPECT_LT(spread(learned, &correction), 0.6 * spread(learned, nullptr));
    EXPECT_LT(spread(others, &correction), 0.7 * spread(others, nullptr));
}

TEST(Fit, DoesLittleHarmWhereThereIsNothingToLearn) {
    std::vector<Example> noise = synthetic(12, 3, 5);
    std::mt19937 random(1);
    for (Example& example : noise) {
        example.measured_seconds = corrected_seconds(example.groups, nullptr) *
                                   std::exp(std::normal_distribution<>(0, 0.1)(random));
    }
    const Correction correction = fitted(noise);
    for (const Example& other : synthetic(50, 3, 6)) {
        const double ratio =
            corrected_seconds(other.groups, &correction) / corrected_seconds(other.groups, nullptr);
        EXPECT_NEAR(ratio, 1, 0.15);
    }
}

TEST(Fit, WhatAllOfAFamilyHaveInCommonChangesNothing) {
    std::vector<Example> examples = synthetic(60, 3, 1);
    const Correction before = fitted(examples);
    // On a machine that is five times as slow.
    for (Example& example : examples) {
        example.measured_seconds *= 5;
    }
    const Correction slower = fitted(examples);
    std::vector<Example> both = examples;
    for (Example example : synthetic(60, 3, 1)) {
        example.family = 1;
        both.push_back(std::move(example));
    }
    const Correction of_both = fitted(both);
    for (const Example& other : synthetic(20, 3, 2)) {
        const double seconds = corrected_seconds(other.groups, &before);
        EXPECT_NEAR(corrected_seconds(other.groups, &slower) / seconds, 1, 0.02);
        EXPECT_GT(corrected_seconds(other.groups, &of_both), 0.5 * seconds);
        EXPECT_LT(corrected_seconds(other.groups, &of_both), 2 * seconds);
    }
}

TEST(Fit, TheFastestCountMost) {
    // Two kinds of schedules whose measured times contradict each other, but for their speed.
    std::vector<Example> examples = synthetic(100, 1, 1);
    for (std::size_t i = 0; i < examples.size(); i++) {
        std::vector<float> row(features().size(), 0);
        row[3] = i % 4 < 2 ? -1.0F : 1.0F;
        examples[i].groups.rows = FeatureMatrix();
        examples[i].groups.rows.add(row);
        const bool fast = i % 2 == 0;
        examples[i].groups.seconds = {fast ? 1e-3 : 1e-1};
        // Of fast ones, row[3] = 1 makes it slower; of slow ones, faster.
        examples[i].measured_seconds =
            examples[i].groups.seconds[0] * std::exp(0.4 * (fast ? row[3] : -row[3]));
    }
    const Correction fast = fitted(examples, {.fast = 1});
    const auto ratio = [&](const Correction& correction) {
        return correction.factor(examples[2].groups.rows.row(0)) /
               correction.factor(examples[0].groups.rows.row(0));
    };
    EXPECT_GT(ratio(fast), 1.2);
    EXPECT_NEAR(ratio(fitted(examples, {.fast = 0})), 1, 0.05);
}

TEST(Fit, IsTheSameEachTime) {
    const std::vector<Example> examples = synthetic(80, 3, 4, 0.1);
    EXPECT_EQ(fitted(examples).text(), fitted(examples).text());
}

TEST(Fit, KeepsThePriorsTreesAndGoesOnFromThem) {
    const std::vector<Example> examples = synthetic(200, 2, 1);
    const Correction prior = fitted(examples, {.rounds = 10});
    ASSERT_EQ(prior.tree_count(), 10U);
    const Correction same = fitted(examples, {.rounds = 0}, &prior);
    EXPECT_EQ(same.trees(), prior.trees());
    const Correction more = fitted(examples, {.rounds = 30}, &prior);
    ASSERT_EQ(more.tree_count(), 40U);
    const std::vector<Tree> before = prior.trees();
    const std::vector<Tree> after = more.trees();
    EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
    EXPECT_LT(spread(examples, &more), 0.8 * spread(examples, &prior));
    // Ten trees that are there need not be found again: nearly what 40 from nothing are.
    EXPECT_LT(spread(examples, &more), 1.1 * spread(examples, nullptr));
    const Correction anew = fitted(examples, {.rounds = 40});
    EXPECT_NEAR(spread(examples, &more), spread(examples, &anew), 0.02);
    for (std::size_t f = 0; f < features().size(); f++) {
        EXPECT_LE(more.ranges()[f].low, prior.ranges()[f].low);
        EXPECT_GE(more.ranges()[f].high, prior.ranges()[f].high);
    }
}

TEST(Fit, RefusesWhatIsNoExample) {
    EXPECT_FALSE(fit({}, {}, nullptr).ok());
    const auto is_refused = [](const auto& change) {
        std::vector<Example> examples = synthetic(3, 2, 1);
        change(examples[1]);
        return !fit(examples, {}, nullptr).ok();
    };
    EXPECT_FALSE(is_refused([](Example&) {}));
    EXPECT_TRUE(is_refused([](Example& e) { e.measured_seconds = 0; }));
    EXPECT_TRUE(is_refused([](Example& e) { e.measured_seconds = std::nan(""); }));
    EXPECT_TRUE(is_refused([](Example& e) { e.weight = -1; }));
    EXPECT_TRUE(is_refused([](Example& e) { e.groups.seconds[0] = -1e-3; }));
    EXPECT_TRUE(is_refused([](Example& e) { e.groups.seconds = {0, 0}; }));
    EXPECT_FALSE(is_refused([](Example& e) { e.groups.seconds[0] = 0; }));
    EXPECT_TRUE(is_refused([](Example& e) { e.groups.seconds.pop_back(); }));
    EXPECT_TRUE(is_refused([](Example& e) { e.groups = {FeatureMatrix(2), {}}; }));
}

TEST(Fit, OfAFewSchedulesAddsNothing) {
    const std::vector<Example> few = synthetic(7, 3, 1);
    EXPECT_EQ(fitted(few).tree_count(), 0U);
    const Correction prior = fitted(synthetic(100, 3, 2));
    EXPECT_GT(prior.tree_count(), 0U);
    EXPECT_EQ(fitted(few, {}, &prior).trees(), prior.trees());
}

TEST(Fit, WhatIsSoInSomeFamiliesOnlyIsNotLearned) {
    // What makes schedules slower in three of six makes them faster in the others; a feature says
    // which family it is, but nothing of those to come.
    std::vector<Example> examples = synthetic(120, 1, 3);
    for (std::size_t i = 0; i < examples.size(); i++) {
        const int family = static_cast<int>(i % 6);
        std::vector<float> row(examples[i].groups.rows.row(0).begin(),
                               examples[i].groups.rows.row(0).end());
        row[7] = 0.1F * static_cast<float>(family);
        examples[i].family = family;
        examples[i].groups.rows = FeatureMatrix();
        examples[i].groups.rows.add(row);
        const bool slower = (row[5] > 0) == (family % 2 == 0);
        examples[i].measured_seconds =
            examples[i].groups.seconds[0] * std::exp(slower ? 0.4 : -0.4);
    }
    const double before = spread(examples, nullptr);
    const Correction all = fitted(examples, {.folds = 1});
    EXPECT_LT(spread(examples, &all), 0.8 * before) << "it can be found";
    const Correction so = fitted(examples);
    EXPECT_GT(spread(examples, &so), 0.9 * before);
}

TEST(Fit, TakesWellUnderASecond) {
    const std::vector<Example> examples = synthetic(300, 10, 1, 0.1);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_GT(fitted(examples).tree_count(), 0U);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took.count(), 5) << "0.2 s on a machine that does nothing else";
}

TEST(Booster, SaysWhatOurOwnTreesSay) {
    std::mt19937 random(7);
    FeatureMatrix rows;
    std::vector<float> gradient;
    for (int i = 0; i < 500; i++) {
        const std::vector<float> row = random_row(random);
        rows.add(row);
        gradient.push_back(row[0] * row[1] + row[2] - 0.3F);
    }
    Result<Booster> booster = Booster::create(rows, {.depth = 6, .rate = 0.3});
    ASSERT_TRUE(booster.ok()) << booster.error();
    const std::vector<float> ones(gradient.size(), 1);
    for (int round = 0; round < 25; round++) {
        ASSERT_TRUE(booster.value().step(gradient, ones).ok());
        std::ranges::rotate(gradient, gradient.begin() + 11);
    }
    const auto theirs = booster.value().outputs();
    const auto trees = booster.value().trees();
    ASSERT_TRUE(theirs.ok() && trees.ok());
    const Result<Correction> ours = Correction::create(
        trees.value(), std::vector<FeatureRange>(features().size(), {-1, 1}), "");
    ASSERT_TRUE(ours.ok()) << ours.error();
    EXPECT_EQ(ours.value().tree_count(), 25U);
    float most = 0;
    for (std::size_t i = 0; i < rows.rows(); i++) {
        EXPECT_NEAR(ours.value().output(rows.row(i)), theirs.value()[i], 1e-5);
        most = std::max(most, std::abs(theirs.value()[i]));
    }
    EXPECT_GT(most, 0.1) << "trees that say nothing";
}

TEST(Dataset, IsReadAsItWasWritten) {
    const std::vector<Example> examples = synthetic(5, 3, 1);
    const std::string text = print_examples(examples);
    const Result<std::vector<Example>> again = parse_examples(text, 7);
    ASSERT_TRUE(again.ok()) << again.error();
    ASSERT_EQ(again.value().size(), 5U);
    for (std::size_t i = 0; i < examples.size(); i++) {
        const Example& each = again.value()[i];
        EXPECT_EQ(each.family, 7);
        EXPECT_EQ(each.measured_seconds, examples[i].measured_seconds);
        EXPECT_EQ(each.groups.seconds, examples[i].groups.seconds);
        EXPECT_TRUE(
            std::ranges::equal(each.groups.rows.values(), examples[i].groups.rows.values()));
    }
}

TEST(Dataset, RefusesOtherFeaturesAndOtherFiles) {
    std::string text = print_examples(synthetic(2, 1, 1));
    EXPECT_FALSE(parse_examples("{}\n", 0).ok());
    EXPECT_FALSE(parse_examples("no JSON\n", 0).ok());
    EXPECT_FALSE(parse_examples(text + "{\"measured\": 1}\n", 0).ok());
    const std::size_t at = text.find("\"schema\":\"") + 10;
    text.replace(at, 16, "0123456789abcdef");
    const auto refused = parse_examples(text, 0);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().find("nestor examples"), std::string::npos);
}

}  // namespace
}  // namespace nestor
