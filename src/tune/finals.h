#pragma once
// The last round: the fastest schedules as they will be used, compiled ahead of time, in processes
// of their own, in turns.

#include <string>
#include <vector>

#include "dag/pipeline_dag.h"
#include "halide/halide.h"
#include "measure/measurement.h"
#include "measure/options.h"
#include "schedule/schedule.h"

namespace nestor {

struct FinalsSetup {
    const Halide::Pipeline& pipeline;
    Halide::Target target;
    const PipelineDag& dag;
    MeasureOptions measure;  // with the pipeline's file
    std::string folder;      // for what is compiled
    std::string compiler;    // that links
    double seconds = 10;     // for timing all of them
};

/**
 * 1. compiles each schedule into a library; 2. runs it once in a process of its own and compares
 * with the unscheduled pipeline; 3. times those that are right in turns; 4. times the fastest once
 * more, alone in a new process. All times are of that last one: those of the others by their ratio
 * to it. Whatever goes wrong is that finalist's measurement.
 */
[[nodiscard]] std::vector<Measurement> run_finals(const FinalsSetup& setup,
                                                  const std::vector<Schedule>& finalists);

}  // namespace nestor
