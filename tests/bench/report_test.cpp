#include "bench/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace nestor {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

Version timed(const std::string& label, double seconds) {
    Version version;
    version.contender.label = label;
    version.seconds = seconds;
    version.timing.samples = {seconds};
    version.timing.rounds = {0};
    version.schedule_seconds = 10 * seconds;
    return version;
}

Version failed(const std::string& label, bool wrong) {
    Version version;
    version.contender.label = label;
    version.failure = "no luck";
    version.wrong = wrong;
    return version;
}

/// Twice and half as fast as the expert, and once wrong, once failed.
std::vector<BoardRow> board() {
    std::vector<BoardRow> rows{
        {"blur", {timed("expert", 0.002), timed("A", 0.001), failed("B", true)}},
        {"harris", {timed("expert", 0.01), timed("A", 0.02), timed("B", 0.0025)}},
        {"warp", {timed("expert", 0.01), failed("A", false), timed("B", 0.0025)}},
        {"pyramid", {failed("expert", false), timed("A", 0.01), timed("B", 0.0025)}},
    };
    for (BoardRow& row : rows) {
        for (Version& version : row.versions) {
            version.speed = speed_relative_to(row.versions.front().timing, version.timing);
        }
    }
    return rows;
}

TEST(BoardTable, HasSpeedsRelativeToTheFirst) {
    const std::string table = board_table(board(), TableStyle::Plain);
    EXPECT_THAT(table, ContainsRegex("pipeline +expert ms +A +B"));
    EXPECT_THAT(table, ContainsRegex("blur +2.00 +2.00 +WRONG"));
    EXPECT_THAT(table, ContainsRegex("harris +10.0 +0.500 +4.00"));
    EXPECT_THAT(table, ContainsRegex("warp +10.0 +failed +4.00"));
    EXPECT_THAT(table, ContainsRegex("pyramid +failed +- +-"));
}

TEST(BoardTable, CountsFailuresApartFromMeans) {
    const std::string table = board_table(board(), TableStyle::Plain);
    EXPECT_THAT(table, ContainsRegex("geometric mean +1 +1.00 +4.00"));
    EXPECT_THAT(table, ContainsRegex("of pipelines +3 +2 +2"));
    EXPECT_THAT(table, ContainsRegex("failed +1 +1 +0"));
    EXPECT_THAT(table, ContainsRegex("wrong +0 +0 +1"));
    EXPECT_THAT(table, ContainsRegex("scheduling s, median +0.100 +0.100 +0.0250"));
}

TEST(BoardTable, IsMarkdownOnRequest) {
    const std::string table = board_table(board(), TableStyle::Markdown);
    EXPECT_THAT(table, HasSubstr("| pipeline "));
    EXPECT_THAT(table, ContainsRegex("\\| -+ \\| *-+: \\|"));
    EXPECT_THAT(board_table(board(), TableStyle::Plain), Not(HasSubstr("|")));
}

TEST(DetailTable, SaysWhatFailed) {
    const std::string table = detail_table(board().front(), TableStyle::Plain);
    EXPECT_THAT(table, HasSubstr("WRONG: no luck"));
    EXPECT_THAT(detail_table(board()[2], TableStyle::Plain), HasSubstr("failed: no luck"));
}

TEST(BoardJson, HasEverySample) {
    const auto text = board_json(board(), machine_state(2));
    EXPECT_EQ(text["machine"]["threads"], 2);
    ASSERT_EQ(text["pipelines"].size(), 4U);
    EXPECT_EQ(text["pipelines"][0]["name"], "blur");
    EXPECT_EQ(text["pipelines"][0]["versions"][1]["samples"][0], 0.001);
    EXPECT_EQ(text["pipelines"][0]["versions"][1]["speed"], 2);
    EXPECT_EQ(text["pipelines"][0]["versions"][2]["wrong"], true);
}

}  // namespace
}  // namespace nestor
