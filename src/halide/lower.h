#pragma once
// Lowering without compiling.

#include <vector>

#include "base/result.h"
#include "halide/halide.h"

namespace nestor {

/** All arguments of the pipeline: the inputs that its functions and requirements name, then its
 * outputs. */
[[nodiscard]] std::vector<Halide::Argument> arguments(const Halide::Pipeline& pipeline);

/** The same without buffers that are part of the program: what a caller passes. */
[[nodiscard]] std::vector<Halide::Argument> caller_arguments(const Halide::Pipeline& pipeline);

[[nodiscard]] std::vector<HalideFunction> output_functions(const Halide::Pipeline& pipeline);

/** Lowers a pipeline for a target without compiling it: the whole program in one statement,
 * parallel loops included. Leaves the pipeline as it is. Halide::Error becomes an Error. */
[[nodiscard]] Result<Halide::Internal::Stmt> lower(const Halide::Pipeline& pipeline,
                                                   const Halide::Target& target);

}  // namespace nestor
