#pragma once
// How candidates are measured: options that measure and tune have in common.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "measure/options.h"

namespace nestor {

struct MeasureArguments {
    MeasureOptions measure;
    std::vector<std::string> inputs;   // NAME=FILE.npy
    std::vector<std::string> scalars;  // NAME=NUMBER

    /** The options, with those taken apart. Throws what refuse_usage throws. */
    [[nodiscard]] MeasureOptions read() const;
};

void add_measure_options(CLI::App& app, MeasureArguments& arguments);

}  // namespace nestor
