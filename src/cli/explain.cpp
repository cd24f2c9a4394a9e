// nestor explain

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/hash.h"
#include "cli/command.h"
#include "cli/open_pipeline.h"
#include "cli/records_tasks.h"
#include "cli/report_tasks.h"
#include "cost/cost_model.h"
#include "plugin/machine_choice.h"
#include "plugin/schedule_pipeline.h"
#include "plugin/weights.h"
#include "schedule/print.h"
#include "search/seeds.h"

namespace nestor {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExplainExamples = R"(
Examples:
  nestor explain build/harris.generator -g harris
      the loop nest that is chosen, what was compared, and what scheduling took
  nestor explain saved/harris.hlpipe --schedule harris.json
      the loop nest of a schedule that was kept
  nestor explain saved/harris.hlpipe --proposal "from tiles"
      the loop nest of another one of what was compared, and its predicted cost
  nestor explain saved/harris.hlpipe --json
      the same facts for a script; times in seconds
  nestor explain --records tuned.db --pipeline harris
      what tuning found: its gains, the structures that it tried, and the winner's loop nest

Times of loop nests are estimates: what runs is measured by `nestor measure`.)";

struct ExplainCommand {
    RequestOptions request;
    std::string schedule;
    std::string proposal;
    std::string records;
    TaskOptions task;
    bool profile = false;
    bool json = false;
};

struct Explanation {
    std::string target;
    ScheduleOutcome outcome;
    Prediction prediction;
};

std::string milliseconds(double seconds) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(seconds < 0.1 ? 3 : 1) << seconds * 1e3 << " ms";
    return text.str();
}

std::string schedule_hash(const ScheduleOutcome& outcome) {
    return hash_text(hash(outcome.schedule, outcome.dag));
}

std::string indented(const std::string& text) {
    std::istringstream lines(text);
    std::string result;
    for (std::string line; std::getline(lines, line);) {
        result += "  " + line + "\n";
    }
    return result;
}

void print_costs(const Explanation& e) {
    std::cout << "\npredicted ms of each function at root, with what is computed in its loops:\n";
    for (const GroupCost& group : e.prediction.groups) {
        std::cout << "  " << std::left << std::setw(20)
                  << function_text(e.outcome.dag, e.outcome.schedule, group.root) << std::right;
        for (std::size_t t = 0; t < kTerms; t++) {
            if (group.cost.seconds[t] >= 0.01 * e.prediction.cost.total()) {
                std::cout << "  " << name_of(static_cast<Term>(t)) << " " << std::fixed
                          << std::setprecision(3) << group.cost.seconds[t] * 1e3;
            }
        }
        std::cout << "\n";
    }
}

void print_text(const Explanation& e) {
    const PipelineDag& dag = e.outcome.dag;
    std::cout << dag.name << ": " << dag.functions.size() << " functions, algorithm "
              << hash_text(dag.algorithm_hash) << ", for " << e.target << "\n"
              << "chosen: " << e.outcome.chosen << ", predicted at "
              << milliseconds(e.prediction.cost.total()) << "; schedule "
              << schedule_hash(e.outcome) << "\n";
    std::cout << "\nwhat was compared, by prediction (the best of those that were lowered and "
                 "passed all checks is taken):\n";
    for (const Compared& each : e.outcome.candidates) {
        std::cout << "  " << std::left << std::setw(30) << each.name << milliseconds(each.seconds)
                  << (each.name == e.outcome.chosen ? "  <- chosen" : "") << "\n";
    }
    print_costs(e);
    bool any = false;
    for (const Function& f : dag.functions) {
        if (f.pinned) {
            std::cout << (any ? "" : "\nleft as they are:\n") << "  " << f.id.text() << ": "
                      << *f.pinned << "\n";
            any = true;
        }
    }
    std::cout << "\nloop nest, with extents at the estimates:\n"
              << indented(print_loop_nest(dag, e.outcome.schedule)) << "\nscheduling took:\n";
    double total = 0;
    for (const StepTime& each : e.outcome.steps) {
        std::cout << "  " << std::left << std::setw(14) << each.step << milliseconds(each.seconds)
                  << "\n";
        total += each.seconds;
    }
    std::cout << "  " << std::left << std::setw(14) << "total" << milliseconds(total) << "; "
              << e.outcome.states << " schedules were looked at\n";
}

