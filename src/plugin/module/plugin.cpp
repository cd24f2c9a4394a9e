// The module that Halide loads: registers the scheduler, and turns what Halide hands over into a
// call of schedule_pipeline. Linked twice, as libautoschedule_nestor.so and, with another list of
// names, as libauto_schedule.so.
//
// No object of a Halide type may be static here or in anything linked in: its constructor would
// call into Halide before check_halide has looked.

#include <atomic>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "halide/halide.h"
#include "plugin/halide_check.h"
#include "plugin/module/registered_names.h"
#include "plugin/params.h"
#include "plugin/schedule_pipeline.h"

namespace nestor {

namespace {

std::string built_for() {
    return std::to_string(HALIDE_VERSION_MAJOR) + "." + std::to_string(HALIDE_VERSION_MINOR) + "." +
           std::to_string(HALIDE_VERSION_PATCH);
}

/** check_serialized_release, once a process: all pipelines come from the same Halide. */
std::string check_release_of(const Halide::Pipeline& pipeline) {
    static std::atomic<bool> checked = false;
    if (checked) {
        return "";
    }
    std::vector<std::uint8_t> bytes;
    try {
        Halide::serialize_pipeline(pipeline, bytes);
    } catch (const Halide::Error&) {
        // Not every pipeline can be serialized. That says nothing about the release; the next one
        // may.
        return "";
    }
    std::string problem = check_serialized_release(bytes, built_for());
    checked = problem.empty();
    return problem;
}

/** What the scheduler made of the pipeline, or why it did not. */
Result<ScheduleOutcome> schedule(const std::string& name, const Halide::Pipeline& pipeline,
                                 const Halide::Target& target,
                                 const std::map<std::string, std::string>& extra) {
    if (std::string problem = check_release_of(pipeline); !problem.empty()) {
        return Error{problem};
    }
    const Result<ParsedParams> parsed = parse_params(extra, process_environment, name);
    if (!parsed.ok()) {
        return Error{parsed.error()};
    }
    for (const std::string& warning : parsed.value().warnings) {
        _halide_user_warning << "Nestor: " << warning << "\n";
    }
    try {
        return schedule_pipeline(pipeline, target, parsed.value().params);
    } catch (const std::exception& problem) {
        // Halide's callers know Halide::Error only, which is no std::exception and passes through
        // as it is.
        return Error{std::string("unexpected failure: ") + problem.what()};
    }
}

/** The AutoSchedulerFn for a name. */
void autoschedule(const std::string& name, const Halide::Pipeline& pipeline,
                  const Halide::Target& target, const Halide::AutoschedulerParams& params,
                  Halide::AutoSchedulerResults* results) {
    Result<ScheduleOutcome> outcome = schedule(name, pipeline, target, params.extra);
    if (!outcome.ok()) {
        _halide_user_error << "Nestor: " << outcome.error() << "\n";
    }
    for (const std::string& warning : outcome.value().warnings) {
        _halide_user_warning << "Nestor: " << warning << "\n";
    }
    std::cerr << outcome.value().report;
    results->schedule_source = std::move(outcome.value().cpp_source);
    results->featurization = std::move(outcome.value().featurization);
}

/** For register_nestor and what it calls: they may run before std::cerr exists. */
void tell(const std::string& line) {
    std::fputs(("Nestor: " + line + "\n").c_str(), stderr);
}

/** Registers a name unless it is taken: by this plug-in's other file, or by Halide's own Adams2019,
 * loaded before. Halide keeps the first, and its exception must not leave: this runs inside dlopen,
 * where it would end the process. The other order can't be helped: Halide's Adams2019, loaded after
 * its name was taken, ends the process itself. */
void add(const std::string& name) {
    try {
        Halide::Pipeline::add_autoscheduler(
            name, [name](const auto& pipeline, const auto& target, const auto& params,
                         auto* results) { autoschedule(name, pipeline, target, params, results); });
    } catch (const Halide::Error&) {
        if (name != "Nestor") {
            tell("another scheduler named " + name + " is loaded already, and stays");
        }
    }
}

__attribute__((constructor)) void register_nestor() {
    if (const std::string problem = check_halide(built_for()); !problem.empty()) {
        tell("not loaded: " + problem);
        return;
    }
    for (const char* name : registered_names()) {
        add(name);
    }
}

}  // namespace

}  // namespace nestor
