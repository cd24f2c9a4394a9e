#pragma once
// Several tasks at once: which one gets the next batch of trials.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tune/tuner.h"

namespace nestor {

/** What is known of a task's progress. */
struct TaskHistory {
    double weight = 1;
    int trials = 0;
    /** Best seconds after each batch, the first one included; 0: nothing timed yet. */
    std::vector<double> best;
    bool over = false;
};

/**
 * The task with the largest expected gain: its weight times what a batch may win in the logarithm
 * of its time. That is what the last batches won on average, or if it is more, what one may hope
 * for after so many batches (a gain that falls as 1/n). Each task first gets one batch. After the
 * gradient descent of L. Zheng et al., "Ansor" (OSDI 2020), section 6, on logarithms, so that a
 * pipeline of microseconds counts as much as one of seconds. -1: all are over.
 */
[[nodiscard]] int choose_task(std::span<const TaskHistory> tasks);

/** Steps the tasks until each has a reason to stop, all trials together are `trials` (0: any), or
 * `stop` says so. Yields each one's reason. */
[[nodiscard]] Result<std::vector<TuneStop>> run_tasks(
    const std::vector<std::unique_ptr<Tuner>>& tuners, int trials,
    const std::function<bool()>& stop);

}  // namespace nestor
