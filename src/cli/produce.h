#pragma once
// What schedule and apply have in common: a schedule is found (or replayed), then printed, or
// compiled into the files that a generator can emit.

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.h"
#include "cli/request.h"

namespace nestor {

struct OutputOptions {
    std::string format = "cpp";  // cpp, python or json
    std::string emits;           // comma-separated
    std::string directory;
    std::string base_name;
    std::string function;

    /** Files are asked for, rather than a schedule on stdout. */
    [[nodiscard]] bool wants_files() const { return !emits.empty() || !directory.empty(); }
};

void add_output_options(CLI::App& app, OutputOptions& options);

/** Prints the schedule, or the paths of the files that were written. */
[[nodiscard]] Status produce(const Request& request, const OutputOptions& options);

}  // namespace nestor
