#include "cli/open_pipeline.h"

#include <iostream>
#include <utility>

#include "cli/generator.h"
#include "cli/plugin_path.h"
#include "cli/scratch.h"
#include "halide/parse_target.h"
#include "halide/read_pipeline.h"
#include "plugin/machine_choice.h"

namespace nestor {

namespace {

/** The generator runs once, so that it hands its pipeline to the plug-in, which saves it. */
Result<LoadedPipeline> export_pipeline(const Request& request) {
    const Result<Generator> generator = Generator::open(request.path);
    if (!generator.ok()) {
        return Error{generator.error()};
    }
    const Result<std::string> plugin = find_plugin(request.plugin);
    if (!plugin.ok()) {
        return Error{plugin.error()};
    }
    const Result<std::string> name = generator.value().choose_name(request.generator_name);
    if (!name.ok()) {
        return Error{name.error()};
    }
    const Result<Scratch> scratch = Scratch::create();
    if (!scratch.ok()) {
        return Error{scratch.error()};
    }
    Request saving = request;
    saving.scheduler_params["save"] = scratch.value().path();
    // What is searched, replayed or reported comes later, with the pipeline that is saved; without
    // any schedule its lowering may take for ever.
    saving.scheduler_params.erase("schedule");
    saving.scheduler_params.erase("records");
    saving.scheduler_params.erase("trials");
    saving.scheduler_params["num_passes"] = "0";
    saving.scheduler_params["verbosity"] = "0";
    GeneratorJob job;
    job.name = name.value();
    job.directory = scratch.value().path();
    job.outputs = {"schedule"};
    job.plugin = plugin.value();
    job.target = request.target;
    job.params = saving.all_params();
    if (const Status status = generator.value().run(job); !status.ok()) {
        return Error{status.error()};
    }
    const std::string saved = scratch.value().only_file(".hlpipe");
    if (saved.empty()) {
        return generator.value().wrote_nothing(job);
    }
    return load_pipeline(saved);
}

}  // namespace

Result<OpenedPipeline> open_pipeline(const Request& request) {
    if (request.target.find(',') != std::string::npos) {
        return Error{"one target at a time here, not " + request.target};
    }
    const Result<Halide::Target> target = parse_target(request.target);
    if (!target.ok()) {
        return Error{target.error()};
    }
    const Result<ParsedParams> params = parse_params(request.scheduler_params, process_environment);
    if (!params.ok()) {
        return Error{params.error()};
    }
    for (const std::string& warning : params.value().warnings) {
        std::cerr << "nestor: " << warning << "\n";
    }
    Result<LoadedPipeline> loaded =
        request.is_pipeline ? load_pipeline(request.path) : export_pipeline(request);
    if (!loaded.ok()) {
        return Error{loaded.error()};
    }
    return OpenedPipeline{std::move(loaded).value(), target.value(), params.value().params};
}

Result<ModelledPipeline> open_modelled(const Request& request) {
    Result<OpenedPipeline> opened = open_pipeline(request);
    if (!opened) {
        return Error{opened.error()};
    }
    OpenedPipeline& pipeline = opened.value();
    Result<PipelineDag> dag =
        read_pipeline(pipeline.loaded.pipeline, pipeline.target, {pipeline.params.default_extent});
    if (!dag) {
        return Error{request.path + ": " + dag.error()};
    }
    Result<Machine> machine = choose_machine(pipeline.target, pipeline.params);
    if (!machine) {
        return Error{machine.error()};
    }
    return ModelledPipeline{std::move(pipeline), std::move(dag).value(),
                            std::move(machine).value()};
}

}  // namespace nestor
