// nestor report

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/command.h"
#include "cli/records_tasks.h"
#include "cli/report_tasks.h"
#include "report/page.h"
#include "report/report_json.h"

namespace nestor {

namespace {

constexpr const char* kReportExamples = R"(
Examples:
  nestor report tuned.db
      report.html: how tuning went, what was tried, and the winner, for every task in the file
  nestor report team.db --pipeline harris --threads 4 -o harris.html
      of some tasks only; nestor records list prints what there is
  nestor report tuned.db --profile
      on the machine that it was tuned on: measured time by function, too
  nestor report tuned.db --json
      the same facts for a script; times in seconds

The page is one file that needs no network. nestor explain --records FILE shows the winner in a
terminal.)";

struct ReportCommand {
    std::string file;
    TaskOptions task;
    std::string output = "report.html";
    bool profile = false;
    bool json = false;
};

Status run(const ReportCommand& options) {
    const auto reports = report_tasks(options.file, options.task, options.profile);
    if (!reports) {
        return Error{reports.error()};
    }
    if (options.json) {
        nlohmann::ordered_json json = nlohmann::ordered_json::array();
        for (const Report& report : reports.value()) {
            json.push_back(to_json(report));
        }
        std::cout << json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                  << "\n";
        return Ok{};
    }
    const std::string source = std::filesystem::path(options.file).filename().string();
    if (Status status = write_file(options.output, report_page(reports.value(), source)); !status) {
        return status;
    }
    std::cout << options.output << "\n";
    return Ok{};
}

}  // namespace

Action define_report(CLI::App& app) {
    const auto options = std::make_shared<ReportCommand>();
    add_records_file(app, options->file);
    add_task_options(app, options->task);
    app.add_option("-o,--output", options->output, "the page")
        ->type_name("FILE.html")
        ->capture_default_str();
    app.add_flag("--profile", options->profile,
                 "run each winner under Halide's profiler, to show where its time goes");
    app.add_flag("--json", options->json, "no page: the facts on stdout");
    app.footer(kReportExamples);
    return [options] { return run(*options); };
}

}  // namespace nestor
