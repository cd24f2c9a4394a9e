#include "search/whole_tiles.h"

#include <algorithm>
#include <vector>

#include "schedule/scheduled_dag.h"
#include "search/cases.h"

namespace nestor {

namespace {

bool has_guard(const StageSchedule& stage) {
    return std::ranges::any_of(stage.nest.splits, [](const std::vector<Split>& splits) {
        return !splits.empty() && splits[0].tail == Tail::GuardWithIf;
    });
}

bool has_something_inside(const Schedule& schedule, int function) {
    return std::ranges::any_of(schedule.functions, [&](const FunctionSchedule& each) {
        return each.compute.kind == Level::Kind::At && each.compute.site.function == function;
    });
}

std::vector<int> guarded_around_others(const PipelineDag& dag, const Schedule& schedule) {
    std::vector<int> found;
    for (int f = 0; f < std::ssize(schedule.functions); f++) {
        const FunctionSchedule& function = schedule.functions[f];
        const bool is_output = f < std::ssize(dag.functions) && dag.functions[f].is_output;
        if (!is_output && function.compute.kind == Level::Kind::Root &&
            std::ranges::any_of(function.stages, has_guard) && has_something_inside(schedule, f)) {
            found.push_back(f);
        }
    }
    return found;
}

}  // namespace

Schedule with_whole_tiles(const PipelineDag& dag, Schedule schedule, const Caps& caps) {
    const std::vector<int> guarded = guarded_around_others(dag, schedule);
    if (guarded.empty()) {
        return schedule;
    }
    const ScheduledDag graph(dag, schedule);
    Schedule larger = schedule;
    for (const int f : guarded) {
        add_sizes_of_root(*graph, f, larger);
    }
    const bool changed = !(larger == schedule);
    return changed && check_legality(dag, larger, caps).empty() ? larger : schedule;
}

}  // namespace nestor
