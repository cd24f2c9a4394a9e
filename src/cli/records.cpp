// nestor records

#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command.h"
#include "cli/records_tasks.h"
#include "cli/times.h"
#include "records/exchange.h"

namespace nestor {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kRecordsExamples = R"(
Examples:
  nestor records list tuned.db
      the pipelines, targets and machines that there are records of
  nestor records top tuned.db --pipeline harris -n 5
      its five best schedules
  nestor records best tuned.db --pipeline harris > harris.json
      the best one, for nestor apply or autoscheduler.schedule; --format cpp or python
  nestor records compare before.db after.db
      the best times of what is in both
  nestor records export tuned.db -o tuned.jsonl
  nestor records merge all.db tuned.db others.jsonl
  nestor records prune tuned.db --keep 50

autoscheduler.records=FILE makes the plug-in use the best schedule in the file.)";

/** What all of them have, and what some do. */
struct RecordsCommand {
    std::string file;
    TaskOptions task;
    bool json = false;
    int count = 10;
    std::string other;                 // compare
    int keep = 0;                      // prune
    bool failed = false;               //
    double days = 0;                   //
    std::string output;                // export
    std::vector<std::string> sources;  // import
};

Result<RecordStore> open_to_read(const std::string& path) {
    return RecordStore::open(path, RecordStore::Mode::Read);
}

Json task_json(const TaskSummary& summary) {
    return {{"pipeline", summary.pipeline},    {"algorithm", summary.task.algorithm},
            {"sizes", summary.task.sizes},     {"target", summary.task.target},
            {"machine", summary.task.machine}, {"threads", summary.task.threads}};
}

void print_json(const Json& json) {
    std::cout << json.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
}

// 1. list

Status list(const RecordsCommand& options) {
    const auto store = open_to_read(options.file);
    if (!store) {
        return Error{store.error()};
    }
    const auto tasks = choose_tasks(store.value(), options.task);
    if (!tasks) {
        return Error{tasks.error()};
    }
    Json rows = Json::array();
    std::vector<std::vector<std::string>> table = {{"pipeline", "algorithm", "sizes", "threads",
                                                    "records", "timed", "best", "last", "machine",
                                                    "target"}};
    for (const TaskSummary& each : tasks.value()) {
        Json row = task_json(each);
        row["records"] = each.records;
        row["timed"] = each.timed;
        row["best_seconds"] = each.best_seconds > 0 ? Json(each.best_seconds) : Json();
        row["first"] = each.first;
        row["last"] = each.last;
        rows.push_back(std::move(row));
        table.push_back({each.pipeline, each.task.algorithm, each.task.sizes,
                         std::to_string(each.task.threads), std::to_string(each.records),
                         std::to_string(each.timed), time_text(each.best_seconds), each.last,
                         each.task.machine, each.task.target});
    }
    if (options.json) {
        print_json(rows);
    } else {
        print_table(table);
    }
    return Ok{};
}

// 2. top

std::string percent(double part) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << part * 100 << "%";
    return text.str();
}

Status top(const RecordsCommand& options) {
    const auto store = open_to_read(options.file);
    if (!store) {
        return Error{store.error()};
    }
    const auto task = choose_task(store.value(), options.file, options.task);
    if (!task) {
        return Error{task.error()};
    }
    const auto best = store.value().best(task.value().task, options.count);
    if (!best) {
        return Error{best.error()};
    }
    Json rows = Json::array();
    std::vector<std::vector<std::string>> table = {
        {"time", "+-", "predicted", "timed as", "created", "schedule", "origin"}};
    for (const Record& record : best.value()) {
        const char* kind = record.kind == Record::Kind::Final ? "final" : "trial";
        rows.push_back({{"seconds", record.seconds},
                        {"uncertainty", record.uncertainty},
                        {"predicted", record.predicted > 0 ? Json(record.predicted) : Json()},
                        {"kind", kind},
                        {"created", record.created},
                        {"schedule_hash", record.schedule_hash},
                        {"origin", record.origin}});
        table.push_back({time_text(record.seconds), percent(record.uncertainty),
                         time_text(record.predicted), kind, record.created, record.schedule_hash,
                         record.origin});
    }
    if (options.json) {
        Json json = task_json(task.value());
        json["best"] = std::move(rows);
        print_json(json);
    } else {
        std::cout << task_text(task.value()) << "\n";
        print_table(table);
    }
    return Ok{};
}

// 3. compare

struct Pair {
    TaskSummary a, b;
};

