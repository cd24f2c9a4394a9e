#include <algorithm>

#include "cost/terms.h"

namespace nestor {

namespace {

// What a task takes before it computes, beside the share of it that the probe sees: its variables,
// what was hoisted to its beginning, the first lines of what it reads. compositing in tasks of one
// row (5 us) took 7.3 ms instead of 4.3 in tasks of 32 rows (1.2 us a task on one thread, 4 on
// two). No more than the task itself where that is all that it does: rows of 1 KiB that are copied
// take 0.3 us each on two threads.
constexpr double kTaskBegins = 1e-6;

}  // namespace

double launch_seconds(const ScheduleFacts& facts, const NestFacts& nest, double work) {
    if (nest.threads_outside > 1) {
        return 0;
    }
    const Machine& machine = facts.machine();
    double tasks = 1;
    double starts = nest.executions;  // of the outermost parallel loop
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
        return 0;
    }
    const bool alone = std::ranges::all_of(
        nest.loops, [&](const LoopFacts& loop) { return facts.nests_at(loop.site).empty(); });
    const double begins = alone ? std::min(kTaskBegins, work / (starts * tasks)) : kTaskBegins;
    const double busy = std::min(tasks, static_cast<double>(std::max(1, machine.parallelism)));
    return starts * (machine.launch.value + tasks / busy * (machine.task.value + begins));
}

}  // namespace nestor
