#include "measure/remote_measurer.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "base/apart.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/process.h"
#include "halide/errors.h"
#include "halide/lower.h"
#include "measure/benchmark_sources.h"
#include "measure/runner_command.h"
#include "measure/timing.h"

namespace nestor {

namespace {

using Halide::Target;

Result<ProcessResult> run_in_shell(const std::string& command, double seconds) {
    ProcessOptions options;
    options.seconds = seconds;
    return run_process({"/bin/sh", "-c", command}, options);
}

/** What a caller in C expects, without what differs between the builds of one program. */
Target callable(Target target) {
    for (const Target::Feature feature :
         {Target::JIT, Target::UserContext, Target::CPlusPlusMangling, Target::NoRuntime}) {
        target.set_feature(feature, false);
    }
    return target;
}

/** Android's programs are linked with the system's libraries, which are on every device; others
 * with nothing. */
std::vector<std::string> link_options(const Target& target) {
    if (target.os == Target::Android) {
        return {"-static-libstdc++", "-llog", "-ldl", "-lm"};
    }
    return {"-static", "-lpthread", "-ldl", "-lm"};
}

}  // namespace

RemoteMeasurer::RemoteMeasurer(Subject subject, std::string compiler)
    : subject_(std::move(subject)), compiler_(std::move(compiler)) {
    const std::string number = std::to_string(getpid());
    folder_ = std::filesystem::absolute(subject_.options().pipeline).parent_path().string() +
              "/runner-" + number;
    // One name for all: a device is left with one file.
    binary_ = path("nestor-benchmark-" + number);
}

Result<std::unique_ptr<Measurer>> RemoteMeasurer::create(const MeasureOptions& options) {
    if (const Status status = check_runner(options.runner); !status) {
        return Error{status.error()};
    }
    if (!options.load.empty()) {
        return Error{
            "--load names libraries of this machine, and --runner runs candidates without "
            "them: pipelines with extern functions are measured without a runner only"};
    }
    Result<Subject> subject = Subject::create(options);
    if (!subject) {
        return Error{subject.error()};
    }
    if (!subject.value().missing_externs().empty()) {
        return Error{"the pipeline calls the extern function " +
                     subject.value().missing_externs().front() +
                     ", which a benchmark for a runner does not have: without a runner, --load "
                     "names its library"};
    }
    Result<std::string> compiler = find_compiler(options.runner, subject.value().target());
    if (!compiler) {
        return Error{compiler.error()};
    }
    return std::unique_ptr<Measurer>(
        new RemoteMeasurer(std::move(subject).value(), std::move(compiler).value()));
}

Status RemoteMeasurer::prepare() {
    for (const auto& step : {&RemoteMeasurer::write_sources, &RemoteMeasurer::compile_runtime}) {
        if (Status status = (this->*step)(); !status) {
            return status;
        }
    }
    if (Status status = compile_source("harness"); !status) {
        return Error{"the benchmark's source does not compile: " + status.error()};
    }
    std::string reasons;
    for (const Subject::Reference reference : subject_.references()) {
        const double start = steady_seconds();
        const Measurement result = try_reference(reference);
        if (result.ok()) {
            reference_turn_ = steady_seconds() - start - result.build_seconds;
            kernel_seconds_ = result.drift;
            verified_against_ = Subject::reference_text(reference);
            machine_ = result.machine;
            machine_.cpu += ", runner: " + subject_.options().runner.command;
            machine_.halide = machine_state(0).halide;
            return Ok{};
        }
        reasons += std::string("\n  ") + Subject::reference_text(reference) + ": " +
                   outcome_name(result.outcome) + ": " + result.message;
    }
    return Error{"the runner gives no result to compare with:" + reasons};
}

Status RemoteMeasurer::write_sources() const {
    if (Status status = make_directory(path("measure")); !status) {
        return status;
    }
    for (std::size_t i = 0; i < kBenchmarkSources; i++) {
        const std::string name = benchmark_sources[i].name;
        const bool is_halides = name == "HalideRuntime.h";
        if (Status status =
                write_file(path(is_halides ? name : "measure/" + name), benchmark_sources[i].text);
            !status) {
            return status;
        }
    }
    return write_file(path("harness.cpp"), harness_source());
}

Result<std::map<std::string, std::string>> RemoteMeasurer::write_inputs() const {
    std::map<std::string, std::string> files;
    for (const CallArgument& argument : subject_.shape()) {
        const auto input = subject_.inputs().find(argument.buffer.name);
        if (!argument.is_buffer || input == subject_.inputs().end()) {
            continue;
        }
        const std::string file = path("input_" + std::to_string(files.size()));
        const std::string_view bytes(reinterpret_cast<const char*>(input->second.data()),
                                     static_cast<std::size_t>(input->second.bytes()));
        if (Status status = write_file(file, bytes); !status) {
            return Error{status.error()};
        }
        files.emplace(argument.buffer.name, file);
    }
    return files;
}

Status RemoteMeasurer::compile_source(const std::string& name) const {
    return run_tool({compiler_, "-std=c++20", "-O2", "-I", folder_, "-c", path(name + ".cpp"), "-o",
                     path(name + ".o")},
                    subject_.options().build_seconds);
}

Status RemoteMeasurer::compile_runtime() const {
    return try_apart(
        [&] {
            return catching("Halide's run-time", [&]() -> Status {
                Halide::compile_standalone_runtime(path("runtime.o"), callable(subject_.target()));
                return Ok{};
            });
        },
        subject_.options().build_seconds);
}

Status RemoteMeasurer::compile_pipeline(const Halide::Pipeline& pipeline, const char* function,
                                        const std::string& object) const {
    return catching("compiling", [&]() -> Status {
        std::vector<Halide::Argument> inputs = caller_arguments(pipeline);  // Halide adds the rest
        std::erase_if(inputs, [](const Halide::Argument& each) { return each.is_output(); });
        Halide::Pipeline(pipeline).compile_to_object(
            object, inputs, function, callable(subject_.target()).with_feature(Target::NoRuntime));
        return Ok{};
    });
}

Measurement RemoteMeasurer::try_reference(Subject::Reference reference) const {
    const double start = steady_seconds();
    const MeasureOptions& options = subject_.options();
    const Result<std::map<std::string, std::string>> files = write_inputs();
    if (!files) {
        return Measurement::failure(Outcome::CompileError, files.error());
    }
    // Of files beside binaries of this very process, identity means: of this reference.
    const std::uint64_t identity =
        hash_bytes(Subject::reference_text(reference), static_cast<std::uint64_t>(getpid()));
    Status status = write_file(
        path("main.cpp"),
        main_source(subject_.shape(), options.seed, kGarbageSeed, identity, files.value()));
    if (status) {
        status = compile_source("main");
    }
    if (status) {
        status = try_apart(
            [&] {
                return compile_pipeline(subject_.reference_pipeline(reference), kReferenceFunction,
                                        path("reference.o"));
            },
            options.build_seconds);
    }
    if (status) {
        status = link(binary_, "");
    }
    if (!status) {
        return Measurement::failure(Outcome::CompileError, status.error());
    }
    std::ostringstream arguments;
    arguments << "mode=reference threads=" << options.threads
              << " reference_seconds=" << options.reference_seconds;
    const double build_seconds = steady_seconds() - start;
    Measurement result = run(arguments.str(), options.reference_seconds + options.run_seconds);
    result.build_seconds = build_seconds;
    return result;
}

Status RemoteMeasurer::link(const std::string& binary, const std::string& candidate) const {
    std::vector<std::string> command = {compiler_,
                                        "-s",
                                        "-o",
                                        binary,
                                        path("harness.o"),
                                        path("main.o"),
                                        path("reference.o"),
                                        path("runtime.o")};
    if (!candidate.empty()) {
        command.push_back(candidate);
    }
    for (const std::string& option : link_options(subject_.target())) {
        command.push_back(option);
    }
    return run_tool(command);
}

Measurement RemoteMeasurer::run(const std::string& arguments, double seconds) const {
    const RunnerOptions& runner = subject_.options().runner;
    if (!runner.copy.empty()) {
        const Result<ProcessResult> copied = run_in_shell(copy_command(runner, binary_), seconds);
        if (!copied || !copied.value().ok()) {
            return Measurement::failure(
                copied && copied.value().timed_out ? Outcome::Timeout : Outcome::Lost,
                "copying the benchmark failed: " +
                    (copied ? "the command " + copied.value().how_it_ended() + ": " +
                                  copied.value().errors
                            : copied.error()));
        }
    }
    return read_answer(run_in_shell(run_command(runner, binary_, arguments), seconds));
}

// What the binary may take by its own limits, and twice what it took to copy, start and compute the
// right result, which it does again if it could not keep it.
double RemoteMeasurer::turn_seconds() const {
    constexpr double kRuns = 6;
    const MeasureOptions& options = subject_.options();
    return options.timing_seconds + kRuns * options.run_seconds + 2 * reference_turn_;
}

std::string RemoteMeasurer::candidate_arguments(const Candidate& candidate,
                                                const Schedule& schedule) const {
    const MeasureOptions& options = subject_.options();
    std::ostringstream text;
    text << "mode=candidate threads=" << options.threads << " run_seconds=" << options.run_seconds
         << " reference_seconds=" << options.reference_seconds
         << " timing_seconds=" << options.timing_seconds << " precision=" << options.precision
         << " flush_caches=" << options.flush_caches << " memory=" << options.memory_bytes;
    if (candidate.give_up_seconds > 0) {
        text << " slow_run=" << candidate.give_up_seconds;
    }
    const RoundingFacts facts = subject_.rounding(schedule);
    for (const CallArgument& argument : subject_.shape()) {
        if (argument.is_buffer && argument.buffer.is_output) {
            const Tolerance each = tolerance(argument.buffer.type, facts);
            text << " tolerance=" << each.relative << "," << each.of_largest << ","
                 << each.absolute;
        }
    }
    return text.str();
}

Measurement RemoteMeasurer::measure(const Candidate& candidate,
                                    const MeasureProgress& progress) const {
    const double start = steady_seconds();
    // 1. Build. Several are built at once, by processes of their own.
    Schedule schedule;
    const Result<Halide::Pipeline> scheduled = subject_.scheduled(candidate, schedule);
    if (!scheduled) {
        return Measurement::failure(Outcome::Refused, scheduled.error());
    }
    const std::string own = path("candidate-" + std::to_string(getpid()));
    Status status = compile_pipeline(scheduled.value(), kCandidateFunction, own + ".o");
    if (status) {
        status = link(own, own + ".o");
    }
    (void)std::remove((own + ".o").c_str());
    if (!status) {
        return Measurement::failure(
            means_memory(status.error()) ? Outcome::OutOfMemory : Outcome::CompileError,
            status.error());
    }
    const double build_seconds = steady_seconds() - start;
    progress.built();

    // 2. All the rest is one run, alone: what a runner runs elsewhere cannot be paused.
    progress.wait_for_turn();
    std::filesystem::rename(own, binary_);
    Measurement result = run(candidate_arguments(candidate, schedule), 0);
    result.build_seconds = build_seconds;
    if (result.ok()) {
        result.verified_against = verified_against_;
    }
    return result;
}

}  // namespace nestor