Result<std::vector<Pair>> in_both(const RecordsCommand& options) {
    const auto a = open_to_read(options.file);
    const auto b = open_to_read(options.other);
    if (!a || !b) {
        return Error{!a ? a.error() : b.error()};
    }
    const auto of_a = choose_tasks(a.value(), options.task);
    const auto of_b = choose_tasks(b.value(), options.task);
    if (!of_a || !of_b) {
        return Error{!of_a ? of_a.error() : of_b.error()};
    }
    std::vector<Pair> pairs;
    for (const TaskSummary& each : of_a.value()) {
        for (const TaskSummary& other : of_b.value()) {
            if (each.task == other.task && each.best_seconds > 0 && other.best_seconds > 0) {
                pairs.push_back({each, other});
            }
        }
    }
    return pairs;
}

Status compare(const RecordsCommand& options) {
    const auto pairs = in_both(options);
    if (!pairs) {
        return Error{pairs.error()};
    }
    if (pairs.value().empty()) {
        return Error{"nothing was timed in both " + options.file + " and " + options.other};
    }
    Json rows = Json::array();
    std::vector<std::vector<std::string>> table = {
        {"pipeline", "sizes", "threads", "first", "second", "speed-up", "machine", "target"}};
    double log_sum = 0;
    for (const auto& [a, b] : pairs.value()) {
        const double ratio = a.best_seconds / b.best_seconds;
        log_sum += std::log(ratio);
        std::ostringstream text;
        text << std::fixed << std::setprecision(3) << ratio;
        Json row = task_json(a);
        row["first_seconds"] = a.best_seconds;
        row["second_seconds"] = b.best_seconds;
        row["speed_up"] = ratio;
        rows.push_back(std::move(row));
        table.push_back({a.pipeline, a.task.sizes, std::to_string(a.task.threads),
                         time_text(a.best_seconds), time_text(b.best_seconds), text.str(),
                         a.task.machine, a.task.target});
    }
    if (options.json) {
        print_json(rows);
        return Ok{};
    }
    print_table(table);
    std::cout << "Speed of the second over the first, geometric mean of " << rows.size() << ": "
              << std::fixed << std::setprecision(3)
              << std::exp(log_sum / static_cast<double>(rows.size())) << "\n";
    return Ok{};
}

// 4. prune

std::string days_ago(double days) {
    const std::time_t moment = std::time(nullptr) - static_cast<std::time_t>(days * 86400);
    std::tm parts{};
    ::gmtime_r(&moment, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

Status prune(const RecordsCommand& options) {
    if (options.keep == 0 && !options.failed && options.days == 0) {
        refuse_usage(
            "what to remove? --keep N: all but those of the N best schedules of each "
            "task; --failed; --older-than DAYS");
    }
    if (auto exists = open_to_read(options.file); !exists) {
        return Error{exists.error()};
    }
    auto store = RecordStore::open(options.file, RecordStore::Mode::Write);
    if (!store) {
        return Error{store.error()};
    }
    std::vector<RecordFilter> filters;
    std::int64_t before = 0;
    const auto tasks = choose_tasks(store.value(), options.task);
    if (!tasks) {
        return Error{tasks.error()};
    }
    for (const TaskSummary& each : tasks.value()) {
        before += each.records;
        filters.push_back(records_of(each.task));
    }
    if (options.task.empty()) {
        filters = {{}};  // at once
    }
    std::int64_t removed = 0;
    for (RecordFilter& filter : filters) {
        filter.failed = options.failed;
        filter.before = options.days > 0 ? days_ago(options.days) : "";
        const auto rows = store.value().prune(filter, options.keep);
        if (!rows) {
            return Error{rows.error()};
        }
        removed += rows.value();
    }
    std::cout << "removed " << removed << " of " << before << " records\n";
    return Ok{};
}

// 5. export and import

Status export_to_file(const RecordStore& store, const RecordsCommand& options, std::ostream& out) {
    if (options.task.empty()) {
        const auto count = export_records(store, {}, out);
        return count ? Status(Ok{}) : Error{count.error()};
    }
    const auto tasks = choose_tasks(store, options.task);
    if (!tasks) {
        return Error{tasks.error()};
    }
    for (const TaskSummary& each : tasks.value()) {
        if (const auto count = export_records(store, records_of(each.task), out); !count) {
            return Error{count.error()};
        }
    }
    return Ok{};
}

Status export_records_of(const RecordsCommand& options) {
    const auto store = open_to_read(options.file);
    if (!store) {
        return Error{store.error()};
    }
    if (options.output.empty()) {
        return export_to_file(store.value(), options, std::cout);
    }
    // Whole or not at all, and of any size.
    const std::string partial = options.output + ".partial";
    std::ofstream out(partial, std::ios::binary);
    Status status =
        out ? export_to_file(store.value(), options, out) : Error{"cannot write " + partial};
    out.close();
    std::error_code problem;
    if (status && out) {
        std::filesystem::rename(partial, options.output, problem);
        if (!problem) {
            return status;
        }
    }
    std::filesystem::remove(partial, problem);
    return status ? Error{"cannot write " + options.output} : status;
}

Status import(const RecordsCommand& options) {
    auto store = RecordStore::open(options.file, RecordStore::Mode::Write);
    if (!store) {
        return Error{store.error()};
    }
    for (const std::string& source : options.sources) {
        const auto counts = import_records(store.value(), source);
        if (!counts) {
            return Error{counts.error()};
        }
        std::cout << source << ": added " << counts.value().added << " records, "
                  << counts.value().known << " were there already\n";
    }
    return Ok{};
}

// The table of them.

struct Subcommand {
    const char* name;
    const char* summary;
    Action (*define)(CLI::App& app);
};

Action define_list(CLI::App& app) {
    const auto options = std::make_shared<RecordsCommand>();
    add_records_file(app, options->file);
    add_task_options(app, options->task);
    app.add_flag("--json", options->json, "for scripts; times in seconds");
    return [options] { return list(*options); };
}

Action define_best(CLI::App& app) {
    const auto options = std::make_shared<BestOptions>();
    add_records_file(app, options->file);
    add_task_options(app, options->task);
    app.add_option("--near-threads", options->near_threads,
                   "of tasks that differ by threads, that with so many, or else the nearest")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    app.add_option("--format", options->format,
                   "json; cpp or python where the pipeline is in the file")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"cpp", "python", "json"}))
        ->capture_default_str();
    app.add_flag("--json", options->json, "what is known of it, the schedule among that");
    return [options] { return print_best(*options); };
}

