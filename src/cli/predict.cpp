// nestor predict

#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/files.h"
#include "cli/command.h"
#include "cli/open_pipeline.h"
#include "cost/cost_model.h"
#include "cost/nest_times.h"
#include "plugin/weights.h"
#include "schedule/legality.h"
#include "schedule/print.h"

namespace nestor {

namespace {

constexpr const char* kPredictExamples = R"(
Examples:
  nestor predict build/harris.generator -g harris --schedule harris.json
      milliseconds by cost term, of each function at root with what is computed in its loops
  nestor predict build/harris.generator -g harris --nests --schedule harris.json
      those of each nest by itself, too, by the units of a core that are busy
  nestor predict build/harris.generator -g harris --json $(printf -- '--schedule %s ' schedules/*.json)
      of many schedules, in seconds, for a script)";

struct PredictCommand {
    RequestOptions request;
    std::vector<std::string> schedules;
    std::string weights;
    bool nests = false;
    bool json = false;
};

Result<Schedule> read_schedule(const PipelineDag& dag, const std::string& path) {
    const Result<std::string> text = read_file(path);
    if (!text) {
        return Error{text.error()};
    }
    Result<Schedule> schedule = parse_json(dag, text.value());
    if (!schedule) {
        return Error{path + ": " + schedule.error()};
    }
    return schedule;
}

// Why a schedule is not legal; empty if it is.
std::string fault_of(const PipelineDag& dag, const Schedule& schedule) {
    const std::vector<Violation> violations = check_legality(dag, schedule);
    return violations.empty() ? "" : violations.front().where + ": " + violations.front().what;
}

nlohmann::json cost_json(const Cost& cost) {
    nlohmann::json terms{{"total", cost.total()}};
    for (std::size_t t = 0; t < kTerms; t++) {
        terms[name_of(static_cast<Term>(t))] = cost.seconds[t];
    }
    return terms;
}

void print_cost(const std::string& name, const Cost& cost) {
    std::cout << std::left << std::setw(24) << name << std::right << std::fixed
              << std::setprecision(3) << std::setw(11) << cost.total() * 1e3;
    for (const double seconds : cost.seconds) {
        std::cout << std::setw(11) << seconds * 1e3;
    }
    std::cout << "\n";
}

void print_text(const PipelineDag& dag, const Schedule& schedule, const Prediction& prediction) {
    std::cout << std::left << std::setw(24) << "milliseconds" << std::right << std::setw(11)
              << "total";
    for (std::size_t t = 0; t < kTerms; t++) {
        std::cout << std::setw(11) << name_of(static_cast<Term>(t));
    }
    std::cout << "\n";
    for (const GroupCost& group : prediction.groups) {
        print_cost(function_text(dag, schedule, group.root), group.cost);
    }
    print_cost("all", prediction.cost);
}

void print_nests(const std::vector<NestTime>& nests) {
    std::cout << std::left << std::setw(24) << "each nest by itself" << std::right << std::setw(11)
              << "total";
    for (const auto& [name, unit] : kNestUnits) {
        std::cout << std::setw(11) << name;
    }
    std::cout << std::setw(11) << "threads" << std::setw(13) << "innermost\n";
    for (const NestTime& nest : nests) {
        const std::string stage = nest.stage == 0 ? "" : " (" + std::to_string(nest.stage) + ")";
        std::cout << std::left << std::setw(24) << nest.function + stage << std::right << std::fixed
                  << std::setprecision(3) << std::setw(11) << nest.seconds.total() * 1e3;
        for (const auto& [name, unit] : kNestUnits) {
            std::cout << std::setw(11) << nest.seconds.*unit * 1e3;
        }
        std::cout << std::setprecision(0) << std::setw(11) << nest.threads << std::setw(12)
                  << nest.runs << "\n";
    }
}

nlohmann::json nests_json(const std::vector<NestTime>& nests) {
    nlohmann::json rows = nlohmann::json::array();
    for (const NestTime& nest : nests) {
        nlohmann::json seconds{{"total", nest.seconds.total()}};
        for (const auto& [name, unit] : kNestUnits) {
            seconds[name] = nest.seconds.*unit;
        }
        rows.push_back({{"function", nest.function},
                        {"stage", nest.stage},
                        {"innermost_iterations", nest.runs},
                        {"threads", nest.threads},
                        {"seconds", std::move(seconds)}});
    }
    return rows;
}

Status print_predictions(const PredictCommand& options, const PipelineDag& dag,
                         const Machine& machine, const Correction* correction) {
    nlohmann::json rows = nlohmann::json::array();
    Caps caps;
    caps.masked_bytes = machine.masked_bytes();
    for (const std::string& path : options.schedules) {
        const Result<Schedule> schedule = read_schedule(dag, path);
        if (!schedule) {
            return Error{schedule.error()};
        }
        const std::string fault = fault_of(dag, schedule.value());
        if (!fault.empty() && options.json) {
            rows.push_back({{"schedule", path}, {"illegal", fault}});
            continue;
        }
        if (!fault.empty()) {
            return Error{path + ": the schedule is not legal: " + fault};
        }
        const Prediction prediction = predict(dag, schedule.value(), machine, correction);
        if (options.json) {
            rows.push_back({{"schedule", path},
                            {"seconds", cost_json(prediction.cost)},
                            {"code_size", code_size(dag, schedule.value(), caps)}});
            if (options.nests) {
                rows.back()["nests"] = nests_json(nest_times(dag, schedule.value(), machine));
            }
        } else {
            std::cout << path << "\n";
            print_text(dag, schedule.value(), prediction);
            if (options.nests) {
                print_nests(nest_times(dag, schedule.value(), machine));
            }
        }
    }
    if (options.json) {
        std::cout << rows.dump(1) << "\n";
    }
    return Ok{};
}

Status run(const PredictCommand& options) {
    const Result<ModelledPipeline> modelled = open_modelled(read_request(options.request));
    if (!modelled) {
        return Error{modelled.error()};
    }
    const auto& [opened, dag, machine] = modelled.value();
    // autoscheduler.weights_path, or what --weights says instead.
    const Result<std::optional<Correction>> correction = read_optional_weights(
        options.weights.empty() ? opened.params.weights_path : options.weights);
    if (!correction) {
        return Error{correction.error()};
    }
    return print_predictions(options, dag, machine,
                             correction.value() ? &*correction.value() : nullptr);
}

}  // namespace

Action define_predict(CLI::App& app) {
    const auto options = std::make_shared<PredictCommand>();
    add_request_path(app, options->request);
    add_request_options(app, options->request);
    app.add_option("--schedule", options->schedules, "a schedule, as JSON; repeatable")
        ->required()
        ->type_name("FILE.json");
    app.add_option("--weights", options->weights,
                   "what `nestor train` learned: seconds are corrected by it; a file, or a folder "
                   "with nestor.weights")
        ->type_name("PATH");
    app.add_flag("--nests", options->nests,
                 "also what each nest executes by itself, by the units of a core: what no weights "
                 "correct");
    app.add_flag("--json", options->json,
                 "seconds by term, as JSON; of a schedule that is not legal, why");
    app.footer(kPredictExamples);
    return [options] { return run(*options); };
}

}  // namespace nestor
