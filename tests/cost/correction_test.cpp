#include "cost/correction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "cost/evaluator.h"
#include "cost/features.h"
#include "machine/profiles.h"
#include "schedule/random_schedules.h"
#include "schedule/sample_dags.h"
#include "search/sample.h"

namespace nestor {
namespace {

using ::testing::HasSubstr;

Machine avx2() {
    Machine machine = shipped_profile(InstructionSet::X86Avx2);
    machine.parallelism = 2;
    return machine;
}

std::int32_t column(const std::string& name) {
    for (std::size_t i = 0; i < features().size(); i++) {
        if (features()[i].name == name) {
            return static_cast<std::int32_t>(i);
        }
    }
    ADD_FAILURE() << "no feature " << name;
    return 0;
}

TreeNode leaf(float value) {
    return {-1, 0, value};
}

/// `low` where a feature is below the threshold, `high` elsewhere.
Tree stump(const std::string& feature, float threshold, float low, float high) {
    return {{column(feature), 1, threshold}, leaf(low), leaf(high)};
}

/// As of rows in which every feature was between -100 and 100.
Correction of_trees(const std::vector<Tree>& trees) {
    const Result<Correction> result = Correction::create(
        trees, std::vector<FeatureRange>(features().size(), {-100, 100}), "a test");
    EXPECT_TRUE(result.ok());
    return result.value();
}

std::vector<float> row_of(float value) {
    return std::vector<float>(features().size(), value);
}

std::vector<PipelineDag> pipelines() {
    return {samples::blur(), samples::weighted_blur(), samples::matmul(), samples::pyramid(),
            samples::sums()};
}

TEST(Features, HaveANameOfOneWordEachOfItsOwn) {
    std::set<std::string> names;
    for (const Feature& feature : features()) {
        const std::string name = feature.name;
        EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
                  std::string::npos);
        EXPECT_NE(name, "leaf") << "the word of a file";
        EXPECT_NE(std::string(feature.unit), "");
        EXPECT_NE(std::string(feature.meaning), "");
        EXPECT_TRUE(names.insert(name).second) << name;
    }
}

TEST(Features, TheirHashChangesWithEachText) {
    const std::vector<Feature> all(features().begin(), features().end());
    EXPECT_EQ(schema_hash(all), schema_hash());
    std::set<std::uint64_t> hashes{schema_hash()};
    for (const char* Feature::* text : {&Feature::name, &Feature::unit, &Feature::meaning}) {
        std::vector<Feature> other = all;
        other[3].*text = "something else";
        EXPECT_TRUE(hashes.insert(schema_hash(other)).second);
    }
    std::vector<Feature> turned = all;
    std::swap(turned[0], turned[1]);
    EXPECT_TRUE(hashes.insert(schema_hash(turned)).second);
    turned.pop_back();
    EXPECT_TRUE(hashes.insert(schema_hash(turned)).second);
}

TEST(Features, AreFiniteAndSharesAreShares) {
    int schedules = 0;
    for (const PipelineDag& dag : pipelines()) {
        for (std::uint64_t seed = 0; seed < 40; seed++) {
            const Schedule schedule = random_legal_schedule(dag, seed);
            const GroupRows groups = group_rows(dag, schedule, avx2());
            schedules++;
            ASSERT_EQ(groups.rows.rows(), groups.seconds.size());
            for (std::size_t i = 0; i < groups.rows.rows(); i++) {
                for (std::size_t f = 0; f < features().size(); f++) {
                    const float value = groups.rows.row(i)[f];
                    ASSERT_TRUE(std::isfinite(value)) << features()[f].name;
                    if (std::string(features()[f].unit) == "share") {
                        ASSERT_GE(value, -1e-5) << features()[f].name;
                        ASSERT_LE(value, 1 + 1e-5) << features()[f].name;
                    }
                }
            }
        }
    }
    EXPECT_EQ(schedules, 200);
}

TEST(Features, SayWhatTheScheduleIs) {
    const PipelineDag dag = samples::blur();
    Schedule schedule = empty_schedule(dag);
    for (const int f : {0, 1}) {
        schedule.functions[f].compute = Level::inlined();
    }
    schedule.functions[2].compute = Level::root();
    LoopNest& nest = samples::nest(schedule, 2);
    const auto value = [&](const std::string& name) {
        const GroupRows groups = group_rows(dag, schedule, avx2());
        EXPECT_EQ(groups.rows.rows(), 1U);
        return groups.rows.row(0)[column(name)];
    };
    EXPECT_EQ(value("scalar_share"), 1);
    EXPECT_EQ(value("unrolled"), 0);
    nest.vector = samples::split(nest, 0, 16);
    nest.unrolled = {samples::split(nest, 1, 4)};
    EXPECT_EQ(value("scalar_share"), 0);
    EXPECT_EQ(value("vector_width"), 1) << "two registers of 8 floats";
    EXPECT_EQ(value("unrolled"), 2);
    EXPECT_EQ(value("functions"), 0);
    EXPECT_EQ(value("tasks"), -1) << "one task, two threads";
    nest.parallel = {{1, 0}};
    EXPECT_NEAR(value("tasks"), std::log2(270.0 / 2), 1e-5);
    EXPECT_EQ(value("threads"), 1);
}

TEST(Correction, WithoutTreesIsOne) {
    EXPECT_EQ(Correction().factor(row_of(3)), 1);
    const Result<Correction> again = Correction::parse(Correction().text());
    ASSERT_TRUE(again.ok()) << again.error();
    EXPECT_EQ(again.value().factor(row_of(3)), 1);
}

TEST(Correction, AddsTheLeavesThatARowFallsInto) {
    const Tree deep{
        {column("depth"), 1, 2}, {column("loads"), 3, 5}, leaf(0.5F), leaf(-0.25F), leaf(0.125F)};
    const Correction correction = of_trees({stump("depth", 1, 0.25F, -0.5F), deep});
    EXPECT_EQ(correction.tree_count(), 2U);
    EXPECT_DOUBLE_EQ(correction.output(row_of(0)), 0.25 - 0.25);
    EXPECT_DOUBLE_EQ(correction.output(row_of(1)), -0.5 - 0.25) << "at the threshold: not below";
    EXPECT_DOUBLE_EQ(correction.output(row_of(9)), -0.5 + 0.5);
    std::vector<float> row = row_of(0);
    row[column("loads")] = 5;
    EXPECT_DOUBLE_EQ(correction.output(row), 0.25 + 0.125);
    EXPECT_NEAR(correction.factor(row), std::exp(0.375), 0.02) << "small ones are hardly bounded";
}

TEST(Correction, IsBounded) {
    const Correction correction = of_trees({stump("depth", 1, -50, 50)});
    EXPECT_NEAR(correction.factor(row_of(0)), 0.25, 1e-9);
    EXPECT_NEAR(correction.factor(row_of(2)), 4, 1e-9);
    double before = 0;
    for (float value = -3; value < 3; value += 0.1F) {
        const double factor = of_trees({{leaf(value)}}).factor(row_of(0));
        EXPECT_GT(factor, before);
        EXPECT_TRUE(factor > 0.25 && factor < 4);
        before = factor;
    }
}

TEST(Correction, IsShrunkWhereARowIsUnlikeWhatItWasFittedTo) {
    std::vector<Tree> trees;
    for (const char* name : {"depth", "loads", "operations", "tasks"}) {
        trees.push_back(stump(name, 0, 0.2F, 0.2F));
    }
    const Correction correction = of_trees(trees);
    std::vector<float> row = row_of(1);
    const double near = correction.factor(row);
    EXPECT_EQ(correction.trust(row), 1);
    row[column("seconds")] = 1000;
    EXPECT_EQ(correction.trust(row), 1) << "no tree asks for it";
    row[column("depth")] = 105;
    EXPECT_EQ(correction.trust(row), 1) << "hardly outside";
    row[column("depth")] = 200;
    EXPECT_EQ(correction.trust(row), 0.5) << "one of four";
    EXPECT_NEAR(correction.factor(row), std::sqrt(near), 1e-12);
    row[column("loads")] = -200;
    EXPECT_EQ(correction.factor(row), 1) << "half of them: nothing is known";
    row[column("tasks")] = -200;
    EXPECT_EQ(correction.factor(row), 1);
}

TEST(Correction, IsReadAsItWasWritten) {
    const Correction correction =
        of_trees({stump("depth", 0.1F, 1e-7F, -0.3333333F), {leaf(3.4e-5F)}});
    const std::string text = correction.text();
    EXPECT_TRUE(text.starts_with("NESTORW1\n"));
    const Result<Correction> again = Correction::parse(text);
    ASSERT_TRUE(again.ok()) << again.error();
    EXPECT_EQ(again.value(), correction);
    EXPECT_EQ(again.value().text(), text);
    EXPECT_EQ(again.value().model_hash(), correction.model_hash());
    EXPECT_NE(of_trees({stump("depth", 0.1F, 1e-7F, -0.3F)}).model_hash(), correction.model_hash());
}

std::string refusal(const std::string& text) {
    const Result<Correction> result = Correction::parse(text);
    EXPECT_FALSE(result.ok()) << text;
    return result.ok() ? "" : result.error();
}

std::string with(std::string text, const std::string& what, const std::string& instead) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return at == std::string::npos ? text : text.replace(at, what.size(), instead);
}

