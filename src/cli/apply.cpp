// nestor apply

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/command.h"
#include "cli/produce.h"

namespace nestor {

namespace {

constexpr const char* kApplyExamples = R"(
Examples:
  nestor apply harris.json --to build/harris.generator -g harris
      checks that the schedule is right for the pipeline, and prints it as C++
  nestor apply harris.json --to saved/harris.hlpipe --format python
      the same for a pipeline that was saved, as Python
  nestor apply harris.json --to build/harris.generator -g harris -o out -e object,c_header
      compiles with it

A schedule that was made for another algorithm is refused. Files appear whole or not at all.)";

struct ApplyCommand {
    std::string schedule;
    RequestOptions request;
    OutputOptions output;
};

/** What can be told without the pipeline: early, and without a generator's noise around it. */
Status check_schedule_file(const std::string& path) {
    const Result<std::string> text = read_file(path);
    if (!text.ok()) {
        return Error{text.error()};
    }
    const auto json = nlohmann::json::parse(text.value(), nullptr, false);
    if (json.is_discarded() || !json.is_object()) {
        return Error{path + " is not a schedule: " +
                     (json.is_discarded() ? "it is not valid JSON" : "it is no JSON object") +
                     ". nestor schedule ... --format json prints one"};
    }
    return Ok{};
}

Status run(const ApplyCommand& options, bool format_given) {
    Request request = read_request(options.request);
    if (request.scheduler_params.contains("schedule")) {
        refuse_usage("two schedules: " + options.schedule + " and autoscheduler.schedule");
    }
    if (format_given && options.output.wants_files()) {
        refuse_usage("--format is for the printed schedule, and -e or -o ask for files");
    }
    if (Status status = check_schedule_file(options.schedule); !status.ok()) {
        return status;
    }
    request.scheduler_params["schedule"] = std::filesystem::absolute(options.schedule).string();
    return produce(request, options.output);
}

}  // namespace

Action define_apply(CLI::App& app) {
    const auto options = std::make_shared<ApplyCommand>();
    app.add_option("schedule", options->schedule, "a schedule, as JSON")
        ->required()
        ->type_name("FILE.json");
    app.add_option("--to", options->request.path, "the pipeline: a generator, or a .hlpipe file")
        ->required()
        ->type_name("GENERATOR|FILE.hlpipe");
    app.add_option("params", options->request.more_params, "parameters, as with -p")
        ->type_name("KEY=VALUE");
    add_request_options(app, options->request);
    add_output_options(app, options->output);
    app.footer(kApplyExamples);
    return [options, &app] { return run(*options, app.count("--format") > 0); };
}

}  // namespace nestor
