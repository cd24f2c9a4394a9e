#include "tune/task_scheduler.h"

#include <algorithm>
#include <cmath>

namespace nestor {

namespace {

constexpr std::size_t kWindow = 3;  // batches that tell what the next may win
constexpr double kHope = 0.1;       // of the logarithm, in the second batch

double expected_gain(const TaskHistory& task) {
    const std::size_t batches = task.best.size();
    const double hope = kHope / static_cast<double>(batches);
    const std::size_t window = std::min(kWindow, batches - 1);
    const double before = task.best[batches - 1 - window];
    if (window == 0 || before <= 0 || task.best.back() <= 0) {
        return task.weight * hope;
    }
    const double won = std::log(before / task.best.back()) / static_cast<double>(window);
    return task.weight * std::max(won, hope);
}

int trials_of(const std::vector<std::unique_ptr<Tuner>>& tuners) {
    int sum = 0;
    for (const auto& tuner : tuners) {
        sum += tuner->trials().count();
    }
    return sum;
}

}  // namespace

int choose_task(std::span<const TaskHistory> tasks) {
    int chosen = -1;
    double most = 0;
    for (int i = 0; i < std::ssize(tasks); i++) {
        const TaskHistory& task = tasks[i];
        if (task.over) {
            continue;
        }
        if (task.best.empty()) {
            return i;
        }
        const double gain = expected_gain(task);
        if (chosen < 0 || gain > most) {
            chosen = i;
            most = gain;
        }
    }
    return chosen;
}

Result<std::vector<TuneStop>> run_tasks(const std::vector<std::unique_ptr<Tuner>>& tuners,
                                        int trials, const std::function<bool()>& stop) {
    std::vector<TaskHistory> histories;
    for (const auto& tuner : tuners) {
        histories.push_back({tuner->task().weight, tuner->trials().count(), {}, false});
    }
    std::vector<TuneStop> stops(tuners.size(), TuneStop::Trials);
    const auto end = [&](int i, TuneStop why) {
        histories[i].over = true;
        stops[i] = why;
    };
    while (trials == 0 || trials_of(tuners) < trials) {
        const int i = choose_task(histories);
        if (i < 0) {
            break;
        }
        Tuner& tuner = *tuners[i];
        if (const auto why = stop() ? TuneStop::Interrupted : tuner.should_stop()) {
            end(i, *why);
            continue;
        }
        const Result<bool> more = tuner.step();
        if (!more) {
            return Error{tuner.task().name + ": " + more.error()};
        }
        if (!more.value()) {
            end(i, TuneStop::Exhausted);
        }
        histories[i].trials = tuner.trials().count();
        histories[i].best.push_back(tuner.trials().best_seconds());
    }
    return stops;
}

}  // namespace nestor
