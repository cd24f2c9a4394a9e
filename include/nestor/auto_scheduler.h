#pragma once
// Tuning by measurement from a C++ program, with the names that TVM's auto-scheduler (0.x) gives
// them; nestor.auto_scheduler is the same in Python. docs/auto-scheduler.md puts them side by side.
//
//     namespace as = nestor::auto_scheduler;
//     as::register_workload("matmul_bias", [](const as::Args& args) {
//         ...
//         return as::Workload{{a, b, bias}, {out}};   // ImageParam and Param, then Func
//     });
//     as::SearchTask task("matmul_bias", {1024, 1024, 1024});
//     std::cout << task.compute_dag();
//     as::TuningOptions options;
//     options.num_measure_trials = 64;
//     options.measure_callbacks = {as::RecordToFile{"matmul.db"}};
//     task.tune(options);
//     as::ScheduledProgram program = task.apply_best("matmul.db");
//     program.print_lowered();
//     program.pipeline.realize(...);
//
// find_package(Nestor), then target_link_libraries(program PRIVATE Nestor::AutoScheduler). Nothing
// of Nestor is linked: the work is done by the installed plug-in, which Halide loads, and by the
// installed command `nestor`, which runs as a child.

#include <Halide.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "nestor/detail/child.h"
#include "nestor/detail/json_members.h"

#ifndef NESTOR_COMMAND_FILE
#define NESTOR_COMMAND_FILE ""
#endif
#ifndef NESTOR_PLUGIN_FILE
#define NESTOR_PLUGIN_FILE ""
#endif

namespace nestor::auto_scheduler {

/** `nestor` ended with an error; what() is its message. */
class CommandError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

namespace detail {
inline constexpr const char* kCommand = NESTOR_COMMAND_FILE;
inline constexpr const char* kPlugin = NESTOR_PLUGIN_FILE;
}  // namespace detail

/** Where Nestor is. Nestor::AutoScheduler says so; a program that is moved to another machine
 * changes it before the first task. */
struct Installation {
    std::string command = detail::kCommand;
    std::string plugin = detail::kPlugin;
};
inline Installation& installation() {
    static Installation where;
    return where;
}

// 1. Workloads.

/** What a workload's function is called with. */
using Args = std::vector<std::int64_t>;

/** A pipeline, and what a caller of it passes. Inputs and outputs need estimates. */
struct Workload {
    std::vector<Halide::Argument> inputs;  // ImageParam and Param become one
    Halide::Pipeline pipeline;             // made of the output, or a list of outputs

    Workload(std::vector<Halide::Argument> inputs, const std::vector<Halide::Func>& outputs)
        : inputs(std::move(inputs)), pipeline(outputs) {}
};
/** Makes a new pipeline on each call. */
using WorkloadFunction = std::function<Workload(const Args&)>;

namespace detail {
inline std::map<std::string, WorkloadFunction>& workloads() {
    static std::map<std::string, WorkloadFunction> functions;
    return functions;
}
}  // namespace detail

/** Throws std::invalid_argument if the name is taken, unless `replace`. Names are letters, digits
 * and _. */
inline void register_workload(const std::string& name, WorkloadFunction function,
                              bool replace = false) {
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_';
    });
    if (!plain) {
        throw std::invalid_argument("a workload's name is letters, digits and _, not `" + name +
                                    "`");
    }
    if (!replace && detail::workloads().count(name) != 0) {
        throw std::invalid_argument("the workload `" + name +
                                    "` is registered already; pass true to replace it");
    }
    detail::workloads()[name] = std::move(function);
}

// 2. Options.

/** What measure callbacks are told. Times are in seconds of one run; 0: none. */
struct MeasureResult {
    std::string task;
    int trial = 0;        // among all of the task's, from 1; those of earlier calls count
    std::string outcome;  // "timed", or why it was not
    double seconds = 0;
    double uncertainty = 0;  // half of the 95 % confidence interval, as a part of `seconds`
    std::string message;
    std::string origin;  // how the search came by it
    std::string schedule_hash;
    double predicted = 0;
    double best_seconds = 0;   // this one included
    double start_seconds = 0;  // of what the search takes without measuring
    double elapsed_seconds = 0;
};

