#pragma once
// Pipelines in files: Halide's .hlpipe and, beside it, what that format leaves out.

#include <string>
#include <vector>

#include "base/result.h"
#include "halide/halide.h"

namespace nestor {

/** The path of the side file of x.hlpipe: x.args.json. */
[[nodiscard]] std::string side_file(const std::string& hlpipe);

/** Writes `path` (.hlpipe) and its side file: the arguments in order, with types, estimates and
 * constraints, which a serialised pipeline loses for its parameters. Nothing half-written stays
 * behind. */
[[nodiscard]] Status save_pipeline(const Halide::Pipeline& pipeline, const std::string& path);

struct LoadedPipeline {
    Halide::Pipeline pipeline;
    std::vector<std::string>
        arguments;  // names in the order of the side file; inferred if there is none
};

/** Reads `path` and, if it exists, its side file. A truncated or foreign file is an Error, not a
 * crash. */
[[nodiscard]] Result<LoadedPipeline> load_pipeline(const std::string& path);

}  // namespace nestor
