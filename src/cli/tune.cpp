// nestor tune

#include <fmt/core.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/files.h"
#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/measure_options.h"
#include "cli/open_task.h"
#include "cli/plugin_path.h"
#include "cli/produce.h"
#include "cli/scratch.h"
#include "cli/times.h"
#include "cli/tune_display.h"
#include "cli/tune_tasks.h"
#include "records/store.h"
#include "tune/task_scheduler.h"
#include "tune/tuner.h"

namespace nestor {

namespace {

constexpr const char* kTuneExamples = R"(
Examples:
  nestor tune build/harris.generator -g harris --trials 200 > harris.schedule.h
      measures 200 candidates; prints the fastest schedule that is right as C++
  nestor tune build/harris.generator -g harris --time 10m -o out -e object,c_header,schedule
      for ten minutes; compiles with what was found
  nestor tune saved/harris.hlpipe --trials 400 --threads 4 --records team.db
      a saved pipeline on four threads; goes on from what team.db has of it
  nestor tune saved/harris.hlpipe -t arm-64-linux --trials 200 \
      --runner-copy 'scp -q {binary} board:/tmp/' --runner 'ssh board /tmp/{name} {args}'
      for the machine `board`, which runs every candidate (docs/measuring.md)

Every measurement is kept at once in the file of records. Ctrl-C leaves the best so far; the same command
goes on from there, and measures nothing twice. --trials counts those of earlier runs, --time does
not. Nothing else should run on the machine meanwhile. More: docs/tuning.md.)";

struct TuneCommand {
    RequestOptions request;
    OutputOptions output;
    MeasureArguments measure;
    TuneOptions tune;
    std::string records = "nestor.records.db";
    std::string time;
    std::string tasks;
    bool quiet = false;
    bool json = false;
};

/** "90", "90s", "10m", "1.5h": seconds. */
double seconds_of(const std::string& text) {
    constexpr double kMinute = 60;
    std::size_t end = 0;
    double value = -1;
    try {
        value = std::stod(text, &end);
    } catch (const std::exception&) {
        end = 0;
    }
    const std::string unit = text.substr(end);
    if (end == 0 || value <= 0 || (!unit.empty() && unit != "s" && unit != "m" && unit != "h")) {
        refuse_usage(text + " is no time: say 90, 90s, 10m or 1.5h");
    }
    return value * (unit == "m" ? kMinute : unit == "h" ? kMinute * kMinute : 1);
}

DisplayKind display_kind(const TuneCommand& options) {
    if (options.json) {
        return DisplayKind::Json;
    }
    if (options.quiet) {
        return DisplayKind::Quiet;
    }
    return isatty(STDERR_FILENO) != 0 ? DisplayKind::Terminal : DisplayKind::Lines;
}

void print_summary(const Tuner& tuner, TuneStop stop, const Record& best) {
    const TuneProgress progress = tuner.progress();
    std::cerr << progress.task << ": " << time_text(best.seconds) << " +- "
              << fmt::format("{:.1f}%", best.uncertainty * 100);
    if (progress.start_seconds > 0) {
        std::cerr << fmt::format(", {:.2f} times as fast as without measuring",
                                 progress.start_seconds / best.seconds);
    }
    std::cerr << "; " << progress.trials << " trials, " << progress.this_run << " of them in "
              << duration_text(progress.seconds) << " now; " << tune_stop_text(stop) << "\n";
}

void print_json_summary(const Tuner& tuner, TuneStop stop, const Record& best) {
    const TuneProgress progress = tuner.progress();
    std::cout << nlohmann::json{{"task", progress.task},
                                {"stopped", tune_stop_text(stop)},
                                {"trials", progress.trials},
                                {"seconds", best.seconds},
                                {"uncertainty", best.uncertainty},
                                {"start_seconds", progress.start_seconds},
                                {"schedule_hash", best.schedule_hash},
                                {"schedule", nlohmann::json::parse(best.schedule)}}
                     .dump()
              << "\n";
}

/** A pipeline of this run, and what became of it. */
struct Entry {
    std::string name;
    Request request;
    Scratch scratch;
    std::unique_ptr<Tuner> tuner;
    std::optional<Record> best = std::nullopt;
};

/** 1. open the pipelines and the records; 2. measure; 3. time the finalists of each; 4. tell, and
 * compile or print. */
class Session {
  public:
    explicit Session(const TuneCommand& options)
        : options_(options), tune_(options.tune), display_(make_display(display_kind(options))) {
        TuneLimits& limits = tune_.limits;
        limits.seconds = options.time.empty() ? 0 : seconds_of(options.time);
        const bool limited = limits.trials > 0 || limits.seconds > 0 || limits.target_seconds > 0 ||
                             limits.stagnation > 0;
        trials_ = limited ? limits.trials : kTrials;
        tune_.worker = {own_path(), "measure-worker"};
        tune_.stop = is_interrupted;
    }

