#pragma once
// A sub-command of `nestor`. One file for each; the table of them is in commands.cpp.

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>

#include "base/result.h"

namespace nestor {

/** What a sub-command does once its options are read. An Error is printed behind "nestor: " and
 * makes the exit status kFailure. */
using Action = std::function<Status()>;

struct Command {
    const char* name;
    const char* summary;  // one line
    /** Adds options, and examples as the footer, to the sub-command's parser. */
    Action (*define)(CLI::App& app);
    /** Another spelling of a word of the command line that CLI11 would misread: an option with
     * several letters behind one dash. */
    std::string (*respell)(const std::string& word) = nullptr;
};

[[nodiscard]] std::span<const Command> commands();

/** Thrown for command lines that no Action can do anything with; the exit status is kUsage. CLI11's
 * own parse errors are treated alike. */
[[noreturn]] void refuse_usage(const std::string& message);

Action define_schedule(CLI::App& app);
Action define_apply(CLI::App& app);
Action define_dag(CLI::App& app);
Action define_explain(CLI::App& app);
Action define_bench(CLI::App& app);
Action define_measure(CLI::App& app);
Action define_measure_worker(CLI::App& app);
Action define_tune(CLI::App& app);
Action define_autotune(CLI::App& app);
std::string respell_autotune(const std::string& word);
Action define_featurization_to_sample(CLI::App& app);
Action define_retrain_cost_model(CLI::App& app);
Action define_predict(CLI::App& app);
Action define_probe(CLI::App& app);
Action define_records(CLI::App& app);
Action define_report(CLI::App& app);
Action define_sample(CLI::App& app);
Action define_examples(CLI::App& app);
Action define_train(CLI::App& app);
Action define_generate(CLI::App& app);
Action define_doctor(CLI::App& app);

}  // namespace nestor
