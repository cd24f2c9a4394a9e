#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/page.h"
#include "report/report_json.h"

namespace nestor {
namespace {

constexpr const char* kEvil = "</script><script>alert('\"&\\')</script>";

Report evil_report() {
    Report report;
    report.pipeline = kEvil;
    report.task = {kEvil, kEvil, kEvil, kEvil, 2};
    report.versions = {kEvil};
    report.runs = {{1, report.task, kEvil, kEvil, kEvil, kEvil}};
    ReportTrial& trial = report.trials.emplace_back();
    trial.outcome = trial.message = trial.origin = trial.schedule_hash = trial.created = kEvil;
    report.failures = {{kEvil, 1, {{kEvil, 1, 1}}}};
    report.structures.emplace_back().text = kEvil;
    return report;
}

int count_of(const std::string& text, const std::string& part) {
    int count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        count++;
    }
    return count;
}

TEST(ReportPage, HtmlIsEscaped) {
    EXPECT_EQ(escape_html("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
}

TEST(ReportPage, TheIslandMeansTheSameAndHoldsNoTag) {
    const nlohmann::json json = kEvil;
    const std::string island = escape_json_island(json.dump());
    EXPECT_EQ(island.find_first_of("<>&"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(island), json);
}

TEST(ReportPage, TextsOfRecordsAddNoTags) {
    Report tame;
    tame.pipeline = "tame";
    const std::string plain = report_page({tame}, "tuned.db");
    const std::string evil = report_page({evil_report()}, kEvil);
    EXPECT_EQ(count_of(evil, "<script"), count_of(plain, "<script"));
    EXPECT_EQ(count_of(evil, "</script"), count_of(plain, "</script"));
    EXPECT_NE(evil.find("<title>&lt;/script&gt;"), std::string::npos);
}

TEST(ReportPage, TheDataAreInThePage) {
    const Report report = evil_report();
    const std::string page = report_page({report, report}, "tuned.db");
    const std::string begin_mark = "<script type=\"application/json\" id=\"data\">";
    const std::size_t begin = page.find(begin_mark) + begin_mark.size();
    const std::string island = page.substr(begin, page.find("</script>", begin) - begin);
    const auto data = nlohmann::ordered_json::parse(island);
    ASSERT_EQ(data.at("reports").size(), 2U);
    EXPECT_EQ(data["reports"][1], to_json(report));
    EXPECT_EQ(data["reports"][0]["trials"][0]["origin"], kEvil);
}

TEST(ReportPage, BrokenTextIsNoObstacle) {
    Report report;
    report.pipeline = "caf\xe9 {{data}}";
    const std::string page = report_page({report}, "tuned.db");
    EXPECT_EQ(count_of(page, "id=\"data\""), 1);
}

TEST(ReportPage, ItNeedsNothingElse) {
    const std::string page = report_page({Report{}}, "tuned.db");
    EXPECT_EQ(page.find(" src="), std::string::npos);
    EXPECT_EQ(page.find("<link"), std::string::npos);
    EXPECT_EQ(page.find("@import"), std::string::npos);
    EXPECT_EQ(page.find("{{"), std::string::npos) << page.substr(page.find("{{"), 40);
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
    EXPECT_NE(page.find("Released under the MIT License"), std::string::npos);
}

}  // namespace
}  // namespace nestor