    Status run() {
        Result<RecordStore> store = RecordStore::open(options_.records, RecordStore::Mode::Write);
        if (!store) {
            return Error{store.error()};
        }
        if (Status status = open(store.value()); !status) {
            return status;
        }
        std::vector<std::unique_ptr<Tuner>> tuners;
        for (Entry& entry : entries_) {
            tuners.push_back(std::move(entry.tuner));
        }
        const Result<std::vector<TuneStop>> stops = run_tasks(tuners, trials_, tune_.stop);
        if (!stops) {
            return Error{stops.error()};
        }
        for (std::size_t i = 0; i < entries_.size(); i++) {
            if (Status status = finish(entries_[i], *tuners[i], stops.value()[i]); !status) {
                return status;
            }
        }
        display_.reset();  // its last line
        for (std::size_t i = 0; i < entries_.size(); i++) {
            tell(*tuners[i], stops.value()[i], *entries_[i].best);
        }
        for (const Entry& entry : entries_) {
            if (Status status = use(entry); !status) {
                return status;
            }
        }
        return Ok{};
    }

  private:
    static constexpr int kTrials = 200;

    Status open(RecordStore& store) {
        std::vector<TaskRequest> requests{{options_.request, "", 1}};
        if (!options_.tasks.empty()) {
            Result<std::vector<TaskRequest>> read = read_tasks(options_.tasks, options_.request);
            if (!read) {
                return Error{read.error()};
            }
            requests = std::move(read).value();
        } else {
            // Of a single task it is its own limit, so that the display knows how far it is.
            tune_.limits.trials = trials_;
        }
        for (const TaskRequest& each : requests) {
            const Request request = read_request(each.request);
            Result<TuneTask> task = open_task(request, options_.measure.read());
            Result<Scratch> scratch = Scratch::create();
            if (!task || !scratch) {
                return Error{task ? scratch.error() : each.request.path + ": " + task.error()};
            }
            if (!each.name.empty()) {
                task.value().name = each.name;
            }
            task.value().weight = each.weight;
            const std::string name = task.value().name;
            Result<std::unique_ptr<Tuner>> tuner = Tuner::create(
                std::move(task).value(), tune_, store, *display_, scratch.value().path());
            if (!tuner) {
                return Error{each.request.path + ": " + tuner.error()};
            }
            entries_.push_back(
                {name, request, std::move(scratch).value(), std::move(tuner).value()});
        }
        return Ok{};
    }

    Status finish(Entry& entry, Tuner& tuner, TuneStop stop) {
        Result<std::optional<Record>> best = tuner.finish(stop);
        if (!best) {
            return Error{best.error()};
        }
        if (!best.value()) {
            return Error{entry.name + ": no schedule could be measured; `nestor records list " +
                         options_.records + "` shows what there is"};
        }
        entry.best = std::move(best).value();
        return Ok{};
    }

    void tell(const Tuner& tuner, TuneStop stop, const Record& best) const {
        if (options_.json) {
            print_json_summary(tuner, stop, best);
        } else {
            print_summary(tuner, stop, best);
        }
    }

    /** Compiles or prints with the schedule that was found. */
    [[nodiscard]] Status use(const Entry& entry) const {
        if (options_.json && !options_.output.wants_files()) {
            return Ok{};
        }
        const std::string file = entry.scratch.path() + "/best.json";
        if (Status status = write_file(file, entry.best->schedule); !status) {
            return status;
        }
        Request request = entry.request;
        request.scheduler_params["schedule"] = file;
        return produce(request, options_.output);
    }

    const TuneCommand& options_;
    TuneOptions tune_;
    int trials_ = 0;  // of all tasks
    std::unique_ptr<TuneListener> display_;
    std::vector<Entry> entries_;
};

Status run(const TuneCommand& options) {
    if (options.tasks.empty() == options.request.path.empty()) {
        refuse_usage("give a generator, a .hlpipe file, or --tasks");
    }
    end_on_signals();
    return Session(options).run();
}

}  // namespace

Action define_tune(CLI::App& app) {
    const auto options = std::make_shared<TuneCommand>();
    add_request_path(app, options->request);
    app.get_option("source")->required(false);
    app.add_option("--tasks", options->tasks, "several pipelines, instead (docs/tuning.md)")
        ->type_name("FILE.yaml");
    add_request_options(app, options->request);
    TuneLimits& limits = options->tune.limits;
    app.add_option("--trials", limits.trials,
                   "candidates to measure, those of earlier runs included (default: 200, if "
                   "nothing else limits it)")
        ->check(CLI::PositiveNumber);
    app.add_option("--time", options->time, "that this run may take: 90, 90s, 10m, 1.5h")
        ->type_name("TIME");
    app.add_option("--target-seconds", limits.target_seconds, "fast enough")
        ->check(CLI::PositiveNumber);
    app.add_option("--early-stopping", limits.stagnation,
                   "stop after so many trials without a gain of 1 %")
        ->check(CLI::PositiveNumber);
    app.add_option("--records", options->records, "the file that keeps what is measured")
        ->capture_default_str()
        ->type_name("FILE");
    app.add_option("--batch-size", options->tune.batch, "candidates between two choices")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option("--final-seconds", options->tune.final_seconds,
                   "for timing the fastest ones against each other at the end")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--seed", options->tune.seed, "of what is drawn at random")
        ->capture_default_str();
    add_measure_options(app, options->measure);
    add_output_options(app, options->output);
    app.add_flag("--quiet", options->quiet, "no progress, only the result");
    app.add_flag("--json", options->json,
                 "progress and result as JSON lines on stdout; no schedule as text");
    app.footer(kTuneExamples);
    return [options] { return run(*options); };
}

}  // namespace nestor
