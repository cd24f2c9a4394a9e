// The best that the search finds, and one of the seeds, on every awkward pipeline: legal, verified,
// compiled, run at all sizes, and right. All seeds take half as long again:
//     NESTOR_ALL_SEEDS=1 ./check --only awkward

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/check_schedules.h"
#include "support/isolate.h"

namespace nestor::testing {
namespace {

constexpr std::size_t kSeeds = 1;
constexpr double kLimitSeconds =
    600;  // of generated code that hangs, not of a machine that is slow

class Proposals : public ::testing::TestWithParam<TestPipeline> {};

// In a process of its own: other tests of this one fork, and a thread pool does not survive that.
TEST_P(Proposals, ComputeWhatTheUnscheduledPipelineDoes) {
    warm_up_jit();
    const std::size_t seeds = std::getenv("NESTOR_ALL_SEEDS") != nullptr ? kAllSeeds : kSeeds;
    const auto make = [&](const PipelineDag& dag, const Machine& machine) {
        return main_proposals(dag, machine, seeds);
    };
    const IsolatedResult result =
        run_isolated([&] { return check_schedules(GetParam(), 1, make).failure; }, kLimitSeconds);
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.text, "");
}

INSTANTIATE_TEST_SUITE_P(Awkward, Proposals, ::testing::ValuesIn(all_awkward_pipelines()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace nestor::testing
