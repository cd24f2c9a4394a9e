#pragma once
// Who really computes with a function, once inlined functions are expanded.

#include <vector>

#include "schedule/placement.h"

namespace nestor {

using StageRef = Placement::Use;

/** For each function of the dag, the stages of functions that are not inlined and use it, each
 * once. */
[[nodiscard]] std::vector<std::vector<StageRef>> real_uses(const PipelineDag& dag,
                                                           const std::vector<bool>& inlined);

/** Whether a function, with all that is inlined into it, meets the border of something that it
 * reads (AccessAlong::border): [function][dimension]. */
[[nodiscard]] std::vector<std::vector<bool>> real_borders(const PipelineDag& dag,
                                                          const std::vector<bool>& inlined);

/** Operations of one evaluation of each stage, calls of inlined functions expanded:
 * [function][stage]. */
[[nodiscard]] std::vector<std::vector<double>> expanded_work(const PipelineDag& dag,
                                                             const std::vector<bool>& inlined);

}  // namespace nestor
