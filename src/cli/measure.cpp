// nestor measure, and the hidden nestor measure-worker

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.h"
#include "cli/command.h"
#include "cli/open_pipeline.h"
#include "cli/plugin_path.h"
#include "cli/scratch.h"
#include "measure/pool.h"
#include "measure/worker.h"

namespace nestor {

namespace {

constexpr const char* kExamples = R"(
Examples:
  nestor measure build/harris.generator -g harris --schedule a.json --schedule b.json
      builds, runs, checks and times both schedules, at the sizes of the estimates
  nestor measure saved/blur.hlpipe --schedule a.json --threads 1 --json
      with one thread; all samples, and what is known of the machine, as JSON
  nestor measure saved/blur.hlpipe --schedule none --load libfilter.so --input picture=photo.npy
      the pipeline as it is; its extern functions are in a library, an input in a file

Each schedule is measured in a process of its own: whatever it does ends that process only. Results
are compared with the unscheduled pipeline's, on random inputs from a seed where no file is given.
Nothing else should run on the machine meanwhile.)";

struct Options {
    RequestOptions request;
    MeasureOptions measure;
    std::vector<std::string> schedules;
    std::vector<std::string> inputs;
    std::vector<std::string> scalars;
    bool json = false;
};

std::pair<std::string, std::string> name_and_value(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        refuse_usage(text + " is not NAME=VALUE");
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

void read_arguments(const Options& options, MeasureOptions& measure) {
    for (const std::string& text : options.inputs) {
        measure.inputs.insert(name_and_value(text));
    }
    for (const std::string& text : options.scalars) {
        const auto [name, value] = name_and_value(text);
        std::istringstream number(value);
        if (!(number >> measure.scalars[name]) || !number.eof()) {
            refuse_usage(text + ": " + value + " is no number");
        }
    }
}

Result<std::vector<Candidate>> read_candidates(const std::vector<std::string>& paths) {
    std::vector<Candidate> candidates;
    for (const std::string& path : paths) {
        if (path == "none") {
            candidates.push_back({"none", {}});
            continue;
        }
        Result<std::string> text = read_file(path);
        if (!text) {
            return Error{text.error()};
        }
        candidates.push_back({std::move(text).value(), {}});
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

Status run(const Options& options) {
    const Result<OpenedPipeline> opened = open_pipeline(read_request(options.request));
    if (!opened) {
        return Error{opened.error()};
    }
    const Result<Scratch> scratch = Scratch::create();
    if (!scratch) {
        return Error{scratch.error()};
    }
    MeasureOptions measure = options.measure;
    measure.pipeline = scratch.value().path() + "/pipeline.hlpipe";
    measure.target = opened.value().target.to_string();
    if (Status status = save_pipeline(opened.value().loaded.pipeline, measure.pipeline); !status) {
        return status;
    }
    read_arguments(options, measure);
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
    const auto options = std::make_shared<Options>();
    add_request_path(app, options->request);
    add_request_options(app, options->request);
    MeasureOptions& measure = options->measure;
    app.add_option("--schedule", options->schedules,
                   "a schedule, as JSON, or none for the pipeline as it is; repeatable")
        ->required()
        ->type_name("FILE.json|none");
    app.add_option("--threads", measure.threads, "of Halide's pool (default: all cores)")
        ->check(CLI::PositiveNumber);
    app.add_option("--builders", measure.builders, "schedules built at once (default: all cores)")
        ->check(CLI::PositiveNumber);
    app.add_option("--load", measure.load, "a library with the pipeline's extern functions")
        ->type_name("LIB.so");
    app.add_option("--input", options->inputs, "an input from a file; repeatable")
        ->type_name("NAME=FILE.npy");
    app.add_option("--scalar", options->scalars, "the value of a parameter; repeatable")
        ->type_name("NAME=NUMBER");
    app.add_option("--seed", measure.seed, "of the random inputs")->capture_default_str();
    app.add_option("--precision", measure.precision,
                   "enough when the median is known to this part of itself")
        ->capture_default_str();
    app.add_option("--timing-seconds", measure.timing_seconds, "at most, for each schedule")
        ->capture_default_str();
    app.add_option("--run-seconds", measure.run_seconds, "limit of a schedule's first run")
        ->capture_default_str();
    app.add_option("--build-seconds", measure.build_seconds, "limit of building a schedule")
        ->capture_default_str();
    app.add_option("--memory", measure.memory_bytes, "bytes that one schedule may use")
        ->transform(CLI::AsSizeValue(false))
        ->capture_default_str();
    app.add_flag("--json", options->json, "everything, as JSON");
    app.footer(kExamples);
    return [options] { return run(*options); };
}

Action define_measure_worker(CLI::App& app) {
    app.group("");  // not for people
    return []() -> Status {
        // What else is printed must not come between the answers.
        const int out = ::dup(STDOUT_FILENO);
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
        std::exit(run_worker(STDIN_FILENO, out));  // it has told its user what went wrong
    };
}

}  // namespace nestor
