// nestor schedule

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/generator.h"
#include "cli/produce.h"

namespace nestor {

namespace {

constexpr const char* kScheduleExamples = R"(
Examples:
  nestor schedule build/harris.generator -g harris
      prints the schedule as C++, as the generator's `-e schedule` writes it
  nestor schedule build/harris.generator -g harris -t x86-64-linux-avx2-fma --format json > harris.json
      keeps it as a value, which `nestor apply` replays
  nestor schedule build/harris.generator -g harris -o out -e object,c_header autoscheduler.parallelism=8
      compiles with it: out/harris.o, out/harris.h
  nestor schedule saved/harris.hlpipe -t host -o out -e static_library,c_header,schedule
      the same for a pipeline that was saved (autoscheduler.save=saved), without the generator
  nestor schedule build/apps.generator --list
      names the generators of a program

Parameters of the scheduler: docs/parameters.md. Files appear whole or not at all.)";

struct ScheduleCommand {
    RequestOptions request;
    OutputOptions output;
    bool list = false;
    bool json = false;
};

Status list_generators(const ScheduleCommand& options) {
    const Result<Generator> generator = Generator::open(options.request.path);
    if (!generator.ok()) {
        return Error{generator.error()};
    }
    const auto names = generator.value().names();
    if (!names.ok()) {
        return Error{names.error()};
    }
    std::cout << (options.json ? nlohmann::json(names.value()).dump() : joined(names.value(), "\n"))
              << "\n";
    return Ok{};
}

Status run(const ScheduleCommand& options, bool format_given) {
    const Request request = read_request(options.request);
    if (options.list && request.is_pipeline) {
        refuse_usage("--list is for generators, and " + request.path + " is a pipeline");
    }
    if (options.json && !options.list) {
        refuse_usage("--json goes with --list; for the schedule there is --format json");
    }
    if (format_given && options.output.wants_files()) {
        refuse_usage("--format is for the printed schedule, and -e or -o ask for files");
    }
    return options.list ? list_generators(options) : produce(request, options.output);
}

}  // namespace

Action define_schedule(CLI::App& app) {
    const auto options = std::make_shared<ScheduleCommand>();
    add_request_path(app, options->request);
    add_request_options(app, options->request);
    add_output_options(app, options->output);
    app.add_flag("--list", options->list, "name the generators of the program, and stop");
    app.add_flag("--json", options->json, "with --list: as JSON");
    app.footer(kScheduleExamples);
    return [options, &app] { return run(*options, app.count("--format") > 0); };
}

}  // namespace nestor
