// Every seed on every awkward pipeline: legal, verified, compiled, run at all sizes, and right.

#include <gtest/gtest.h>

#include "halide/apply.h"
#include "halide/read_pipeline.h"
#include "halide/target_machine.h"
#include "halide/verify.h"
#include "schedule/print.h"
#include "search/seeds.h"
#include "support/pipelines.h"
#include "support/run.h"

namespace nestor::testing {
namespace {

constexpr std::uint64_t kSeed = 1;

class Seeds : public ::testing::TestWithParam<TestPipeline> {};

// A seed that the verifier refuses is never returned to a user, so it is not run either; but some seed besides
// "unscheduled" must survive unless the user scheduled everything.
TEST_P(Seeds, ComputeWhatTheUnscheduledPipelineDoes) {
    const TestPipeline &test = GetParam();
    const BuiltPipeline built = test.build();
    const Halide::Target target = target_of(built);
    const Result<PipelineDag> dag = read_pipeline(built.pipeline, target);
    ASSERT_TRUE(dag) << dag.error();
    const Result<Verifier> verifier = Verifier::create(built.pipeline, target);
    ASSERT_TRUE(verifier) << verifier.error();
    const std::vector<Seed> seeds = make_seeds(dag.value(), machine_of(target));
    ASSERT_FALSE(seeds.empty());
    std::unique_ptr<Reference> reference;
    if (built.expect.run) {
        reference = std::make_unique<Reference>(test, kSeed);
        ASSERT_EQ(reference->error(), "");
    }
    int accepted = 0;
    for (const Seed &seed : seeds) {
        SCOPED_TRACE(seed.name + "\n" + print_cpp(dag.value(), seed.schedule));
        const Halide::Pipeline copy = deep_copy(built.pipeline);
        const Status applied = apply(copy, dag.value(), seed.schedule);
        ASSERT_TRUE(applied) << applied.error();
        if (const Status verified = verifier.value().verify(copy); !verified) {
            RecordProperty("refused " + seed.name, verified.error());
            EXPECT_NE(seed.name, "unscheduled") << verified.error();
            continue;
        }
        accepted++;
        const ApplySchedule schedule = [&](Halide::Pipeline &p) {
            const Status status = apply(p, dag.value(), seed.schedule);
            ASSERT_TRUE(status) << status.error();
        };
        if (!built.expect.run) {
            EXPECT_EQ(check_lowers(test, schedule), "");
            continue;
        }
        EXPECT_EQ(check_schedule(*reference, schedule).failure, "");
    }
    EXPECT_GE(accepted, 1);
}

INSTANTIATE_TEST_SUITE_P(Awkward, Seeds, ::testing::ValuesIn(all_awkward_pipelines()),
                         [](const auto &info) { return info.param.name; });

}  // namespace
}  // namespace nestor::testing
