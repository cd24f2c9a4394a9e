// nestor sample

#include <algorithm>
#include <iostream>
#include <memory>

#include "base/files.h"
#include "cli/command.h"
#include "cli/open_pipeline.h"
#include "schedule/print.h"
#include "search/sample.h"
#include "search/search.h"

namespace nestor {

namespace {

constexpr const char* kSampleExamples = R"(
Examples:
  nestor sample build/harris.generator -g harris --count 200 -o schedules
      schedules/0.json to schedules/199.json, all legal and different
  nestor measure build/harris.generator -g harris --json $(printf -- '--schedule %s ' schedules/*.json)
      how fast they are; scripts/collect.py does both, for many pipelines)";

struct SampleCommand {
    RequestOptions request;
    std::string folder;
    int count = 100;
    int frontier = 0;
    std::uint64_t seed = 1;
};

Status run(const SampleCommand& options) {
    const Result<ModelledPipeline> modelled = open_modelled(read_request(options.request));
    if (!modelled) {
        return Error{modelled.error()};
    }
    const auto& [opened, dag, machine] = modelled.value();
    Caps caps;
    caps.peak_bytes = opened.params.memory_limit;
    caps = search_caps(dag, machine, caps);
    std::vector<Schedule> schedules =
        frontier_schedules(dag, machine, caps, options.frontier,
                           Limits(opened.params.time_limit, opened.params.search_memory));
    for (Schedule& schedule : sample_schedules(dag, machine, caps, options.count, options.seed)) {
        if (std::ranges::count(schedules, schedule) == 0) {
            schedules.push_back(std::move(schedule));
        }
    }
    if (Status status = make_directory(options.folder); !status) {
        return status;
    }
    for (std::size_t i = 0; i < schedules.size(); i++) {
        const std::string file = options.folder + "/" + std::to_string(i) + ".json";
        if (Status status = write_file(file, print_json(dag, schedules[i])); !status) {
            return status;
        }
    }
    std::cerr << schedules.size() << " schedules in " << options.folder << "\n";
    return Ok{};
}

}  // namespace

Action define_sample(CLI::App& app) {
    const auto options = std::make_shared<SampleCommand>();
    add_request_path(app, options->request);
    add_request_options(app, options->request);
    app.add_option("-o", options->folder, "gets a file for each schedule")
        ->required()
        ->type_name("FOLDER");
    app.add_option("--count", options->count, "how many schedules")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
    app.add_option("--frontier", options->frontier,
                   "how many schedules of those that the search looks at, before the random ones: "
                   "the best one, and others of up to four times its predicted time")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
    app.add_option("--seed", options->seed, "of the choice")->capture_default_str();
    app.footer(kSampleExamples);
    return [options] { return run(*options); };
}

}  // namespace nestor
