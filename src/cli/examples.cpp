// nestor examples

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.h"
#include "cli/command.h"
#include "cli/open_pipeline.h"
#include "schedule/legality.h"
#include "schedule/print.h"
#include "train/dataset.h"

namespace nestor {

namespace {

constexpr const char* kExamplesExamples = R"(
Examples:
  nestor examples build/harris.generator -g harris --data harris.jsonl -o harris.examples
      features of the schedules that scripts/collect.py measured (unpacked), for `nestor train`

Of each line of the data, "schedule", "seconds", "threads" and "outcome" are read; those that were
not timed, and those that are not legal, are left out.)";

struct ExamplesCommand {
    RequestOptions request;
    std::string data;
    std::string output;
};

// None of a line that is nothing to learn from.
Result<std::vector<Example>> read_line(const PipelineDag& dag, Machine machine,
                                       const std::string& line) {
    try {
        const auto row = nlohmann::json::parse(line);
        if (row.at("outcome") != "timed") {
            return std::vector<Example>{};
        }
        const Result<Schedule> schedule = parse_json(dag, row.at("schedule").dump());
        if (!schedule) {
            return Error{schedule.error()};
        }
        if (!check_legality(dag, schedule.value()).empty()) {
            return std::vector<Example>{};
        }
        machine.parallelism = row.at("threads").get<int>();
        return std::vector{
            make_example(dag, schedule.value(), machine, row.at("seconds").get<double>())};
    } catch (const nlohmann::json::exception& problem) {
        return Error{problem.what()};
    }
}

Status run(const ExamplesCommand& options) {
    const Result<ModelledPipeline> modelled = open_modelled(read_request(options.request));
    if (!modelled) {
        return Error{modelled.error()};
    }
    const auto& [_, dag, machine] = modelled.value();
    const Result<std::string> data = read_file(options.data);
    if (!data) {
        return Error{data.error()};
    }
    std::istringstream lines(data.value());
    std::vector<Example> examples;
    int count = 0;
    for (std::string line; std::getline(lines, line); count++) {
        const Result<std::vector<Example>> read = read_line(dag, machine, line);
        if (!read) {
            return Error{options.data + ", line " + std::to_string(count + 1) + ": " +
                         read.error()};
        }
        examples.insert(examples.end(), read.value().begin(), read.value().end());
    }
    std::cerr << examples.size() << " examples of " << count << " lines\n";
    return write_file(options.output, print_examples(examples));
}

}  // namespace

Action define_examples(CLI::App& app) {
    const auto options = std::make_shared<ExamplesCommand>();
    add_request_path(app, options->request);
    add_request_options(app, options->request);
    app.add_option("--data", options->data, "measured schedules, as JSON lines")
        ->required()
        ->type_name("FILE.jsonl");
    app.add_option("-o", options->output, "gets the examples")->required()->type_name("FILE");
    app.footer(kExamplesExamples);
    return [options] { return run(*options); };
}

}  // namespace nestor