TEST(Correction, RefusesWhatIsNotItsOwn) {
    const std::string text = of_trees({stump("depth", 1, 0.25F, -0.5F)}).text();
    EXPECT_THAT(refusal(""), HasSubstr("no Nestor weights"));
    EXPECT_THAT(refusal("NESTORW2" + text.substr(8)), HasSubstr("no Nestor weights"));
    EXPECT_THAT(refusal("NESTORW1\n"), HasSubstr("damaged"));
    const std::string schema = text.substr(text.find("schema ") + 7, 16);
    EXPECT_THAT(refusal(with(text, schema, "0123456789abcdef")),
                ::testing::AllOf(HasSubstr("other features"), HasSubstr("nestor train")));
    EXPECT_THAT(refusal(with(text, "leaf 0.25", "leaf 0.5")), HasSubstr("changed"));
    for (std::size_t length = 0; length < text.size(); length += 7) {
        EXPECT_FALSE(Correction::parse(text.substr(0, length)).ok()) << length;
    }
}

TEST(Correction, RefusesTreesThatAreNone) {
    const std::vector<FeatureRange> ranges(features().size());
    const auto is_refused = [&](const Tree& tree) {
        return !Correction::create(std::vector<Tree>{tree}, ranges, "").ok();
    };
    EXPECT_FALSE(is_refused({leaf(1)}));
    EXPECT_TRUE(is_refused({}));
    EXPECT_TRUE(is_refused({leaf(std::nanf(""))}));
    EXPECT_TRUE(is_refused({{0, 0, 1}, leaf(1), leaf(2)})) << "a circle";
    EXPECT_TRUE(is_refused({{0, 2, 1}, leaf(1), leaf(2)})) << "a child beyond the end";
    EXPECT_TRUE(is_refused({{1000, 1, 1}, leaf(1), leaf(2)})) << "no such feature";
    EXPECT_FALSE(Correction::create(std::vector<Tree>{{leaf(1)}}, {}, "").ok());
    std::vector<FeatureRange> upside_down = ranges;
    upside_down[2] = {1, 0};
    EXPECT_FALSE(Correction::create(std::vector<Tree>{{leaf(1)}}, upside_down, "").ok());
}

