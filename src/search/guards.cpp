#include "search/guards.h"

namespace nestor {

Schedule with_guarded_blocks(Schedule schedule) {
    for (FunctionSchedule& f : schedule.functions) {
        if (f.compute.kind != Level::Kind::At) {
            continue;
        }
        const auto guard = [](LoopNest& nest) {
            for (std::size_t d = 0; d < nest.splits.size(); d++) {
                const bool along = nest.vector && nest.vector->dim == static_cast<int>(d);
                for (Split& split : nest.splits[d]) {
                    split.tail = along ? split.tail : Tail::GuardWithIf;
                }
            }
        };
        for (StageSchedule& stage : f.stages) {
            guard(stage.nest);
            for (Specialization& special : stage.specializations) {
                guard(special.nest);
            }
        }
    }
    return schedule;
}

}  // namespace nestor
