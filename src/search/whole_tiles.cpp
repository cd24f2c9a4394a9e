#include "search/whole_tiles.h"

#include <algorithm>

#include "schedule/scheduled_dag.h"
#include "search/cases.h"

namespace nestor {

namespace {

bool has_something_inside(const Schedule& schedule, int function) {
    return std::ranges::any_of(schedule.functions, [&](const FunctionSchedule& each) {
        return each.compute.kind == Level::Kind::At && each.compute.site.function == function;
    });
}

}  // namespace

Schedule with_whole_tiles(const PipelineDag& dag, Schedule schedule, const Caps& caps) {
    const ScheduledDag graph(dag, schedule);
    Schedule larger = schedule;
    for (int f = 0; f < std::ssize(schedule.functions); f++) {
        if (schedule.functions[f].compute.kind == Level::Kind::Root &&
            has_something_inside(schedule, f)) {
            add_sizes_of_root(*graph, f, larger);
        }
    }
    const bool changed = !(larger == schedule);
    return changed && check_legality(dag, larger, caps).empty() ? larger : schedule;
}

}  // namespace nestor
