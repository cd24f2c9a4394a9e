// nestor retrain_cost_model

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "base/files.h"
#include "cli/command.h"
#include "cli/generator.h"
#include "cost/number_text.h"
#include "plugin/weights.h"
#include "train/sample.h"

namespace nestor {

namespace {

constexpr const char* kRetrainCostModelExamples = R"(
Example:
  find samples -name '*.sample' | nestor retrain_cost_model --epochs=32 --rates=0.0001 --num_cores=8 \
      --initial_weights=samples/updated.weights --weights_out=samples/updated.weights \
      --best_benchmark=samples/best.harris.benchmark.txt --best_schedule=samples/best.harris.schedule.h

Arguments are those of Halide's program of this name; paths of samples are read from standard input,
one a line. What is learned are trees, not the weights of a neural network: --epochs is how many are
added to those of --initial_weights, at most; --rates and --num_cores have nothing to say and are
checked only. Initial weights are overwritten where both names are the same, and only there.)";

struct RetrainCostModelCommand {
    int epochs = TrainOptions{}.rounds;
    std::string rates;
    std::string initial;
    std::string output;
    bool randomize = false;
    int cores = 0;
    std::string best_benchmark;
    std::string best_schedule;
};

// A script may quote what it gives without a shell in between.
void check_rates(std::string text) {
    std::erase(text, '"');
    for (const std::string& word : split(text, ',')) {
        double rate = 0;
        if (!read_number(word, rate)) {
            refuse_usage("--rates: " + word + " is no number");
        }
    }
}

std::vector<std::string> read_paths() {
    std::vector<std::string> paths;
    for (std::string line; std::getline(std::cin, line);) {
        if (!line.empty()) {
            paths.push_back(line);
        }
    }
    return paths;
}

Status write_best(const RetrainCostModelCommand& options, const std::vector<std::string>& paths,
                  const std::vector<Sample>& samples) {
    const auto best = std::ranges::min_element(samples, {}, &Sample::seconds);
    const std::string& path = paths[best - samples.begin()];
    const std::string text = "Best of " + std::to_string(samples.size()) +
                             " samples: " + number_text(best->seconds) + " sec, schedule " +
                             std::to_string(best->name) + " of pipeline " +
                             std::to_string(best->pipeline) + ", " + path + "\n";
    std::cerr << text;
    if (!options.best_benchmark.empty()) {
        if (Status status = write_file(options.best_benchmark, text); !status) {
            return status;
        }
    }
    if (options.best_schedule.empty()) {
        return Ok{};
    }
    const Result<std::string> schedule = read_file(path.substr(0, path.rfind('.')) + ".schedule.h");
    if (!schedule) {
        return Error{"no schedule beside the best sample: " + schedule.error()};
    }
    return write_file(options.best_schedule, schedule.value());
}

Status run(const RetrainCostModelCommand& options) {
    check_rates(options.rates);
    const Result<std::optional<Correction>> initial =
        read_optional_weights(options.randomize ? "" : options.initial);
    if (!initial) {
        return Error{initial.error()};
    }
    const std::vector<std::string> paths = read_paths();
    if (paths.empty()) {
        return Error{"no samples: their paths are expected on standard input, one a line"};
    }
    const Result<std::vector<Sample>> samples = read_samples(paths);
    if (!samples) {
        return Error{samples.error()};
    }
    TrainOptions train;
    train.rounds = options.epochs;
    const Correction* prior = initial.value() ? &*initial.value() : nullptr;
    const Result<Correction> fitted = fit_samples(samples.value(), train, prior);
    if (!fitted) {
        return Error{fitted.error()};
    }
    if (Status status = write_file(options.output, fitted.value().text()); !status) {
        return status;
    }
    std::cerr << options.output << ": " << fitted.value().tree_count() << " trees, of "
              << fitted.value().note() << "\n";
    return write_best(options, paths, samples.value());
}

}  // namespace

Action define_retrain_cost_model(CLI::App& app) {
    const auto options = std::make_shared<RetrainCostModelCommand>();
    app.add_option("--epochs", options->epochs, "trees that are added, at most")
        ->check(CLI::Range(0, 10000))
        ->capture_default_str();
    app.add_option("--rates", options->rates, "numbers between commas; not used");
    app.add_option("--weights_out", options->output, "gets the weights")
        ->required()
        ->type_name("FILE");
    app.add_option("--num_cores", options->cores, "not used: it takes a second")
        ->check(CLI::PositiveNumber);
    app.add_option("--best_benchmark", options->best_benchmark,
                   "gets the shortest time, and which sample has it")
        ->type_name("FILE");
    app.add_option("--best_schedule", options->best_schedule,
                   "gets the .schedule.h that is beside that sample")
        ->type_name("FILE");
    app.add_option("--initial_weights", options->initial, "weights to go on from")
        ->type_name("FILE");
    app.add_option("--randomize_weights", options->randomize,
                   "1: go on from nothing, whatever --initial_weights says")
        ->expected(0, 1)
        ->default_str("1");
    app.footer(kRetrainCostModelExamples);
    return [options] { return run(*options); };
}

}  // namespace nestor
