#include "search/uses.h"

#include <algorithm>

#include "schedule/access_along.h"

namespace nestor {

namespace {

Schedule all_at_root(const PipelineDag& dag, const std::vector<bool>& inlined) {
    Schedule schedule = empty_schedule(dag);
    for (std::size_t i = 0; i < dag.functions.size(); i++) {
        schedule.functions[i].compute = inlined[i] ? Level::inlined() : Level::root();
    }
    return schedule;
}

}  // namespace

std::vector<std::vector<StageRef>> real_uses(const PipelineDag& dag,
                                             const std::vector<bool>& inlined) {
    const Schedule schedule = all_at_root(dag, inlined);
    const Placement placement(dag, schedule);
    std::vector<std::vector<StageRef>> uses;
    for (int f = 0; f < static_cast<int>(dag.functions.size()); f++) {
        uses.push_back(placement.uses(f));
    }
    return uses;
}

std::vector<std::vector<bool>> real_borders(const PipelineDag& dag,
                                            const std::vector<bool>& inlined) {
    const Schedule schedule = all_at_root(dag, inlined);
    const Placement placement(dag, schedule);
    std::vector<std::vector<bool>> borders;
    for (int f = 0; f < static_cast<int>(dag.functions.size()); f++) {
        std::vector<bool>& mine = borders.emplace_back();
        for (int d = 0; d < dag.functions[f].dimensions(); d++) {
            mine.push_back(access_along(placement, f, d).border);
        }
    }
    return borders;
}

std::vector<std::vector<double>> expanded_work(const PipelineDag& dag,
                                               const std::vector<bool>& inlined) {
    constexpr double kLargest = 1e9;  // expansion may be exponential
    std::vector<std::vector<double>> work(dag.functions.size());
    for (std::size_t i = 0; i < dag.functions.size(); i++) {
        for (const Stage& stage : dag.functions[i].stages) {
            double operations = 1.0 + stage.ops.work();
            for (const Load& load : stage.loads) {
                if (load.source == Source::Function && inlined[load.index] &&
                    !work[load.index].empty()) {
                    operations += work[load.index][0] - 1;
                }
            }
            work[i].push_back(std::min(operations, kLargest));
        }
    }
    return work;
}

}  // namespace nestor
