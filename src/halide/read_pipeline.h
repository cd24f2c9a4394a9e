#pragma once
// Reading a Halide pipeline into a PipelineDag.

#include <cstdint>

#include "base/result.h"
#include "dag/pipeline_dag.h"
#include "halide/halide.h"

namespace nestor {

struct ReadOptions {
    std::int64_t default_extent = 0;  // for missing estimates: min 0 and this extent; 0: refuse
};

/** Refuses targets that Nestor does not schedule for (GPU) and pipelines without the estimates that
 * it needs, naming every missing one with the line to add. Changes nothing in the pipeline. */
[[nodiscard]] Result<PipelineDag> read_pipeline(const Halide::Pipeline& pipeline,
                                                const Halide::Target& target,
                                                const ReadOptions& options = {});

}  // namespace nestor
