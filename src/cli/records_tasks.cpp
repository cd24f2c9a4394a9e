#include "cli/records_tasks.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <iostream>
#include <set>
#include <sstream>

#include "halide/parse_target.h"
#include "halide/task_target.h"
#include "measure/measurement.h"

namespace nestor {

namespace {

// Of text that this Halide does not know, itself.
std::string plain_target(const std::string& text) {
    const auto target = parse_target(text);
    return target ? task_target(target.value()) : text;
}

bool fits(const TaskOptions& options, const TaskSummary& summary) {
    const auto equal = [](const std::string& wanted, const std::string& is) {
        return wanted.empty() || wanted == is;
    };
    const TuningTask& task = summary.task;
    return equal(options.pipeline, summary.pipeline) && equal(options.algorithm, task.algorithm) &&
           equal(options.sizes, task.sizes) && equal(options.machine, task.machine) &&
           (options.target.empty() || options.target == plain_target(task.target)) &&
           (options.threads == 0 || options.threads == task.threads);
}

// What tells tasks apart, and the option that chooses by it.
struct Trait {
    const char* option;
    std::string (*of)(const TaskSummary&);
};

constexpr std::array kTraits = {
    Trait{"--pipeline", [](const TaskSummary& s) { return s.pipeline; }},
    Trait{"--algorithm", [](const TaskSummary& s) { return s.task.algorithm; }},
    Trait{"--sizes", [](const TaskSummary& s) { return "'" + s.task.sizes + "'"; }},
    Trait{"--target", [](const TaskSummary& s) { return s.task.target; }},
    Trait{"--machine", [](const TaskSummary& s) { return "'" + s.task.machine + "'"; }},
    Trait{"--threads", [](const TaskSummary& s) { return std::to_string(s.task.threads); }},
};

std::string choices(const std::vector<TaskSummary>& tasks) {
    std::vector<const Trait*> telling;
    for (const Trait& trait : kTraits) {
        std::set<std::string> values;
        for (const TaskSummary& each : tasks) {
            values.insert(trait.of(each));
        }
        if (values.size() > 1) {
            telling.push_back(&trait);
        }
    }
    std::string text;
    for (const TaskSummary& each : tasks) {
        text += "\n ";
        for (const Trait* trait : telling) {
            text += std::string(" ") + trait->option + " " + trait->of(each);
        }
    }
    return text;
}

std::string list_of(const std::vector<TaskSummary>& tasks) {
    std::string text;
    for (const TaskSummary& each : tasks) {
        text += "\n  " + task_text(each);
    }
    return text;
}

}  // namespace

void add_task_options(CLI::App& app, TaskOptions& options) {
    app.add_option("--pipeline", options.pipeline, "only of that name")->type_name("NAME");
    app.add_option("--algorithm", options.algorithm, "only of that hash (list prints them)")
        ->type_name("HASH");
    app.add_option("--sizes", options.sizes, "only of those, as list prints them")
        ->type_name("SIZES");
    if (app.get_option_no_throw("--target") == nullptr) {
        app.add_option("--target", options.target, "only for that Halide target")
            ->type_name("TARGET");
    }
    app.add_option("--machine", options.machine,
                   "only measured on that processor; host: on one like this machine's")
        ->type_name("NAME");
    app.add_option("--threads", options.threads, "only measured with so many")
        ->check(CLI::PositiveNumber);
}

void add_records_file(CLI::App& app, std::string& path) {
    app.add_option("file", path, "a records file, as nestor tune writes it")
        ->required()
        ->type_name("FILE");
}

Result<std::vector<TaskSummary>> choose_tasks(const RecordStore& store,
                                              const TaskOptions& options) {
    TaskOptions wanted = options;
    if (wanted.machine == "host") {
        wanted.machine = machine_state(1).cpu;
    }
    if (!wanted.target.empty()) {
        const auto target = parse_target(wanted.target);
        if (!target) {
            return Error{target.error()};
        }
        wanted.target = task_target(target.value());
    }
    Result<std::vector<TaskSummary>> tasks = store.tasks();
    if (tasks) {
        std::erase_if(tasks.value(), [&](const TaskSummary& each) { return !fits(wanted, each); });
    }
    return tasks;
}

Result<TaskSummary> choose_task(const RecordStore& store, const std::string& path,
                                const TaskOptions& options) {
    const auto tasks = choose_tasks(store, options);
    const auto all = store.tasks();
    if (!tasks || !all) {
        return Error{!tasks ? tasks.error() : all.error()};
    }
    if (all.value().empty()) {
        return Error{"there are no records in " + path};
    }
    if (tasks.value().empty()) {
        return Error{"there are no such records in " + path +
                     ", but these:" + list_of(all.value())};
    }
    if (tasks.value().size() > 1) {
        return Error{path + " has records of several such tasks; choose one by" +
                     choices(tasks.value())};
    }
    return tasks.value().front();
}

std::string task_text(const TaskSummary& summary) {
    return summary.pipeline + " " + summary.task.sizes + ", " + summary.task.target + ", " +
           summary.task.machine + ", " + std::to_string(summary.task.threads) +
           (summary.task.threads == 1 ? " thread" : " threads");
}

void print_table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t column = 0; column < row.size(); column++) {
            widths[column] = std::max(widths[column], row[column].size());
        }
    }
    const auto print = [&](const std::vector<std::string>& row) {
        for (std::size_t column = 0; column < row.size(); column++) {
            const bool last = column + 1 == row.size();
            std::cout << row[column]
                      << (last ? "\n" : std::string(widths[column] - row[column].size() + 2, ' '));
        }
    };
    std::vector<std::string> dashes;
    dashes.reserve(widths.size());
    for (const std::size_t width : widths) {
        dashes.emplace_back(width, '-');
    }
    for (std::size_t row = 0; row < rows.size(); row++) {
        print(rows[row]);
        if (row == 0) {
            print(dashes);
        }
    }
}

}  // namespace nestor
