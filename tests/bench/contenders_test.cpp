#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/version.h"

namespace nestor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Contenders, KnownNamesStandForSchedulersWithParameters) {
    const auto parsed =
        parse_contenders("expert,Adams2019-greedy,Li2018:tile=4:width=640,unscheduled");
    ASSERT_TRUE(parsed) << parsed.error();
    const std::vector<Contender>& all = parsed.value();
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[0].scheduler, "");
    EXPECT_EQ(all[1].scheduler, "Adams2019");
    EXPECT_THAT(all[1].params, ElementsAre("autoscheduler.beam_size=1"));
    EXPECT_EQ(all[2].label, "Li2018:tile=4:width=640");
    EXPECT_EQ(all[2].scheduler, "Li2018");
    EXPECT_THAT(all[2].params, ElementsAre("tile=4", "width=640"));
    EXPECT_EQ(all[3].scheduler, "Nestor");
    EXPECT_THAT(all[3].params, ElementsAre("autoscheduler.schedule=none"));
}

TEST(Contenders, DefaultsParse) {
    const auto parsed = parse_contenders(default_contenders());
    ASSERT_TRUE(parsed) << parsed.error();
    EXPECT_EQ(parsed.value().front().label, "expert");
    EXPECT_EQ(parsed.value().size(), 7U);
}

TEST(Contenders, TwiceTheSameOrNobodyIsAnError) {
    EXPECT_THAT(parse_contenders("Nestor,expert,Nestor").error(), HasSubstr("twice"));
    EXPECT_THAT(parse_contenders("a:b,a_b").error(), HasSubstr("twice"));  // one folder
    EXPECT_FALSE(parse_contenders(""));
    EXPECT_FALSE(parse_contenders("Nestor,,expert"));
}

TEST(Contenders, SlugsAreNames) {
    Version version;
    version.contender.label = "Adams2019:autoscheduler.beam_size=8";
    EXPECT_EQ(version.slug(), "adams2019_autoscheduler_beam_size_8");
}

}  // namespace
}  // namespace nestor
