#include "schedule/scheduled_dag.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "schedule/derive.h"

namespace nestor {

void find_consumers(PipelineDag& graph) {
    for (Function& f : graph.functions) {
        f.consumers.clear();
    }
    for (int f = 0; f < static_cast<int>(graph.functions.size()); f++) {
        std::set<int> sources(graph.functions[f].extern_inputs.begin(),
                              graph.functions[f].extern_inputs.end());
        for (const Stage& stage : graph.functions[f].stages) {
            for (const Load& load : stage.loads) {
                if (load.source == Source::Function) {
                    sources.insert(load.index);
                }
            }
        }
        for (const int source : sources) {
            graph.functions[source].consumers.push_back(f);
        }
    }
}

ScheduledDag::ScheduledDag(const PipelineDag& dag, const Schedule& schedule) : original_(dag) {
    const int algorithm = static_cast<int>(dag.functions.size());
    const int all = static_cast<int>(schedule.functions.size());
    if (all <= algorithm) {
        return;
    }
    derived_ = dag;
    DerivedFunctions derive(dag, schedule, *derived_);
    for (int f = algorithm; f < all; f++) {
        if (const std::string problem = derive.add(f); !problem.empty()) {
            problems_.push_back({f, problem});
        }
    }
    find_consumers(*derived_);
    for (int f = algorithm; f < all; f++) {
        if (const std::string problem = derive.unused(f); !problem.empty()) {
            problems_.push_back({f, problem});
        }
    }
}

std::vector<int> topological_order(const PipelineDag& graph) {
    const int n = static_cast<int>(graph.functions.size());
    bool is_ordered = true;  // as it is
    for (int f = 0; f < n; f++) {
        for (const int consumer : graph.functions[f].consumers) {
            is_ordered = is_ordered && consumer > f;
        }
    }
    if (is_ordered) {
        std::vector<int> order(n);
        std::iota(order.begin(), order.end(), 0);
        return order;
    }
    std::vector<int> waiting(n, 0);  // producers not yet listed
    for (const Function& f : graph.functions) {
        for (const int consumer : f.consumers) {
            waiting[consumer]++;
        }
    }
    std::set<int> ready;
    for (int f = 0; f < n; f++) {
        if (waiting[f] == 0) {
            ready.insert(f);
        }
    }
    std::vector<int> order;
    while (!ready.empty()) {
        const int f = *ready.begin();
        ready.erase(ready.begin());
        order.push_back(f);
        for (const int consumer : graph.functions[f].consumers) {
            if (--waiting[consumer] == 0) {
                ready.insert(consumer);
            }
        }
    }
    return order;
}

}  // namespace nestor
