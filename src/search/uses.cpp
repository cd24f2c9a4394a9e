#include "search/uses.h"

#include <algorithm>

namespace nestor {

namespace {

void add(std::vector<StageRef>& uses, StageRef use) {
    if (std::find(uses.begin(), uses.end(), use) == uses.end()) {
        uses.push_back(use);
    }
}

}  // namespace

std::vector<std::vector<StageRef>> real_uses(const PipelineDag& dag,
                                             const std::vector<bool>& inlined) {
    const int n = static_cast<int>(dag.functions.size());
    std::vector<std::vector<StageRef>> uses(n);
    // Consumers first: what uses an inlined function uses all that it reads.
    for (int consumer = n - 1; consumer >= 0; consumer--) {
        const Function& f = dag.functions[consumer];
        const auto use = [&](int producer, int stage) {
            if (!inlined[consumer]) {
                add(uses[producer], {consumer, stage});
                return;
            }
            for (const StageRef& through : uses[consumer]) {
                add(uses[producer], through);
            }
        };
        for (const int input : f.extern_inputs) {
            use(input, -1);
        }
        for (const Stage& stage : f.stages) {
            for (const Load& load : stage.loads) {
                if (load.source == Source::Function) {
                    use(load.index, stage.index);
                }
            }
        }
    }
    return uses;
}

std::vector<std::vector<double>> expanded_work(const PipelineDag& dag,
                                               const std::vector<bool>& inlined) {
    constexpr double kDivide = 5, kCall = 15;  // operations more than an addition
    constexpr double kLargest = 1e9;           // expansion may be exponential
    std::vector<std::vector<double>> work(dag.functions.size());
    for (std::size_t i = 0; i < dag.functions.size(); i++) {
        for (const Stage& stage : dag.functions[i].stages) {
            double operations = 1.0 + stage.ops.arithmetic() + stage.ops.load +
                                kDivide * stage.ops.divide + kCall * stage.ops.transcendental;
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