/** Keeps every measurement in this file (SQLite), at once; it is gone on from if it exists. */
struct RecordToFile {
    std::string filename;
};
/** Or a function; if it throws, tuning ends in order and the exception goes on. */
using MeasureCallback = std::variant<RecordToFile, std::function<void(const MeasureResult&)>>;

/** How candidates are compiled; 0 leaves the default of `nestor tune`. */
struct LocalBuilder {
    double timeout = 0;  // seconds for one candidate
    int n_parallel = 0;  // candidates at once
};

/** How candidates are timed; 0 leaves the default. A candidate is repeated until its time is known
 * to 3 %, and no longer than repeat * min_repeat_ms (1 and 100 if only one is given). */
struct LocalRunner {
    double timeout = 0;  // seconds for a candidate's first run
    int repeat = 0;
    double min_repeat_ms = 0;
    bool enable_cpu_cache_flush = false;  // before each run that is timed
};

/** At least one of num_measure_trials, early_stopping and seconds is needed. */
struct TuningOptions {
    int num_measure_trials = 0;      // in this call, besides those of earlier ones; 0: any
    int early_stopping = 0;          // trials without a gain of 1 %; 0: any
    int num_measures_per_round = 0;  // between two choices of what to measure; 0: 16
    int verbose = 1;                 // 0: silent. 1: gains and the result. 2: everything
    LocalBuilder builder;
    LocalRunner runner;
    std::vector<MeasureCallback> measure_callbacks;  // at most one RecordToFile
    double seconds = 0;                              // of this call; 0: any
    double final_seconds = 0;  // for timing the fastest against each other at the end; 0: 10
};

/** The records of another file are not measured again, and the search goes on from them: they are
 * added to the file of RecordToFile. */
struct PreloadMeasuredStates {
    std::string filename;
};

/** What the tuner has learned. Nestor learns from the records of a task, so it is records. */
class XGBModel {
  public:
    void update_from_file(const std::string& filename) { files_.push_back(filename); }
    [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

  private:
    std::vector<std::string> files_;
};

/** Where the search begins. */
struct SketchPolicy {
    XGBModel program_cost_model;
    std::vector<PreloadMeasuredStates> init_search_callbacks;
    std::uint64_t seed = 0;
};

// 3. Results.

/** Seconds of one call. */
struct TimeResult {
    std::vector<double> results;  // of each repetition, the mean of its calls

    [[nodiscard]] double mean() const {
        return std::accumulate(results.begin(), results.end(), 0.0) /
               static_cast<double>(results.size());
    }
    [[nodiscard]] double median() const {
        std::vector<double> sorted = results;
        std::sort(sorted.begin(), sorted.end());
        const std::size_t half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
    /** Of the population; 0 for one repetition. */
    [[nodiscard]] double std() const {
        double squares = 0;
        for (const double each : results) {
            squares += (each - mean()) * (each - mean());
        }
        return std::sqrt(squares / static_cast<double>(results.size()));
    }
};

/** Calls `function` once to warm up, then `repeat` times `number` times, or as often as takes
 * `min_repeat_ms`. */
inline TimeResult time_evaluator(const std::function<void()>& function, int number = 10,
                                 int repeat = 1, double min_repeat_ms = 0) {
    if (number < 1 || repeat < 1 || min_repeat_ms < 0) {
        throw std::invalid_argument(
            "time_evaluator: number and repeat are 1 or more, min_repeat_ms 0 or more");
    }
    function();
    TimeResult result;
    while (static_cast<int>(result.results.size()) < repeat) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < number; i++) {
            function();
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (took.count() * 1e3 >= min_repeat_ms) {
            result.results.push_back(took.count() / number);
        } else {  // too short: as many as should do, and some more
            const double wanted = min_repeat_ms / 1e3 / std::max(took.count(), 1e-9) * 1.1;
            number = std::max(number + 1, static_cast<int>(number * std::min(wanted, 100.0)));
        }
    }
    return result;
}

/** What one call of `tune` found. */
struct TuningResult {
    std::string stopped;     // why it ended
    int trials = 0;          // of the task, in the record file
    double seconds = 0;      // of the winner, timed against the other finalists
    double uncertainty = 0;  //
    double start_seconds = 0;
    std::string schedule;  // the winner as JSON
};

/** A new pipeline of the workload, scheduled; ready for all that Halide does with one. */
struct ScheduledProgram {
    std::vector<Halide::Argument> inputs;
    Halide::Pipeline pipeline;
    Halide::Target target;
    std::string schedule;  // as the body of a C++ function

