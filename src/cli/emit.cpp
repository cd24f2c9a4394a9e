#include "cli/emit.h"

#include <algorithm>
#include <cctype>
#include <exception>
#include <functional>
#include <iostream>
#include <map>

#include "base/files.h"
#include "base/process.h"
#include "cli/generator.h"
#include "cli/scratch.h"

namespace nestor {

using Halide::OutputFileType;

namespace {

/** They describe the generator, or need what only it has. */
constexpr OutputFileType kOfGeneratorsOnly[] = {OutputFileType::cpp_stub,
                                                OutputFileType::compiler_log};

using Outputs = std::map<std::string, OutputFileType>;

Outputs known_outputs(const Halide::Target& target) {
    Outputs known;
    for (const auto& [type, info] : Halide::Internal::get_output_info(target)) {
        if (std::find(std::begin(kOfGeneratorsOnly), std::end(kOfGeneratorsOnly), type) ==
            std::end(kOfGeneratorsOnly)) {
            known[info.name] = type;
        }
    }
    return known;
}

/** Type -> path. */
std::map<OutputFileType, std::string> output_files(const EmitJob& job) {
    const Outputs known = known_outputs(job.target);
    const auto info = Halide::Internal::get_output_info(job.target);
    std::map<OutputFileType, std::string> files;
    for (const std::string& name : job.outputs) {
        const OutputFileType type = known.at(name);
        files[type] = job.directory + "/" + job.base_name + info.at(type).extension;
    }
    return files;
}

Halide::AutoSchedulerResults results_of(const ScheduleOutcome& outcome,
                                        const Halide::Target& target) {
    Halide::AutoSchedulerResults results;
    results.target = target;
    results.autoscheduler_params = {"Nestor", {}};
    results.schedule_source = outcome.cpp_source;
    results.featurization = outcome.featurization;
    return results;
}

/** The pipeline's inputs in the order of the side file: the order in which the compiled function
 * takes them. */
std::vector<Halide::Argument> ordered_inputs(const LoadedPipeline& loaded) {
    Halide::Pipeline pipeline = loaded.pipeline;  // infer_arguments is not const
    std::vector<Halide::Argument> inputs = pipeline.infer_arguments();
    const auto place = [&](const Halide::Argument& argument) {
        return std::find(loaded.arguments.begin(), loaded.arguments.end(), argument.name);
    };
    std::stable_sort(inputs.begin(), inputs.end(),
                     [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return inputs;
}

/** 0, or 1 with a message on stderr: an exit code. */
int compile(const EmitJob& job, const LoadedPipeline& scheduled,
            const std::map<OutputFileType, std::string>& files, const ScheduleOutcome& outcome) {
    try {
        Halide::Pipeline pipeline = scheduled.pipeline;
        Halide::Module module =
            pipeline.compile_to_module(ordered_inputs(scheduled), job.function, job.target);
        module.set_auto_scheduler_results(results_of(outcome, job.target));
        module.compile(files);
        return 0;
    } catch (const Halide::Error& problem) {
        std::cerr << problem.what() << "\n";
    } catch (const std::exception& problem) {
        std::cerr << problem.what() << "\n";
    }
    return 1;
}

}  // namespace

std::string identifier(const std::string& text) {
    std::string name;
    for (const char c : text) {
        name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
        name.insert(name.begin(), '_');
    }
    return name;
}

Status check_outputs(const EmitJob& job) {
    const Outputs known = known_outputs(job.target);
    for (const std::string& name : job.outputs) {
        if (!known.contains(name)) {
            std::vector<std::string> names;
            for (const auto& row : known) {
                names.push_back(row.first);
            }
            return Error{"a pipeline file can't be compiled to " + name +
                         "; what can be emitted: " + joined(names, ", ")};
        }
    }
    return Ok{};
}

Status emit(const EmitJob& job, const LoadedPipeline& scheduled, const Halide::Pipeline& original,
            const ScheduleOutcome& outcome) {
    auto files = output_files(job);
    if (const auto it = files.find(OutputFileType::hlpipe); it != files.end()) {
        if (Status status = save_pipeline(original, it->second); !status.ok()) {
            return status;
        }
        files.erase(it);
    }
    if (files.empty()) {
        return Ok{};
    }
    const Result<ProcessResult> child = run_forked(
        [&] { return compile(job, scheduled, files, outcome); }, {Stream::Copy, Stream::Copy});
    if (!child.ok()) {
        return Error{child.error()};
    }
    if (!child.value().ok()) {
        return Error{"the scheduled pipeline could not be compiled: the compiler " +
                     child.value().how_it_ended() +
                     (child.value().errors.empty() ? "" : "; its messages are above")};
    }
    return Ok{};
}

Result<std::string> schedule_header(const ScheduleOutcome& outcome, const std::string& name,
                                    const Halide::Target& target) {
    const Result<Scratch> scratch = Scratch::create();
    if (!scratch.ok()) {
        return Error{scratch.error()};
    }
    const std::string path = scratch.value().path() + "/schedule.h";
    Halide::Module module(name, target);
    module.set_auto_scheduler_results(results_of(outcome, target));
    module.compile({{OutputFileType::schedule, path}});
    return read_file(path);
}

}  // namespace nestor
