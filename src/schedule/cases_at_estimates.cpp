#include "schedule/cases_at_estimates.h"

#include <algorithm>

#include "schedule/placement.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

namespace {

/** Yields whether one is left that each run at the estimates takes. */
bool keep_cases(const Placement& placement, int function, StageSchedule& stage) {
    std::erase_if(stage.specializations, [&](const Specialization& each) {
        return !placement.has_extents(function, each);
    });
    const auto last = std::ranges::find_if(stage.specializations, [](const Specialization& each) {
        return each.strides.empty() && !each.selected;
    });
    if (last == stage.specializations.end()) {
        return false;
    }
    stage.specializations.erase(last + 1, stage.specializations.end());
    return true;
}

}  // namespace

CasesAtEstimates cases_at_estimates(const PipelineDag& dag, const Schedule& schedule) {
    const ScheduledDag graph(dag, schedule);
    const Placement placement(*graph, schedule);
    CasesAtEstimates kept{schedule, {}};
    for (std::size_t f = 0; f < schedule.functions.size(); f++) {
        std::vector<StageSchedule>& stages = kept.schedule.functions[f].stages;
        for (std::size_t s = 0; s < stages.size(); s++) {
            if (keep_cases(placement, static_cast<int>(f), stages[s])) {
                kept.complete.emplace_back(f, s);
            }
        }
    }
    return kept;
}

}  // namespace nestor
