#pragma once
// A schedule for runs at the estimates: without the code that only other sizes need.

#include <utility>
#include <vector>

#include "dag/pipeline_dag.h"
#include "schedule/schedule.h"

namespace nestor {

struct CasesAtEstimates {
    /** Without the cases that no run at the estimates takes. */
    Schedule schedule;
    /** Stages (function, stage) of which one case is left that each such run takes: their general
     * nest, which the schedule still has, is for none. */
    std::vector<std::pair<int, int>> complete;
};

/** Cases that ask for strides of buffers, or for a value of a selector, stay. */
[[nodiscard]] CasesAtEstimates cases_at_estimates(const PipelineDag& dag, const Schedule& schedule);

}  // namespace nestor