    /** The program that the schedule makes, lowered; parallel loops are still loops. */
    [[nodiscard]] std::string lowered() {
        const detail::ScratchFolder scratch;
        const std::string path = scratch.file("lowered.stmt");
        pipeline.compile_to_conceptual_stmt(path, inputs, Halide::Text, target);
        return detail::read_text(path);
    }
    void print_lowered() { std::cout << lowered(); }
    /** A function of the inputs, then the outputs. */
    [[nodiscard]] Halide::Callable compile() {
        return pipeline.compile_to_callable(inputs, target);
    }
};

// 4. Tasks.

/** One pipeline, target and number of threads; what is measured for it is in a record file. All
 * that runs `nestor` throws CommandError. */
class SearchTask {
  public:
    /** Of a registered workload (std::invalid_argument for another). `threads`: of Halide's pool
     * while measuring; 0: all cores. `params`: of the scheduler (docs/parameters.md). Calls the
     * workload's function; throws Halide::Error if Nestor can't take the pipeline. */
    SearchTask(const std::string& name, Args args,
               const Halide::Target& target = Halide::get_host_target(), int threads = 0,
               std::map<std::string, std::string> params = {})
        : args_(std::move(args)), target_(target), threads_(threads), params_(std::move(params)) {
        const auto found = detail::workloads().find(name);
        if (found == detail::workloads().end()) {
            throw std::invalid_argument("no workload `" + name +
                                        "` is registered; call register_workload first");
        }
        function_ = found->second;
        key_ = "[\"" + name + "\"";
        name_ = name;
        for (const std::int64_t each : args_) {
            key_ += ", " + std::to_string(each);
            name_ += "_" + std::to_string(each);
        }
        key_ += "]";
        save_pipeline();
    }

    /** Name and arguments, as a JSON array. */
    [[nodiscard]] const std::string& workload_key() const { return key_; }

    /** The pipeline as Nestor reads it, one line for each definition. */
    [[nodiscard]] std::string compute_dag() const { return output_of(with_source({"dag"})); }

    /** Measures candidates until the options say so. A record file that has records of this task is
     * gone on from. On Ctrl-C this program goes on: tuning ends in order, and the result's
     * `stopped` is "interrupted"; the same call goes on from the file. */
    TuningResult tune(const TuningOptions& options, const SketchPolicy& policy = {}) {
        const detail::ScratchFolder scratch;
        const std::string kept = record_file(options);
        const std::string records = kept.empty() ? scratch.file("records.db") : kept;
        preload(records, policy);
        std::vector<std::string> words = with_source({"tune"});
        add(words, "--records", records);
        words.emplace_back("--json");
        if (options.num_measure_trials > 0) {
            add(words, "--trials",
                std::to_string(known_trials(records) + options.num_measure_trials));
        } else if (options.early_stopping <= 0 && options.seconds <= 0) {
            throw std::invalid_argument(
                "TuningOptions: say when to end, by num_measure_trials, early_stopping or seconds");
        }
        add_options(words, options);
        if (policy.seed != 0) {
            add(words, "--seed", std::to_string(policy.seed));
        }
        return run_tune(words, options);
    }

    /** Makes the pipeline anew and applies the best right schedule that was measured for this task
     * on a processor like this one. */
    [[nodiscard]] ScheduledProgram apply_best(const std::string& record_file) const {
        const detail::ScratchFolder scratch;
        const std::string path = scratch.file("best.json");
        detail::write_text(path, print_best(record_file, "json"));
        Workload workload = function_(args_);
        const std::string source = schedule(workload.pipeline, {{"schedule", path}});
        return {std::move(workload.inputs), workload.pipeline, target_, source};
    }

    /** The best schedule as text: "cpp", "python" or "json". */
    [[nodiscard]] std::string print_best(const std::string& record_file,
                                         const std::string& print_mode = "cpp") const {
        std::vector<std::string> words = {"records", "best", record_file, "--format", print_mode};
        add_filters(words, true);
        return output_of(words);
    }

