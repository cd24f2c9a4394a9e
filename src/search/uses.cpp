#include "search/uses.h"

#include <algorithm>

namespace nestor {

std::vector<std::vector<StageRef>> real_uses(const PipelineDag& dag,
                                             const std::vector<bool>& inlined) {
    Schedule schedule = empty_schedule(dag);
    for (std::size_t i = 0; i < dag.functions.size(); i++) {
        schedule.functions[i].compute = inlined[i] ? Level::inlined() : Level::root();
    }
    const Placement placement(dag, schedule);
    std::vector<std::vector<StageRef>> uses;
    for (int f = 0; f < static_cast<int>(dag.functions.size()); f++) {
        uses.push_back(placement.uses(f));
    }
    return uses;
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
