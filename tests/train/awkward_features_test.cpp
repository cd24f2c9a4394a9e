// Features of random schedules of pipelines that break schedulers.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "cost/evaluator.h"
#include "halide/read_pipeline.h"
#include "machine/profiles.h"
#include "search/sample.h"
#include "support/pipelines.h"
#include "train/dataset.h"

namespace nestor::testing {
namespace {

/// With small caches: the pipelines are small.
Machine small_machine() {
    Machine machine = shipped_profile(InstructionSet::X86Avx2);
    machine.parallelism = 4;
    machine.l1.bytes.value = 1 << 13;
    machine.l2.bytes.value = 1 << 15;
    machine.l3.bytes.value = 1 << 17;
    return machine;
}

class AwkwardFeatures : public ::testing::Test {
  protected:
    struct Sampled {
        std::string name;
        PipelineDag dag;
        std::vector<Schedule> schedules;
    };

    static void SetUpTestSuite() {
        for (const TestPipeline& each : all_awkward_pipelines()) {
            const BuiltPipeline built = each.build();
            Result<PipelineDag> dag = read_pipeline(built.pipeline, target_of(built));
            ASSERT_TRUE(dag.ok()) << each.name << ": " << dag.error();
            std::vector<Schedule> schedules =
                sample_schedules(dag.value(), small_machine(), {}, 6, 1);
            sampled().push_back({each.name, std::move(dag).value(), std::move(schedules)});
        }
    }
    static void TearDownTestSuite() { sampled().clear(); }

    static std::vector<Sampled>& sampled() {
        static std::vector<Sampled> all;
        return all;
    }

    /// One family a pipeline; what takes many loads is said to take longer than predicted.
    static std::vector<Example> examples() {
        std::vector<Example> examples;
        for (std::size_t i = 0; i < sampled().size(); i++) {
            const Sampled& each = sampled()[i];
            for (const Schedule& schedule : each.schedules) {
                Example example = make_example(each.dag, schedule, small_machine(), 1);
                example.family = static_cast<int>(i);
                example.measured_seconds = corrected_seconds(example.groups, nullptr) *
                                           (example.groups.rows.rows() > 2 ? 2 : 1);
                if (example.measured_seconds > 0) {
                    examples.push_back(std::move(example));
                }
            }
        }
        return examples;
    }
};

TEST_F(AwkwardFeatures, AreFiniteAndDiffer) {
    const std::vector<Example> all = examples();
    EXPECT_GT(all.size(), 500U);
    std::vector<std::set<float>> seen(features().size());
    for (const Example& example : all) {
        const auto values = example.groups.rows.values();
        for (std::size_t i = 0; i < values.size(); i++) {
            ASSERT_TRUE(std::isfinite(values[i]))
                << sampled()[example.family].name << " " << features()[i % seen.size()].name;
            seen[i % seen.size()].insert(values[i]);
        }
    }
    for (std::size_t f = 0; f < features().size(); f++) {
        EXPECT_GT(seen[f].size(), 1U) << features()[f].name << " is always the same";
    }
}

TEST_F(AwkwardFeatures, CorrectTheEvaluatorAsThePrediction) {
    const Result<Correction> correction = fit(examples(), {.folds = 1}, nullptr);
    ASSERT_TRUE(correction.ok()) << correction.error();
    const Machine machine = small_machine();
    int differ = 0;
    for (const Sampled& each : sampled()) {
        Evaluator evaluator(each.dag, machine, &correction.value());
        for (const Schedule& schedule : each.schedules) {
            const double before = predict(each.dag, schedule, machine).cost.total();
            const double after =
                predict(each.dag, schedule, machine, &correction.value()).cost.total();
            EXPECT_NEAR(evaluator.seconds(schedule), after, 1e-9 * after) << each.name;
            EXPECT_GE(after, before / 4) << each.name;
            EXPECT_LE(after, before * 4) << each.name;
            differ += std::abs(after - before) > 0.1 * before ? 1 : 0;
        }
    }
    EXPECT_GT(differ, 100);
}

}  // namespace
}  // namespace nestor::testing
