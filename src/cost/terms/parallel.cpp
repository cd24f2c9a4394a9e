#include <algorithm>
#include <iterator>

#include "cost/terms.h"

namespace nestor {

namespace {

// What a task takes before it computes, beside the share of it that the probe sees: its variables,
// what was hoisted to its beginning, the first lines of what it reads. compositing in tasks of one
// row (5 us) took 7.3 ms instead of 4.3 in tasks of 32 rows (1.2 us a task on one thread, 4 on
// two). Where a task computes one nest only, no more than that itself, and no less than it takes to
// get it from the queue that threads share (0.3 us each for rows of 1 KiB, two threads, a Xeon 6).
constexpr double kTaskBegins = 1e-6;
constexpr double kShortTaskBegins = 3e-7;

}  // namespace

double launch_seconds(const ScheduleFacts& facts, const NestFacts& nest, double work) {
    if (nest.threads_outside > 1) {
        return 0;
    }
    const Machine& machine = facts.machine();
    const auto outermost = std::ranges::find(nest.loops.rbegin(), nest.loops.rend(),
                                             LoopRun::Parallel, &LoopFacts::run);
    if (outermost == nest.loops.rend()) {
        return 0;
    }
    const double tasks = nest.tasks(0);
    const double starts = nest.iterations(std::distance(outermost, nest.loops.rend()));
    const bool alone = std::ranges::all_of(
        nest.loops, [&](const LoopFacts& loop) { return facts.nests_at(loop.site).empty(); });
    const double task = work / (starts * tasks);
    const double begins = alone ? std::clamp(task, kShortTaskBegins, kTaskBegins) : kTaskBegins;
    const double busy = std::min(tasks, static_cast<double>(std::max(1, machine.parallelism)));
    return starts * (machine.launch.value + tasks / busy * (machine.task.value + begins));
}

}  // namespace nestor
