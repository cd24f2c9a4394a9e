// nestor train

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/files.h"
#include "cli/command.h"
#include "plugin/weights.h"
#include "train/dataset.h"

namespace nestor {

namespace {

constexpr const char* kTrainExamples = R"(
Examples:
  nestor train harris.examples unsharp.examples -o nestor.weights
      weights for autoscheduler.weights_path, from what `nestor examples` wrote
  nestor train more.examples --from nestor.weights -o better.weights
      with the trees of the first, and new ones for what they are wrong about; the first file stays
  nestor train harris.examples --test unsharp.examples
      the examples of other files: seconds by the model, corrected, and measured, as JSON)";

struct TrainCommand {
    std::vector<std::string> files;
    std::vector<std::string> tests;
    std::string from;
    std::string output;
    TrainOptions train;
};

Result<std::vector<Example>> read_examples(const std::vector<std::string>& paths) {
    std::vector<Example> all;
    for (std::size_t i = 0; i < paths.size(); i++) {
        const Result<std::string> text = read_file(paths[i]);
        if (!text) {
            return Error{text.error()};
        }
        Result<std::vector<Example>> examples = parse_examples(text.value(), static_cast<int>(i));
        if (!examples) {
            return Error{paths[i] + ": " + examples.error()};
        }
        for (Example& example : examples.value()) {
            all.push_back(std::move(example));
        }
    }
    return all;
}

// For each file a list, for each example three numbers.
Status print_tests(const std::vector<std::string>& paths, const Correction& correction) {
    nlohmann::json files = nlohmann::json::array();
    for (const std::string& path : paths) {
        const Result<std::vector<Example>> examples = read_examples({path});
        if (!examples) {
            return Error{examples.error()};
        }
        nlohmann::json rows = nlohmann::json::array();
        for (const Example& example : examples.value()) {
            rows.push_back({corrected_seconds(example.groups, nullptr),
                            corrected_seconds(example.groups, &correction),
                            example.measured_seconds});
        }
        files.push_back(std::move(rows));
    }
    std::cout << files.dump() << "\n";
    return Ok{};
}

Status run(const TrainCommand& options) {
    const Result<std::optional<Correction>> prior = read_optional_weights(options.from);
    if (!prior) {
        return Error{prior.error()};
    }
    const Result<std::vector<Example>> examples = read_examples(options.files);
    if (!examples) {
        return Error{examples.error()};
    }
    const Result<Correction> fitted =
        fit(examples.value(), options.train, prior.value() ? &*prior.value() : nullptr);
    if (!fitted) {
        return Error{fitted.error()};
    }
    if (!options.output.empty()) {
        if (Status status = write_file(options.output, fitted.value().text()); !status) {
            return status;
        }
        std::cerr << options.output << ": " << fitted.value().tree_count() << " trees, of "
                  << fitted.value().note() << "\n";
    }
    return options.tests.empty() ? Status(Ok{}) : print_tests(options.tests, fitted.value());
}

}  // namespace

Action define_train(CLI::App& app) {
    const auto options = std::make_shared<TrainCommand>();
    app.add_option("EXAMPLES", options->files, "what `nestor examples` wrote, a file a pipeline")
        ->required()
        ->type_name("FILE");
    app.add_option("-o", options->output, "gets the weights")->type_name("FILE");
    app.add_option("--from", options->from, "weights to start from")->type_name("FILE");
    app.add_option("--test", options->tests, "examples that are not learned from; repeatable")
        ->type_name("FILE");
    app.add_option("--rounds", options->train.rounds, "trees that are added")
        ->check(CLI::Range(0, 10000))
        ->capture_default_str();
    app.add_option("--depth", options->train.depth, "of a tree, at most")
        ->check(CLI::Range(1, 10))
        ->capture_default_str();
    app.add_option("--rate", options->train.rate, "share of the best step that a tree takes")
        ->check(CLI::Range(0.001, 1.0))
        ->capture_default_str();
    app.add_option("--least", options->train.least, "examples that a leaf is of")
        ->check(CLI::Range(0.0, 1000.0))
        ->capture_default_str();
    app.add_option("--leaf", options->train.leaf, "examples of no error that each leaf has beside")
        ->check(CLI::Range(0.0, 1000.0))
        ->capture_default_str();
    app.add_option("--doubt", options->train.doubt,
                   "standard errors that are taken off what is found in examples that are left out")
        ->check(CLI::Range(0.0, 100.0))
        ->capture_default_str();
    app.add_option("--fast", options->train.fast,
                   "power of (fastest / measured) by which an example counts")
        ->check(CLI::Range(0.0, 10.0))
        ->capture_default_str();
    app.add_option("--folds", options->train.folds, "parts that examples are left out in; 1: none")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option("--shrinkage", options->train.shrinkage, "of the output, towards no correction")
        ->check(CLI::Range(0.0, 1000.0))
        ->capture_default_str();
    app.footer(kTrainExamples);
    return [options] { return run(*options); };
}

}  // namespace nestor