void print_json(const Explanation& e) {
    const PipelineDag& dag = e.outcome.dag;
    Json json{{"pipeline", dag.name},       {"algorithm", hash_text(dag.algorithm_hash)},
              {"target", e.target},         {"schedule", schedule_hash(e.outcome)},
              {"chosen", e.outcome.chosen}, {"predicted_seconds", e.prediction.cost.total()}};
    json["candidates"] = Json::array();
    for (const Compared& each : e.outcome.candidates) {
        json["candidates"].push_back({{"name", each.name},
                                      {"predicted_seconds", each.seconds},
                                      {"replay", Json::parse(print_json(dag, each.schedule))}});
    }
    json["functions"] = Json::array();
    for (const Function& f : dag.functions) {
        json["functions"].push_back(
            {{"name", f.id.text()}, {"pinned", f.pinned ? Json(*f.pinned) : Json(nullptr)}});
    }
    json["steps"] = Json::array();
    for (const StepTime& each : e.outcome.steps) {
        json["steps"].push_back({{"step", each.step}, {"seconds", each.seconds}});
    }
    json["schedules_looked_at"] = e.outcome.states;
    json["loop_nest"] = print_loop_nest(dag, e.outcome.schedule);
    std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

/** What there is to explain is in a records file. */
Status run_records(const ExplainCommand& options) {
    if (!options.request.path.empty() || !options.schedule.empty() || !options.proposal.empty()) {
        refuse_usage("--records has pipelines and schedules of its own; name no others");
    }
    if (options.json) {
        refuse_usage("nestor report " + options.records + " --json prints these facts");
    }
    TaskOptions task = options.task;
    task.target = options.request.target;
    return explain_records(options.records, task, options.profile);
}

Status run(const ExplainCommand& options) {
    if (!options.records.empty()) {
        return run_records(options);
    }
    if (options.request.path.empty()) {
        refuse_usage("name a generator, a .hlpipe file, or --records FILE");
    }
    if (!options.task.empty() || options.profile) {
        refuse_usage(
            "--pipeline, --algorithm, --sizes, --machine, --threads and --profile go with "
            "--records");
    }
    Request request = read_request(options.request);
    if (!options.schedule.empty()) {
        request.scheduler_params["schedule"] = std::filesystem::absolute(options.schedule).string();
    }
    const Result<OpenedPipeline> opened = open_pipeline(request);
    if (!opened.ok()) {
        return Error{opened.error()};
    }
    const OpenedPipeline& pipeline = opened.value();
    Result<ScheduleOutcome> outcome =
        schedule_pipeline(pipeline.loaded.pipeline, pipeline.target, pipeline.params);
    if (!outcome.ok()) {
        return Error{request.path + ": " + outcome.error()};
    }
    for (const std::string& warning : outcome.value().warnings) {
        std::cerr << "nestor: " << warning << "\n";
    }
    std::cerr << outcome.value().report;
    const Result<Machine> chosen_machine = choose_machine(pipeline.target, pipeline.params);
    if (!chosen_machine) {
        return Error{chosen_machine.error()};
    }
    const Machine& machine = chosen_machine.value();
    const Result<std::optional<Correction>> correction =
        read_optional_weights(pipeline.params.weights_path);
    if (!correction) {
        return Error{correction.error()};
    }
    if (!options.proposal.empty()) {
        ScheduleOutcome& changed = outcome.value();
        const auto named = std::ranges::find(changed.candidates, options.proposal, &Compared::name);
        if (named == changed.candidates.end()) {
            return Error{"nothing that was compared is called '" + options.proposal + "'"};
        }
        changed.chosen = named->name;
        changed.schedule = named->schedule;
        changed.lowered = {};
    }
    Explanation explanation{pipeline.target.to_string(), std::move(outcome).value(), {}};
    const ScheduleOutcome& chosen = explanation.outcome;
    explanation.prediction =
        predict(chosen.dag, chosen.schedule, machine,
                correction.value() ? &*correction.value() : nullptr, chosen.lowered);
    options.json ? print_json(explanation) : print_text(explanation);
    return Ok{};
}

}  // namespace

Action define_explain(CLI::App& app) {
    const auto options = std::make_shared<ExplainCommand>();
    add_request_path(app, options->request);
    app.get_option("source")->required(false);
    add_request_options(app, options->request);
    app.add_option("--schedule", options->schedule, "explain this schedule (JSON), choose none")
        ->type_name("FILE.json");
    app.add_option("--proposal", options->proposal,
                   "explain what was compared under this name, not what was chosen")
        ->type_name("NAME");
    app.add_flag("--json", options->json, "as JSON");
    app.add_option("--records", options->records,
                   "what nestor tune found and kept here; the next options choose of what")
        ->type_name("FILE");
    add_task_options(app, options->task);
    app.add_flag("--profile", options->profile,
                 "with --records: run the winner under Halide's profiler, too");
    app.footer(kExplainExamples);
    return [options] { return run(*options); };
}

}  // namespace nestor
