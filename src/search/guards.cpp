#include "search/guards.h"

#include <algorithm>

#include "schedule/reach.h"
#include "schedule/scheduled_dag.h"
#include "search/cases.h"

namespace nestor {

namespace {

void guard_blocks(LoopNest& nest) {
    for (std::size_t d = 0; d < nest.splits.size(); d++) {
        const bool along = nest.vector && nest.vector->dim == static_cast<int>(d);
        for (Split& split : nest.splits[d]) {
            split.tail = along ? split.tail : Tail::GuardWithIf;
        }
    }
}

template <class Change>
void change_nests(StageSchedule& stage, const Change& change) {
    change(stage.nest);
    for (Specialization& special : stage.specializations) {
        change(special.nest);
    }
}

void guard_constant_ends(const PipelineDag& dag, Schedule& schedule) {
    const ScheduledDag graph(dag, schedule);
    const Reach reach(*graph, Ends::OfInputsOnly);
    for (int i = 0; i < static_cast<int>(schedule.functions.size()); i++) {
        FunctionSchedule& f = schedule.functions[i];
        const Function& function = graph->functions[i];
        if (function.is_output) {
            continue;  // its tails stay within what the caller asks for
        }
        std::erase_if(f.region_alignment,
                      [&](const Alignment& each) { return reach.beyond(i, each.dim); });
        for (std::size_t s = 0; s < std::min(f.stages.size(), function.stages.size()); s++) {
            const std::vector<Loop>& loops = function.stages[s].loops;
            change_nests(f.stages[s], [&](LoopNest& nest) {
                for (std::size_t d = 0; d < std::min(nest.splits.size(), loops.size()); d++) {
                    const bool goes_on =
                        !loops[d].is_reduction() && reach.beyond(i, loops[d].position);
                    for (Split& split : nest.splits[d]) {
                        split.tail = goes_on ? Tail::GuardWithIf : split.tail;
                    }
                }
            });
        }
        if (f.compute.kind == Level::Kind::Root) {
            add_sizes_of_root(*graph, i, schedule);
        }
    }
}

}  // namespace

Schedule with_guards(const PipelineDag& dag, Schedule schedule, Guards guards) {
    if (guards != Guards::None) {
        for (FunctionSchedule& f : schedule.functions) {
            for (StageSchedule& stage : f.stages) {
                if (f.compute.kind == Level::Kind::At) {
                    change_nests(stage, guard_blocks);
                }
            }
        }
    }
    if (guards == Guards::ConstantEnds) {
        guard_constant_ends(dag, schedule);
    }
    return schedule;
}

}  // namespace nestor
