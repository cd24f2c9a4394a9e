#pragma once
// From a pipeline to a schedule that has been applied: what the plug-in and `nestor schedule` do.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cost/cost_model.h"
#include "halide/halide.h"
#include "plugin/params.h"
#include "schedule/schedule.h"

namespace nestor {

/** Time spent in one step. */
struct StepTime {
    std::string step;
    double seconds = 0;
};

/** A schedule that was compared with others. */
struct Compared {
    std::string name;
    double seconds = 0;  // predicted, with what it allocates if it was lowered
    Schedule schedule;
};

struct ScheduleOutcome {
    PipelineDag dag;
    Schedule schedule;
    std::size_t states = 0;            // schedules whose cost was predicted
    std::vector<Compared> candidates;  // best first
    std::string chosen;                // one's name, "replayed from FILE" or "recorded in FILE"
    Lowered lowered;                   // of the chosen one; see predict()
    std::string cpp_source;            // print_cpp()
    std::vector<std::uint8_t> featurization;  // see cost/featurization.h
    std::string report;                       // for people; grows with Params::verbosity
    std::vector<std::string> warnings;        // the same at any verbosity; one line each
    std::vector<StepTime> steps;
};

/** Reads the pipeline, finds a legal schedule (or replays params.schedule, or else the best in
 * params.records), verifies it on a copy,
 * and applies it to the pipeline's own functions; writes files if params.save asks for them. On an
 * error the pipeline is as it was. */
[[nodiscard]] Result<ScheduleOutcome> schedule_pipeline(const Halide::Pipeline& pipeline,
                                                        const Halide::Target& target,
                                                        const Params& params);

}  // namespace nestor
