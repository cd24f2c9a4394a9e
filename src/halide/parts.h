#pragma once
// What a pipeline consists of: its functions in an order that does not depend on process-dependent
// names, and the parameters and buffers that they use.

#include <map>
#include <string>
#include <vector>

#include "dag/types.h"
#include "halide/halide.h"

namespace nestor {

struct PipelineParts {
    std::vector<HalideFunction> order;  // producers first; by first visit from the outputs
    std::map<std::string, HalideFunction> functions;  // by Halide's name
    std::map<std::string, FuncId> ids;                // by Halide's name
    std::vector<HalideFunction> outputs;
    std::vector<Halide::Parameter> images;   // by first visit
    std::vector<Halide::Parameter> scalars;  // by first visit
    std::vector<Halide::Buffer<>> buffers;   // embedded ones, by first visit

    [[nodiscard]] int index(const std::string& halide_name) const;
};

[[nodiscard]] PipelineParts read_parts(const Halide::Pipeline& pipeline);

}  // namespace nestor
