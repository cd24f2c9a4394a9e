#include "cli/measure_options.h"

#include <sstream>
#include <utility>

#include "cli/command.h"
#include "measure/runner_command.h"

namespace nestor {

namespace {

std::pair<std::string, std::string> name_and_value(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        refuse_usage(text + " is not NAME=VALUE");
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

void add_runner_options(CLI::App& app, RunnerOptions& runner) {
    app.add_option("--runner", runner.command,
                   "runs candidates elsewhere: a shell command, in which {binary} is the path of a "
                   "benchmark binary, {name} its file name, {args} its arguments")
        ->type_name("COMMAND");
    app.add_option("--runner-copy", runner.copy, "before it: copies {binary} to where it runs")
        ->type_name("COMMAND");
    app.add_option("--runner-cxx", runner.compiler,
                   "compiles and links benchmark binaries (default: by the target, e.g. "
                   "aarch64-linux-gnu-g++)")
        ->type_name("COMPILER");
}

}  // namespace

MeasureOptions MeasureArguments::read() const {
    MeasureOptions options = measure;
    for (const std::string& text : inputs) {
        options.inputs.insert(name_and_value(text));
    }
    for (const std::string& text : scalars) {
        const auto [name, value] = name_and_value(text);
        std::istringstream number(value);
        if (!(number >> options.scalars[name]) || !number.eof()) {
            refuse_usage(text + ": " + value + " is no number");
        }
    }
    if (const Status status = check_runner(options.runner); !status) {
        refuse_usage(status.error());
    }
    if (options.runner.used() && !options.load.empty()) {
        refuse_usage(
            "--load names libraries of this machine, and --runner runs candidates without them");
    }
    return options;
}

void add_measure_options(CLI::App& app, MeasureArguments& arguments) {
    MeasureOptions& measure = arguments.measure;
    app.add_option("--threads", measure.threads, "of Halide's pool (default: all cores)")
        ->check(CLI::PositiveNumber);
    app.add_option("--builders", measure.builders, "schedules built at once (default: all cores)")
        ->check(CLI::PositiveNumber);
    app.add_option("--load", measure.load, "a library with the pipeline's extern functions")
        ->type_name("LIB.so");
    add_runner_options(app, measure.runner);
    app.add_option("--input", arguments.inputs, "an input from a file; repeatable")
        ->type_name("NAME=FILE.npy");
    app.add_option("--scalar", arguments.scalars, "the value of a parameter; repeatable")
        ->type_name("NAME=NUMBER");
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
    app.add_flag("--flush-caches", measure.flush_caches, "before each run that is timed");
}

}  // namespace nestor
