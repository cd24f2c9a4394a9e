#include <algorithm>
#include <cmath>

#include "cost/terms.h"

namespace nestor {

Parallelism nest_parallelism(const ScheduleFacts& facts, const NestFacts& nest) {
    const Machine& machine = facts.machine();
    const auto cores = static_cast<double>(std::max(1, machine.parallelism));
    double tasks = 1;
    double starts = 1;  // of the outermost parallel loop
    bool parallel = false;
    for (auto loop = nest.loops.rbegin(); loop != nest.loops.rend(); ++loop) {
        if (loop->run == LoopRun::Parallel) {
            parallel = true;
            tasks *= loop->trips;
        } else if (!parallel) {
            starts *= loop->trips;
        }
    }
    if (!parallel) {
        return {};
    }
    Parallelism result;
    const double busy = std::min(tasks, cores);
    result.launch = starts * (machine.launch.value + tasks / busy * machine.task.value);
    result.imbalance = std::ceil(tasks / cores) * busy / tasks;
    return result;
}

}  // namespace nestor
