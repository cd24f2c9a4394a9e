// Featurizations as text: what is read back, and what is refused.

#include "cost/featurization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "machine/profiles.h"
#include "schedule/sample_dags.h"
#include "search/sample.h"

namespace nestor {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
    const Result<Featurization> read = parse_featurization(text);
    return read ? "" : read.error();
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), with);
}

class FeaturizationTest : public ::testing::Test {
  protected:
    Machine machine_ = shipped_profile(InstructionSet::X86Avx2);
    PipelineDag dag_ = samples::weighted_blur();
    Schedule schedule_ = sample_schedules(dag_, machine_, {}, 1, 3).at(0);
    std::string text_ = featurize(dag_, schedule_, &machine_);
};

TEST_F(FeaturizationTest, GroupsAreReadBackExactly) {
    for (const PipelineDag& dag : samples::all()) {
        for (const Schedule& schedule : sample_schedules(dag, machine_, {}, 5, 1)) {
            const Result<Featurization> read =
                parse_featurization(featurize(dag, schedule, &machine_));
            ASSERT_TRUE(read) << read.error();
            const GroupRows rows = group_rows(dag, schedule, machine_);
            EXPECT_EQ(read.value().algorithm, dag.algorithm_hash);
            EXPECT_EQ(read.value().schedule, hash(schedule, dag));
            EXPECT_EQ(read.value().groups.seconds, rows.seconds);
            const auto values = read.value().groups.rows.values();
            EXPECT_TRUE(std::ranges::equal(values, rows.rows.values()));
        }
    }
}

TEST_F(FeaturizationTest, WithoutAMachineThereIsNothingToLearnFrom) {
    const std::string text = featurize(dag_, schedule_, nullptr);
    EXPECT_TRUE(text_.starts_with(text)) << "the table for people is the same";
    EXPECT_THAT(refusal(text), HasSubstr("without groups"));
}

TEST_F(FeaturizationTest, OtherTextIsRefused) {
    EXPECT_EQ(refusal(text_), "");
    EXPECT_THAT(refusal(""), HasSubstr("no featurization of Nestor's"));
    EXPECT_THAT(refusal(replaced(text_, "featurization 2", "featurization 1")),
                HasSubstr("another version"));
    const std::size_t schema = text_.find("schema=") + std::string("schema=").size();
    EXPECT_THAT(refusal(replaced(text_, text_.substr(schema, 16), "0123456789abcdef")),
                HasSubstr("other features"));
    EXPECT_THAT(refusal(text_ + "1"), HasSubstr("damaged"));
    const std::size_t groups = text_.find("\ngroups ") + 1;
    for (std::size_t at = text_.find(' ', text_.find('\n', groups)); at != std::string::npos;
         at = text_.find(' ', at + 1)) {
        EXPECT_THAT(refusal(text_.substr(0, at)), HasSubstr("damaged")) << at;
    }
    const std::size_t number = text_.find('\n', groups) + 1;
    for (const std::string bad : {"x", "-1", "nan", "inf", "1e999"}) {
        const std::size_t end = text_.find(' ', number);
        EXPECT_THAT(refusal(text_.substr(0, number) + bad + text_.substr(end)),
                    HasSubstr("damaged"))
            << bad;
    }
}

}  // namespace
}  // namespace nestor
