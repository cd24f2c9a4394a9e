// Samples: what is read back, what is refused, and which of them are compared with each other.

#include "train/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "machine/profiles.h"
#include "schedule/sample_dags.h"
#include "search/sample.h"

namespace nestor {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> featurizations(const PipelineDag& dag, int count) {
    const Machine machine = shipped_profile(InstructionSet::X86Avx2);
    std::vector<std::string> texts;
    for (const Schedule& schedule : sample_schedules(dag, machine, {}, count, 2)) {
        texts.push_back(featurize(dag, schedule, &machine));
    }
    return texts;
}

TEST(Samples, AreReadBack) {
    const std::string featurization = featurizations(samples::blur(), 1).at(0);
    const std::string text = print_sample(0.1 + 0.2, 3, 12345678901, featurization);
    const Result<Sample> sample = parse_sample(text);
    ASSERT_TRUE(sample) << sample.error();
    EXPECT_EQ(sample.value().seconds, 0.1 + 0.2);
    EXPECT_EQ(sample.value().pipeline, 3);
    EXPECT_EQ(sample.value().name, 12345678901);
    EXPECT_EQ(sample.value().featurization.algorithm, samples::blur().algorithm_hash);
}

TEST(Samples, OtherTextIsRefused) {
    const std::string featurization = featurizations(samples::blur(), 1).at(0);
    const auto refusal = [](const std::string& text) {
        const Result<Sample> sample = parse_sample(text);
        return sample ? "" : sample.error();
    };
    EXPECT_EQ(refusal(print_sample(1, 0, 0, featurization)), "");
    EXPECT_THAT(refusal(featurization), HasSubstr("no sample of Nestor's"));
    EXPECT_THAT(refusal(print_sample(1, 0, 0, "")), HasSubstr("no featurization"));
    EXPECT_THAT(refusal(print_sample(0, 0, 0, featurization)), HasSubstr("without a time"));
    EXPECT_THAT(refusal(print_sample(-1, 0, 0, featurization)), HasSubstr("without a time"));
    EXPECT_THAT(refusal("nestor-sample 1 seconds=soon pipeline=0 schedule=0\n" + featurization),
                HasSubstr("damaged"));
    const Result<std::vector<Sample>> missing = read_samples(std::vector<std::string>{"/nowhere"});
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error(), HasSubstr("/nowhere"));
}

// One pipeline is twice as slow as the other: nothing to learn if they are known to be two.
TEST(Samples, CompareWithinAPipelineOnly) {
    const std::vector<std::string> texts = featurizations(samples::weighted_blur(), 20);
    const auto trees_of = [&](int other) {
        std::vector<Sample> all;
        for (const auto& [pipeline, slow] : {std::pair(0, 1.0), std::pair(other, 2.0)}) {
            for (std::size_t i = 0; i < texts.size() / 2; i++) {
                const std::string& text = texts[2 * i + (slow > 1 ? 1 : 0)];
                Sample sample = parse_sample(print_sample(1, pipeline, 0, text)).value();
                sample.seconds = slow * corrected_seconds(sample.featurization.groups, nullptr);
                all.push_back(std::move(sample));
            }
        }
        TrainOptions options;
        options.folds = 1;
        options.rounds = 3;
        const Result<Correction> fitted = fit_samples(all, options, nullptr);
        EXPECT_TRUE(fitted) << fitted.error();
        double largest = 0;
        for (const Sample& sample : all) {
            const GroupRows& rows = sample.featurization.groups;
            const double ratio =
                corrected_seconds(rows, &fitted.value()) / corrected_seconds(rows, nullptr);
            largest = std::max(largest, std::abs(std::log(ratio)));
        }
        return largest;
    };
    EXPECT_LT(trees_of(1), 1e-6);
    EXPECT_GT(trees_of(0), 1e-3);
}

}  // namespace
}  // namespace nestor
