// Every seed, and the best that the search finds, on every awkward pipeline: legal, verified,
// compiled, run at all sizes, and right.

#include <gtest/gtest.h>

#include "support/check_schedules.h"
#include "support/isolate.h"

namespace nestor::testing {
namespace {

constexpr double kLimitSeconds =
    600;  // of generated code that hangs, not of a machine that is slow

class Proposals : public ::testing::TestWithParam<TestPipeline> {};

// In a process of its own: other tests of this one fork, and a thread pool does not survive that.
TEST_P(Proposals, ComputeWhatTheUnscheduledPipelineDoes) {
    const IsolatedResult result = run_isolated(
        [&] { return check_schedules(GetParam(), 1, main_proposals).failure; }, kLimitSeconds);
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.text, "");
}

INSTANTIATE_TEST_SUITE_P(Awkward, Proposals, ::testing::ValuesIn(all_awkward_pipelines()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace nestor::testing
