#pragma once
// What a prediction says of each nest by itself, for who wants to know where time goes.

#include <string>
#include <vector>

#include "cost/terms.h"

namespace nestor {

/** What a nest's cycles are spent on, by name. */
struct NestUnit {
    const char* name;
    double NestCycles::* cycles;
};
constexpr NestUnit kNestUnits[] = {{"arithmetic", &NestCycles::arithmetic},
                                   {"scalars", &NestCycles::scalars},
                                   {"loads", &NestCycles::loads},
                                   {"stores", &NestCycles::stores},
                                   {"issue", &NestCycles::issue},
                                   {"latency", &NestCycles::latency},
                                   {"loops", &NestCycles::loops}};

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
 * and what tasks that end early wait for. */
[[nodiscard]] std::vector<NestTime> nest_times(const PipelineDag& dag, const Schedule& schedule,
                                               const Machine& machine);

}  // namespace nestor
