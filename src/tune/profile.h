#pragma once
// Where the time of a schedule goes, by Halide's sampling profiler.

#include <string>
#include <vector>

#include "base/result.h"
#include "dag/pipeline_dag.h"
#include "halide/halide.h"
#include "schedule/schedule.h"

namespace nestor {

struct ProfileSetup {
    const Halide::Pipeline& pipeline;  // without a schedule
    Halide::Target target;
    const PipelineDag& dag;
    int threads = 1;
    std::string folder;            // for what is compiled
    std::string compiler = "c++";  // that links
    double seconds = 3;            // of running
};

struct FunctionTime {
    std::string name;    // as Halide says it; "overhead" and the like for its own work
    int function = -1;   // index into Schedule::functions; -1: of none
    double seconds = 0;  // of one run, in what is not inlined; of all threads together as long as
                         // the clock on the wall says
};

/** Compiles the schedule ahead of time with the profiler and runs it on random inputs, in children
 * of this process. The longest first. The profiler makes small functions slower: shares count, not
 * the sum. */
[[nodiscard]] Result<std::vector<FunctionTime>> profile(const ProfileSetup& setup,
                                                        const Schedule& schedule);

}  // namespace nestor