TEST(Correction, MultipliesTheSecondsOfGroups) {
    const Machine machine = avx2();
    const Correction correction =
        of_trees({stump("functions", 0.5F, 0.7F, -0.4F), stump("vector_width", 0, 0.3F, -0.2F)});
    int differ = 0;
    for (const PipelineDag& dag : pipelines()) {
        Evaluator evaluator(dag, machine, &correction);
        Evaluator plain(dag, machine);
        for (const Schedule& schedule : sample_schedules(dag, machine, {}, 30, 3)) {
            const GroupRows groups = group_rows(dag, schedule, machine);
            const Prediction predicted = predict(dag, schedule, machine, &correction);
            ASSERT_EQ(predicted.groups.size(), groups.seconds.size());
            double sum = 0;
            double sum_before = 0;
            for (std::size_t g = 0; g < groups.seconds.size(); g++) {
                const double factor = correction.factor(groups.rows.row(g));
                EXPECT_EQ(predicted.groups[g].factor, factor);
                EXPECT_NEAR(predicted.groups[g].cost.total() / groups.seconds[g], factor, 1e-9);
                sum += groups.seconds[g] * factor;
                sum_before += groups.seconds[g];
            }
            EXPECT_NEAR(predicted.cost.total() / sum, 1, 1e-9);
            EXPECT_NEAR(evaluator.seconds(schedule) / sum, 1, 1e-9);
            EXPECT_NEAR(plain.seconds(schedule) / sum_before, 1, 1e-9);
            differ += std::abs(sum / sum_before - 1) > 0.1 ? 1 : 0;
        }
    }
    EXPECT_GT(differ, 50);
}

}  // namespace
}  // namespace nestor