  private:
    static void add(std::vector<std::string>& words, const std::string& option,
                    const std::string& value) {
        words.push_back(option);
        words.push_back(value);
    }
    /** Unless it is 0. */
    static void add_number(std::vector<std::string>& words, const std::string& option,
                           double value) {
        if (value < 0) {
            throw std::invalid_argument(option + " must not be negative");
        }
        if (value > 0) {
            std::ostringstream text;
            text << value;
            add(words, option, text.str());
        }
    }

    static std::string follow(std::vector<std::string> words,
                              const std::function<void(const std::string&)>& visit) {
        words.insert(words.begin(), installation().command);
        return detail::follow(words, visit,
                              [](const std::string& message) { throw CommandError(message); });
    }
    static std::string output_of(const std::vector<std::string>& words) {
        std::string text;
        (void)follow(words, [&](const std::string& line) { text += line + "\n"; });
        return text;
    }

    /** Of the scheduler, on a pipeline; yields the schedule as C++. */
    std::string schedule(Halide::Pipeline& pipeline,
                         const std::map<std::string, std::string>& more) const {
        static const bool loaded = (Halide::load_plugin(installation().plugin), true);
        (void)loaded;
        Halide::AutoschedulerParams params("Nestor");
        params.extra = params_;
        for (const auto& [key, value] : more) {
            params.extra[key] = value;
        }
        return pipeline.apply_autoscheduler(target_, params).schedule_source;
    }

    /** As the file NAME.hlpipe: records bear its name. */
    void save_pipeline() {
        namespace fs = std::filesystem;
        Workload workload = function_(args_);
        (void)schedule(workload.pipeline, {{"schedule", "none"}, {"save", folder_->path()}});
        std::map<std::string, std::string> renamed;
        for (const auto& entry : fs::directory_iterator(folder_->path())) {
            for (const char* end : {".hlpipe", ".args.json"}) {
                const std::string file = entry.path().filename().string();
                if (file.size() > std::string(end).size() &&
                    file.substr(file.size() - std::string(end).size()) == end) {
                    renamed[entry.path().string()] = folder_->file(name_ + end);
                }
            }
        }
        for (const auto& [from, to] : renamed) {
            fs::rename(from, to);
        }
    }

    [[nodiscard]] std::vector<std::string> with_source(std::vector<std::string> words) const {
        words.push_back(folder_->file(name_ + ".hlpipe"));
        add(words, "--target", target_.to_string());
        for (const auto& [key, value] : params_) {
            add(words, "--param", "autoscheduler." + key + "=" + value);
        }
        return words;
    }

    /** Options that choose this task's records; `near`: of the nearest number of threads. */
    void add_filters(std::vector<std::string>& words, bool near) const {
        if (!dag_) {
            std::vector<std::string> asking = with_source({"dag"});
            asking.emplace_back("--json");
            dag_ = detail::JsonMembers(output_of(asking));
        }
        add(words, "--algorithm", dag_->text("algorithm"));
        add(words, "--sizes", dag_->text("sizes"));
        add(words, "--target", target_.to_string());
        add(words, "--machine", "host");
        const int threads = threads_ > 0 ? threads_ : usable_cores();
        add(words, near && threads_ == 0 ? "--near-threads" : "--threads", std::to_string(threads));
    }

    static int usable_cores() {
        cpu_set_t set;
        return ::sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    }

    /** How many `nestor tune --trials` counts before it begins. */
    [[nodiscard]] int known_trials(const std::string& records) const {
        if (!std::filesystem::exists(records)) {
            return 0;
        }
        std::vector<std::string> words = {"records", "export", records};
        add_filters(words, false);
        int count = 0;
        (void)follow(words, [&](const std::string& line) {
            const detail::JsonMembers row(line);
            const bool trial = row.has("record") &&
                               detail::JsonMembers(row.text("record")).text("kind") == "trial";
            count += trial ? 1 : 0;
        });
        return count;
    }

    static std::string record_file(const TuningOptions& options) {
        std::string file;
        for (const MeasureCallback& each : options.measure_callbacks) {
            if (const auto* record = std::get_if<RecordToFile>(&each)) {
                if (!file.empty()) {
                    throw std::invalid_argument("TuningOptions: one RecordToFile only");
                }
                file = record->filename;
            }
        }
        return file;
    }

