#include "bench/report.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "measure/timing.h"

namespace nestor {

using nlohmann::json;

namespace {

using Row = std::vector<std::string>;

/** Three significant digits, without an exponent. */
std::string number(double value) {
    if (!(value > 0)) {
        return "-";
    }
    const int digits = std::max(0, 2 - static_cast<int>(std::floor(std::log10(value))));
    std::ostringstream text;
    text << std::fixed << std::setprecision(digits) << value;
    return text.str();
}

std::string join(const Row& row, const std::vector<std::size_t>& widths, TableStyle style) {
    std::ostringstream line;
    line << (style == TableStyle::Markdown ? "| " : "");
    for (std::size_t i = 0; i < row.size(); i++) {
        // Characters outside of ASCII do not occur, so bytes are columns.
        line << (i == 0 ? std::left : std::right) << std::setw(static_cast<int>(widths[i]))
             << row[i];
        line << (style == TableStyle::Markdown ? " |" : "") << (i + 1 < row.size() ? " " : "");
        line << (style == TableStyle::Plain && i + 1 < row.size() ? " " : "");
    }
    std::string text = line.str();
    while (text.ends_with(' ')) {
        text.pop_back();
    }
    return text + "\n";
}

std::string table(const std::vector<Row>& rows, TableStyle style) {
    std::vector<std::size_t> widths(rows.front().size(), 3);
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); i++) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string text = join(rows.front(), widths, style);
    Row rule;
    for (std::size_t i = 0; i < widths.size(); i++) {
        rule.emplace_back(std::string(widths[i] - (i == 0 ? 0 : 1), '-') + (i == 0 ? "" : ":"));
    }
    text += style == TableStyle::Markdown ? join(rule, widths, style) : "";
    for (std::size_t i = 1; i < rows.size(); i++) {
        text += join(rows[i], widths, style);
    }
    return text;
}

bool timed(const Version& version) {
    return version.healthy() && version.seconds > 0;
}

std::string why_not(const Version& version) {
    if (version.wrong) {
        return "WRONG";
    }
    return version.healthy() ? "-" : "failed";
}

double geometric_mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += std::log(value);
    }
    return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

/** One contender's speeds relative to the first, where both are right. */
std::vector<double> speeds(const std::vector<BoardRow>& board, std::size_t contender) {
    std::vector<double> all;
    for (const BoardRow& entry : board) {
        const Version& first = entry.versions.front();
        const Version& version = entry.versions[contender];
        if (timed(first) && timed(version)) {
            all.push_back(version.speed);
        }
    }
    return all;
}

}  // namespace

std::string board_table(const std::vector<BoardRow>& board, TableStyle style) {
    const std::vector<Version>& some = board.front().versions;
    std::vector<Row> rows;
    Row head{"pipeline", some.front().contender.label + " ms"};
    for (std::size_t i = 1; i < some.size(); i++) {
        head.push_back(some[i].contender.label);
    }
    rows.push_back(head);
    for (const BoardRow& entry : board) {
        const std::vector<Version>& versions = entry.versions;
        const Version& first = versions.front();
        Row row{entry.pipeline, timed(first) ? number(first.seconds * 1e3) : why_not(first)};
        for (std::size_t i = 1; i < versions.size(); i++) {
            const bool both = timed(first) && timed(versions[i]);
            row.push_back(both ? number(versions[i].speed) : why_not(versions[i]));
        }
        rows.push_back(row);
    }

    Row mean{"geometric mean"};
    Row count{"of pipelines"};
    Row failed{"failed"};
    Row wrong{"wrong"};
    Row seconds{"scheduling s, median"};
    Row memory{"scheduling MiB, most"};
    for (std::size_t i = 0; i < some.size(); i++) {
        const std::vector<double> relative = speeds(board, i);
        mean.push_back(i == 0 ? "1" : number(geometric_mean(relative)));
        count.push_back(std::to_string(relative.size()));
        std::vector<double> scheduling;
        int failures = 0;
        int wrongs = 0;
        double most = 0;
        for (const BoardRow& entry : board) {
            const Version& version = entry.versions[i];
            failures += !version.healthy() && !version.wrong ? 1 : 0;
            wrongs += version.wrong ? 1 : 0;
            if (version.schedule_seconds > 0) {
                scheduling.push_back(version.schedule_seconds);
                most = std::max(most, static_cast<double>(version.schedule_peak_bytes));
            }
        }
        failed.push_back(std::to_string(failures));
        wrong.push_back(std::to_string(wrongs));
        seconds.push_back(scheduling.empty() ? "-" : number(median_of(scheduling)));
        memory.push_back(number(most / (1 << 20)));
    }
    rows.insert(rows.end(), {mean, count, failed, wrong, seconds, memory});
    return table(rows, style);
}

std::string detail_table(const BoardRow& entry, TableStyle style) {
    std::vector<Row> rows{
        {"scheduler", "scheduling s", "its MiB", "run ms", "+- %", "speed", "run MiB", "verified"}};
    const Version& first = entry.versions.front();
    for (const Version& version : entry.versions) {
        const bool has_time = timed(version);
        rows.push_back({version.contender.label, number(version.schedule_seconds),
                        number(static_cast<double>(version.schedule_peak_bytes) / (1 << 20)),
                        has_time ? number(version.seconds * 1e3) : "-",
                        has_time ? number(version.timing.uncertainty * 100) : "-",
                        has_time && timed(first) ? number(version.speed) : "-",
                        number(static_cast<double>(version.run_peak_bytes) / (1 << 20)),
                        version.healthy()
                            ? version.verified
                            : (version.wrong ? "WRONG: " : "failed: ") + version.failure});
    }
    return table(rows, style);
}

json board_json(const std::vector<BoardRow>& board, const MachineState& machine) {
    json text = {{"machine",
                  {{"cpu", machine.cpu},
                   {"cores", machine.cores},
                   {"threads", machine.threads},
                   {"halide", machine.halide},
                   {"load", machine.load}}},
                 {"pipelines", json::array()}};
    for (const BoardRow& entry : board) {
        json rows = json::array();
        for (const Version& v : entry.versions) {
            rows.push_back({{"label", v.contender.label},
                            {"scheduler", v.contender.scheduler},
                            {"params", v.contender.params},
                            {"failure", v.failure},
                            {"wrong", v.wrong},
                            {"schedule_seconds", v.schedule_seconds},
                            {"schedule_peak_bytes", v.schedule_peak_bytes},
                            {"compile_seconds", v.compile_seconds},
                            {"first_seconds", v.first_seconds},
                            {"run_peak_bytes", v.run_peak_bytes},
                            {"verified", v.verified},
                            {"seconds", v.seconds},
                            {"speed", v.speed},
                            {"uncertainty", v.timing.uncertainty},
                            {"samples", v.timing.samples},
                            {"rounds", v.timing.rounds}});
        }
        text["pipelines"].push_back({{"name", entry.pipeline}, {"versions", rows}});
    }
    return text;
}

}  // namespace nestor
