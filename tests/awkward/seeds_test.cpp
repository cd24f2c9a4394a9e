// Every seed on every awkward pipeline: legal, verified, compiled, run at all sizes, and right.

#include <gtest/gtest.h>

#include "support/check_seeds.h"

namespace nestor::testing {
namespace {

class Seeds : public ::testing::TestWithParam<TestPipeline> {};

TEST_P(Seeds, ComputeWhatTheUnscheduledPipelineDoes) {
    const SeedsReport report = check_seeds(GetParam(), 1);
    EXPECT_EQ(report.failure, "");
    RecordProperty("accepted", report.accepted);
    RecordProperty("refused", report.refused);
}

INSTANTIATE_TEST_SUITE_P(Awkward, Seeds, ::testing::ValuesIn(all_awkward_pipelines()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace nestor::testing