Action define_top(CLI::App& app) {
    const auto options = std::make_shared<RecordsCommand>();
    add_records_file(app, options->file);
    add_task_options(app, options->task);
    app.add_option("-n", options->count, "at most so many schedules; 0: all")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_flag("--json", options->json, "for scripts; times in seconds");
    return [options] { return top(*options); };
}

Action define_compare(CLI::App& app) {
    const auto options = std::make_shared<RecordsCommand>();
    add_records_file(app, options->file);
    app.add_option("other", options->other, "the second one")->required()->type_name("FILE");
    add_task_options(app, options->task);
    app.add_flag("--json", options->json, "for scripts; times in seconds");
    return [options] { return compare(*options); };
}

Action define_prune(CLI::App& app) {
    const auto options = std::make_shared<RecordsCommand>();
    add_records_file(app, options->file);
    add_task_options(app, options->task);
    app.add_option("--keep", options->keep,
                   "nothing of the N best schedules of each task is removed")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    app.add_flag("--failed", options->failed, "remove only what was not timed");
    app.add_option("--older-than", options->days, "remove only what is older")
        ->type_name("DAYS")
        ->check(CLI::PositiveNumber);
    return [options] { return prune(*options); };
}

Action define_export(CLI::App& app) {
    const auto options = std::make_shared<RecordsCommand>();
    add_records_file(app, options->file);
    add_task_options(app, options->task);
    app.add_option("-o,--output", options->output, "default: standard output")
        ->type_name("FILE.jsonl");
    return [options] { return export_records_of(*options); };
}

Action define_import(CLI::App& app) {
    const auto options = std::make_shared<RecordsCommand>();
    app.add_option("file", options->file, "the records file to add to; made if it is not there")
        ->required()
        ->type_name("FILE");
    app.add_option("sources", options->sources, "JSON lines, or other records files")
        ->required()
        ->type_name("FROM");
    app.alias("merge");
    return [options] { return import(*options); };
}

constexpr Subcommand kSubcommands[] = {
    {"list", "The tasks that there are records of", define_list},
    {"best", "Print the best schedule of a task", define_best},
    {"top", "The best schedules of a task", define_top},
    {"compare", "The best times of the tasks that are in two files", define_compare},
    {"prune", "Remove records", define_prune},
    {"export", "Write JSON lines", define_export},
    {"import", "Add what JSON lines or other records files hold (also called merge)",
     define_import},
};

}  // namespace

Action define_records(CLI::App& app) {
    app.require_subcommand(1);
    app.footer(kRecordsExamples);
    const auto chosen = std::make_shared<Action>();
    for (const Subcommand& row : kSubcommands) {
        CLI::App* sub = app.add_subcommand(row.name, row.summary);
        const Action action = row.define(*sub);
        sub->footer(kRecordsExamples);
        sub->final_callback([chosen, action] { *chosen = action; });
    }
    return [chosen] { return (*chosen)(); };
}

}  // namespace nestor
