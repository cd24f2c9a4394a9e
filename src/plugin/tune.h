#pragma once
// autoscheduler.trials=N: tunes before scheduling.

#include <string>

#include "base/result.h"
#include "halide/halide.h"
#include "plugin/params.h"

namespace nestor {

struct TuningResult {
    std::string
        records;  // the file that has what was measured; may not exist if there is a problem
    std::string problem;  // why nothing could be measured; empty: all is well
};

/** Has the installed `nestor` measure params.trials candidates of a pipeline, on as many threads as
 * params.parallelism says and this machine has, into params.records, or else the file in the user's
 * cache folder. An Error if params.nestor names no program, or this process was asked to stop. */
[[nodiscard]] Result<TuningResult> tune(const Halide::Pipeline& pipeline,
                                        const Halide::Target& target, const Params& params);

}  // namespace nestor
