// nestor measure, and the hidden nestor measure-worker

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.h"
#include "cli/command.h"
#include "cli/measure_options.h"
#include "cli/open_pipeline.h"
#include "cli/plugin_path.h"
#include "cli/scratch.h"
#include "measure/pool.h"
#include "measure/worker.h"

namespace nestor {

namespace {

constexpr const char* kMeasureExamples = R"(
Examples:
  nestor measure build/harris.generator -g harris --schedule a.json --schedule b.json
      builds, runs, checks and times both schedules, at the sizes of the estimates
  nestor measure saved/blur.hlpipe --schedule a.json --threads 1 --json
      with one thread; all samples, and what is known of the machine, as JSON
  nestor measure saved/blur.hlpipe --schedule none --load libfilter.so --input picture=photo.npy
      the pipeline as it is; its extern functions are in a library, an input in a file
  nestor measure build/harris.generator -g harris -t arm-64-linux --schedule a.json --runner qemu-aarch64
      for another processor, in its emulator: whether results are right, not how fast
  nestor measure saved/blur.hlpipe -t arm-64-linux-arm_dot_prod --schedule a.json \
      --runner-copy 'scp -q {binary} board:/tmp/' --runner 'ssh board /tmp/{name} {args}'
      on another machine; with a phone: --runner-copy 'adb push {binary} /data/local/tmp/'
      --runner 'adb shell /data/local/tmp/{name} {args}', and --runner-cxx for the NDK's compiler

Each schedule is measured in a process of its own: whatever it does ends that process only. Results
are compared with the unscheduled pipeline's, on random inputs from a seed where no file is given.
Nothing else should run on the machine meanwhile.)";

struct MeasureCommand {
    RequestOptions request;
    MeasureArguments measure;
    std::vector<std::string> schedules;
    bool json = false;
};

Result<std::vector<Candidate>> read_candidates(const std::vector<std::string>& paths) {
    std::vector<Candidate> candidates;
    for (const std::string& path : paths) {
        if (path == "none") {
            candidates.push_back({"none"});
            continue;
        }
        Result<std::string> text = read_file(path);
        if (!text) {
            return Error{text.error()};
        }
        candidates.push_back({std::move(text).value()});
    }
    return candidates;
}

std::string in_milliseconds(const Measurement& m) {
    std::ostringstream text;
    text << std::setprecision(4) << m.seconds * 1e3 << " ms +- " << std::fixed
         << std::setprecision(1) << m.uncertainty * 100 << "% (" << m.samples.size()
         << " samples of " << m.runs_per_sample << (m.runs_per_sample == 1 ? " run" : " runs")
         << ", drift " << std::setprecision(2) << m.drift << ")";
    return text.str();
}

void print_measurement(const std::string& path, const Measurement& m) {
    std::cout << path << ": "
              << (m.ok() ? in_milliseconds(m)
                         : std::string(outcome_name(m.outcome)) + ": " + m.message)
              << "\n"
              << std::flush;
}

Status run(const MeasureCommand& options) {
    const Result<OpenedPipeline> opened = open_pipeline(read_request(options.request));
    if (!opened) {
        return Error{opened.error()};
    }
    const Result<Scratch> scratch = Scratch::create();
    if (!scratch) {
        return Error{scratch.error()};
    }
    MeasureOptions measure = options.measure.read();
    measure.pipeline = scratch.value().path() + "/pipeline.hlpipe";
    measure.target = opened.value().target.to_string();
    if (Status status = save_pipeline(opened.value().loaded.pipeline, measure.pipeline); !status) {
        return status;
    }
    const Result<std::vector<Candidate>> candidates = read_candidates(options.schedules);
    if (!candidates) {
        return Error{candidates.error()};
    }
    Result<std::unique_ptr<MeasurePool>> pool =
        MeasurePool::start({own_path(), "measure-worker"}, measure);
    if (!pool) {
        return Error{options.request.path + ": " + pool.error()};
    }
    const auto show = [&](std::size_t i, const Measurement& measurement) {
        if (!options.json) {
            print_measurement(options.schedules[i], measurement);
        }
    };
    const std::vector<Measurement> results = pool.value()->measure(candidates.value(), show);
    bool all = true;
    nlohmann::json rows = nlohmann::json::array();
    for (std::size_t i = 0; i < results.size(); i++) {
        all = all && (results[i].ok() || results[i].outcome == Outcome::NotRun);
        rows.push_back(to_json(results[i]));
        rows.back()["schedule"] = options.schedules[i];
    }
    if (options.json) {
        std::cout << rows.dump(2) << "\n";
    }
    return all ? Status(Ok{}) : Error{"not every schedule could be measured"};
}

}  // namespace

Action define_measure(CLI::App& app) {
    const auto options = std::make_shared<MeasureCommand>();
    add_request_path(app, options->request);
    add_request_options(app, options->request);
    app.add_option("--schedule", options->schedules,
                   "a schedule, as JSON, or none for the pipeline as it is; repeatable")
        ->required()
        ->type_name("FILE.json|none");
    add_measure_options(app, options->measure);
    app.add_option("--seed", options->measure.measure.seed, "of the random inputs")
        ->capture_default_str();
    app.add_flag("--json", options->json, "everything, as JSON");
    app.footer(kMeasureExamples);
    return [options] { return run(*options); };
}

Action define_measure_worker(CLI::App& app) {
    app.group("");  // not for people
    return []() -> Status {
        // A signal from the terminal is its parent's business, and without one it has nothing to
        // do.
        ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        // What else is printed must not come between the answers.
        const int out = ::dup(STDOUT_FILENO);
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
        std::exit(run_worker(STDIN_FILENO, out));  // it has told its user what went wrong
    };
}

}  // namespace nestor
