#include "cli/report_tasks.h"

#include <fmt/core.h>

#include <iostream>
#include <sstream>

#include "cli/scratch.h"
#include "cli/stored_pipeline.h"
#include "cli/times.h"
#include "halide/task_target.h"
#include "measure/measurement.h"
#include "report/build_report.h"
#include "tune/profile.h"

namespace nestor {

namespace {

using Table = std::vector<std::vector<std::string>>;

/** Runs on this machine, which has to be the one that the times are of. */
Result<std::vector<ReportProfile>> run_profiler(const OpenedTask& opened, const TuningTask& task,
                                                const Schedule& schedule) {
    if (task.machine != machine_state(task.threads).cpu || !is_of_host(opened.target)) {
        return Error{"the records were measured on another machine"};
    }
    const Result<Scratch> scratch = Scratch::create();
    if (!scratch) {
        return Error{scratch.error()};
    }
    const auto times = profile(
        {opened.pipeline, opened.target, opened.known.dag, task.threads, scratch.value().path()},
        schedule);
    if (!times) {
        return Error{times.error()};
    }
    std::vector<ReportProfile> result;
    for (const FunctionTime& each : times.value()) {
        result.push_back({each.name, each.function, each.seconds});
    }
    return result;
}

Result<Report> report_of(const RecordStore& store, const TaskSummary& task, bool profile) {
    const Result<OpenedTask> opened = open_stored_pipeline(store, task.task);
    if (!opened) {
        return build_report(store, task, Error{opened.error()});
    }
    Profiler profiler;
    if (profile) {
        profiler = [&](const Schedule& schedule) {
            return run_profiler(opened.value(), task.task, schedule);
        };
    }
    return build_report(store, task, opened.value().known, profiler);
}

void print_head(const Report& report) {
    const ReportWinner& winner = *report.winner;
    std::cout << fmt::format("{} {}, {}, {}, threads: {}\n", report.pipeline, report.task.sizes,
                             report.task.target, report.task.machine, report.task.threads)
              << fmt::format("best: {} +- {:.1f}%, {:.2f} times as fast as without measuring\n",
                             time_text(winner.schedule.seconds), winner.schedule.uncertainty * 100,
                             report.speed_up())
              << fmt::format("schedule {}, {}, trial {} of {}\n", winner.schedule.schedule_hash,
                             winner.schedule.origin, winner.schedule.trial, report.trials.size());
    for (const ReportFailure& failure : report.failures) {
        std::cout << fmt::format("failed: {} {}, as in: {}\n", failure.count, failure.outcome,
                                 failure.messages.front().text);
    }
}

void print_gains(const Report& report) {
    Table table = {{"trial", "time", "speed-up", "predicted", "origin"}};
    for (const ReportTrial& trial : report.trials) {
        if (trial.is_gain) {
            table.push_back({std::to_string(trial.number), time_text(trial.seconds),
                             fmt::format("{:.2f}", report.first_seconds / trial.seconds),
                             time_text(trial.predicted), trial.origin});
        }
    }
    std::cout << "\ngains:\n";
    print_table(table);
}

void print_structures(const Report& report) {
    constexpr std::size_t kMost = 5;
    Table table = {
        {"best", "trials", report.structures_by_origin ? "origin" : "what is computed where"}};
    for (std::size_t i = 0; i < report.structures.size() && i < kMost; i++) {
        const ReportStructure& structure = report.structures[i];
        table.push_back(
            {time_text(structure.best_seconds), std::to_string(structure.trials), structure.text});
    }
    std::cout << fmt::format("\nthe best of {} {} that were tried:\n", report.structures.size(),
                             report.structures_by_origin ? "origins" : "structures");
    print_table(table);
}

void print_costs(const ReportCode& code, double measured) {
    constexpr double kShown = 0.005;  // of all
    std::vector<std::size_t> terms;
    for (std::size_t t = 0; t < kTerms; t++) {
        if (code.cost.seconds[t] > kShown * code.cost.total()) {
            terms.push_back(t);
        }
    }
    Table table = {{"predicted ms", "total"}};
    for (const std::size_t t : terms) {
        table.front().emplace_back(name_of(static_cast<Term>(t)));
    }
    const auto add = [&](const std::string& name, const Cost& cost) {
        std::vector<std::string> row = {name, fmt::format("{:.3f}", cost.total() * 1e3)};
        for (const std::size_t t : terms) {
            row.push_back(fmt::format("{:.3f}", cost.seconds[t] * 1e3));
        }
        table.push_back(std::move(row));
    };
    for (const ReportCost& each : code.costs) {
        add(each.function, each.cost);
    }
    add("all", code.cost);
    table.push_back({"measured", fmt::format("{:.3f}", measured * 1e3)});
    std::cout << "\nof each function at root, with what is computed in its loops, on "
              << code.machine << ":\n";
    print_table(table);
}

void print_profile(const ReportCode& code) {
    if (!code.profile_missing.empty()) {
        std::cout << "\nnot profiled: " << code.profile_missing << "\n";
    }
    if (code.profile.empty()) {
        return;
    }
    double total = 0;
    for (const ReportProfile& each : code.profile) {
        total += each.seconds;
    }
    Table table = {{"profiled ms", "", "share"}};
    for (const ReportProfile& each : code.profile) {
        table.push_back({each.name, fmt::format("{:.3f}", each.seconds * 1e3),
                         fmt::format("{:.0f}%", each.seconds / total * 100)});
    }
    std::cout << "\nof each function, by Halide's profiler:\n";
    print_table(table);
}

}  // namespace

Result<std::vector<Report>> report_tasks(const std::string& file, const TaskOptions& options,
                                         bool profile) {
    const auto store = RecordStore::open(file, RecordStore::Mode::Read);
    if (!store) {
        return Error{store.error()};
    }
    auto tasks = choose_tasks(store.value(), options);
    if (!tasks) {
        return Error{tasks.error()};
    }
    if (tasks.value().empty()) {  // says what there is
        const auto task = choose_task(store.value(), file, options);
        return Error{task.error()};
    }
    std::vector<Report> reports;
    for (const TaskSummary& task : tasks.value()) {
        Result<Report> report = report_of(store.value(), task, profile);
        if (!report) {
            return Error{report.error()};
        }
        reports.push_back(std::move(report).value());
    }
    return reports;
}

Status explain_records(const std::string& file, const TaskOptions& options, bool profile) {
    const auto store = RecordStore::open(file, RecordStore::Mode::Read);
    if (!store) {
        return Error{store.error()};
    }
    const auto task = choose_task(store.value(), file, options);
    if (!task) {
        return Error{task.error()};
    }
    const Result<Report> made = report_of(store.value(), task.value(), profile);
    if (!made) {
        return Error{made.error()};
    }
    const Report& report = made.value();
    if (!report.winner) {
        return Error{"no schedule of " + task_text(task.value()) +
                     " was right and timed; nestor report shows why"};
    }
    print_head(report);
    print_gains(report);
    print_structures(report);
    if (!report.winner->code) {
        std::cout << "\nno loop nest and no predicted cost: " << report.missing << "\n";
        return Ok{};
    }
    const ReportCode& code = *report.winner->code;
    print_costs(code, report.best_seconds());
    print_profile(code);
    std::cout << "\nloop nest, with extents at the estimates:\n";
    std::istringstream lines(code.loop_nest);
    for (std::string line; std::getline(lines, line);) {
        std::cout << "  " << line << "\n";
    }
    return Ok{};
}

}  // namespace nestor
