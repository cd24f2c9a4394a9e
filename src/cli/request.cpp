#include "cli/request.h"

#include <cstdlib>
#include <filesystem>

#include "cli/command.h"

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

}  // namespace nestor
