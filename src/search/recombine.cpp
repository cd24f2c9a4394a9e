#include "search/recombine.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "schedule/placement.h"

namespace nestor {

namespace {

// Sets of functions, by number of the set of each: those at the same function at root in either
// schedule are in one.
std::vector<int> sets_apart(const PipelineDag& dag, const Schedule& one, const Schedule& other) {
    std::vector<int> sets(dag.functions.size());
    std::iota(sets.begin(), sets.end(), 0);
    for (const Schedule* schedule : {&one, &other}) {
        const Placement placement(dag, *schedule);
        for (int f = 0; f < std::ssize(sets); f++) {
            const int from = sets[f];
            const int to = sets[placement.root(f)];
            std::ranges::replace(sets, from, to);
        }
    }
    return sets;
}

}  // namespace

Found recombine(Builder& builder, Evaluator& evaluator, Found found, const Found& other,
                const Caps& caps) {
    const PipelineDag& dag = builder.dag();
    const std::vector<int> sets = sets_apart(dag, found.schedule, other.schedule);
    for (int set = 0; set < std::ssize(sets); set++) {
        Plan plan = found.plan;
        for (std::size_t f = 0; f < sets.size(); f++) {
            if (sets[f] == set) {
                plan.functions[f] = other.plan.functions[f];
            }
        }
        if (plan == found.plan) {
            continue;
        }
        const Schedule& schedule = builder.build(plan);
        found.states++;
        const double seconds = evaluator.seconds(schedule, found.seconds);
        if (seconds < found.seconds && check_legality(dag, schedule, caps).empty()) {
            found.seconds = seconds;
            found.schedule = schedule;
            found.plan = std::move(plan);
        }
    }
    return found;
}

}  // namespace nestor
