#pragma once
// What a prediction says of each nest by itself, for who wants to know where time goes.

#include <string>
#include <vector>

#include "cost/cost_model.h"
#include "cost/terms.h"

namespace nestor {

/** A stage that has loops of its own, without what is computed in them. */
struct NestTime {
    std::string function;
    int stage = 0;
    double runs = 1;     // of its innermost rolled loop, all together
    double threads = 1;  // that run them at the same time
    /** As NestCycles, but seconds from its first thread's begin to its last one's end. */
    NestCycles seconds;
};

/** Of all nests of a legal schedule, producers first: what is executed, without memory, launches
 * and what tasks that end early wait for. `lowered`: see predict(). */
[[nodiscard]] std::vector<NestTime> nest_times(const PipelineDag& dag, const Schedule& schedule,
                                               const Machine& machine, const Lowered& lowered = {});

}  // namespace nestor