    static void preload(const std::string& records, const SketchPolicy& policy) {
        std::vector<std::string> files = policy.program_cost_model.files();
        for (const PreloadMeasuredStates& each : policy.init_search_callbacks) {
            files.push_back(each.filename);
        }
        for (const std::string& file : files) {
            std::error_code missing;
            if (!std::filesystem::equivalent(file, records, missing)) {
                (void)output_of({"records", "merge", records, file});
            }
        }
    }

    void add_options(std::vector<std::string>& words, const TuningOptions& options) const {
        const LocalRunner& runner = options.runner;
        add_number(words, "--threads", threads_);
        add_number(words, "--early-stopping", options.early_stopping);
        add_number(words, "--time", options.seconds);
        add_number(words, "--batch-size", options.num_measures_per_round);
        add_number(words, "--final-seconds", options.final_seconds);
        add_number(words, "--build-seconds", options.builder.timeout);
        add_number(words, "--builders", options.builder.n_parallel);
        add_number(words, "--run-seconds", runner.timeout);
        if (runner.repeat > 0 || runner.min_repeat_ms > 0) {
            add_number(words, "--timing-seconds",
                       std::max(runner.repeat, 1) *
                           (runner.min_repeat_ms > 0 ? runner.min_repeat_ms : 100) / 1e3);
        }
        if (runner.enable_cpu_cache_flush) {
            words.emplace_back("--flush-caches");
        }
    }

    TuningResult run_tune(const std::vector<std::string>& words,
                          const TuningOptions& options) const {
        const detail::LeaveInterrupts leave;
        TuningResult found;
        double best = 0;  // that was printed
        const std::string warnings = follow(words, [&](const std::string& line) {
            const detail::JsonMembers row(line);
            if (row.has("stopped")) {
                found = {row.text("stopped"),         static_cast<int>(row.number("trials")),
                         row.number("seconds"),       row.number("uncertainty"),
                         row.number("start_seconds"), row.text("schedule")};
                return;
            }
            const MeasureResult result = result_from(row);
            const bool gain = result.seconds > 0 && (best == 0 || result.seconds < best);
            best = gain ? result.seconds : best;
            if (options.verbose > 1 || (options.verbose == 1 && gain)) {
                std::cout << line_of(result) << std::flush;
            } else if (options.verbose == 1 && result.trial % 16 == 0) {  // a sign of life
                std::cout << name_ << ": " << result.trial << " trials, best "
                          << result.best_seconds * 1e3 << " ms\n"
                          << std::flush;
            }
            for (const MeasureCallback& each : options.measure_callbacks) {
                if (const auto* call = std::get_if<1>(&each)) {
                    (*call)(result);
                }
            }
        });
        if (options.verbose > 0) {
            std::cerr << warnings;
            std::cout << name_ << ": best " << found.seconds * 1e3 << " ms, " << found.trials
                      << " trials; " << found.stopped << "\n";
        }
        return found;
    }

    static MeasureResult result_from(const detail::JsonMembers& row) {
        MeasureResult result;
        result.task = row.text("task");
        result.trial = static_cast<int>(row.number("trial"));
        result.outcome = row.text("outcome");
        result.seconds = row.number("seconds");
        result.uncertainty = row.number("uncertainty");
        result.message = row.text("message");
        result.origin = row.text("origin");
        result.schedule_hash = row.text("schedule_hash");
        result.predicted = row.number("predicted");
        result.best_seconds = row.number("best_seconds");
        result.start_seconds = row.number("start_seconds");
        result.elapsed_seconds = row.number("elapsed_seconds");
        return result;
    }
    static std::string line_of(const MeasureResult& result) {
        std::ostringstream text;
        text << result.task << ": trial " << result.trial << ": ";
        if (result.seconds > 0) {
            text << result.seconds * 1e3 << " ms";
        } else {
            text << result.outcome;
        }
        text << " (" << result.origin << ")" << (result.message.empty() ? "" : ": ")
             << result.message << "\n";
        return text.str();
    }

    Args args_;
    Halide::Target target_;
    int threads_;
    std::map<std::string, std::string> params_;
    WorkloadFunction function_;
    std::string key_, name_;
    std::shared_ptr<detail::ScratchFolder> folder_ = std::make_shared<detail::ScratchFolder>();
    mutable std::optional<detail::JsonMembers> dag_;
};

}  // namespace nestor::auto_scheduler
