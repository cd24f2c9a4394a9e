#include "cli/request.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "cli/command.h"
#include "cli/plugin_path.h"
#include "cli/scratch.h"

namespace nestor {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPrefix = "autoscheduler.";

void read_param(const std::string& text, Request& request) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
        refuse_usage("a parameter is KEY=VALUE, and `" + text + "` is not");
    }
    std::string key = text.substr(0, equals);
    const std::string value = text.substr(equals + 1);
    if (key == "target") {
        if (!request.target.empty() && request.target != value) {
            refuse_usage("two targets: " + request.target + " and " + value);
        }
        request.target = value;
    } else if (key == "autoscheduler") {
        if (value != "Nestor") {
            refuse_usage("this sub-command schedules with Nestor; to run a generator with " +
                         value + ", use the generator itself");
        }
    } else if (key.starts_with(kPrefix)) {
        request.scheduler_params[key.substr(std::string(kPrefix).size())] = value;
    } else if (request.is_pipeline) {  // no generator, hence none of its parameters
        request.scheduler_params[key] = value;
    } else {
        request.generator_params.push_back(text);
    }
}

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
    // What is replayed or reported comes later, with the pipeline that is saved.
    saving.scheduler_params.erase("schedule");
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

void add_request_options(CLI::App& app, RequestOptions& options) {
    app.add_option("-g,--generator", options.generator_name,
                   "which generator of the program (default: its only one)")
        ->type_name("NAME");
    app.add_option("-t,--target", options.target,
                   "Halide target, as in host or x86-64-linux-avx2 (default: HL_TARGET, or host)")
        ->type_name("TARGET");
    app.add_option("-p,--param,--params", options.params,
                   "parameter of the generator, or of the scheduler (autoscheduler.parallelism=8); "
                   "may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    app.add_option("--plugin", options.plugin,
                   "the plug-in, if it is not beside this program (also NESTOR_PLUGIN)")
        ->type_name("FILE");
}

void add_request_path(CLI::App& app, RequestOptions& options) {
    app.add_option("source", options.path, "a generator, or a .hlpipe file")
        ->required()
        ->type_name("GENERATOR|FILE.hlpipe");
    app.add_option("params", options.more_params, "parameters, as with -p")->type_name("KEY=VALUE");
}

std::vector<std::string> Request::all_params() const {
    std::vector<std::string> all = generator_params;
    for (const auto& [key, value] : scheduler_params) {
        all.push_back(kPrefix + key + "=" + value);
    }
    return all;
}

Request read_request(const RequestOptions& options) {
    Request request;
    request.path = options.path;
    request.is_pipeline = fs::path(options.path).extension() == ".hlpipe";
    request.generator_name = options.generator_name;
    request.target = options.target;
    request.plugin = options.plugin;
    if (request.is_pipeline && !request.generator_name.empty()) {
        refuse_usage("-g names a generator, and " + request.path + " is a pipeline");
    }
    for (const auto* list : {&options.params, &options.more_params}) {
        for (const std::string& text : *list) {
            read_param(text, request);
        }
    }
    if (request.target.empty()) {
        const char* variable = std::getenv("HL_TARGET");
        request.target = variable != nullptr && *variable != '\0' ? variable : "host";
    }
    return request;
}

Result<Halide::Target> parse_target(const std::string& text) {
    if (!Halide::Target::validate_target_string(text)) {
        return Error{text +
                     " is no Halide target; one looks like host, x86-64-linux-avx2-fma or "
                     "arm-64-android, and nestor doctor shows this machine's"};
    }
    return Halide::Target(text);
}

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

}  // namespace nestor
