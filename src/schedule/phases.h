#pragma once
// After how many points a stage does the same again, with all that is inlined into it.

#include <functional>
#include <vector>

#include "dag/pipeline_dag.h"

namespace nestor {

/** The period along each loop of a stage, 1 where there is none: the least common multiple of those
 * of its own (Stage::phases, but for whole ranges) and of those that functions for which
 * `is_inlined` holds (or which are computed in its loops) have at the coordinates where it reads
 * them. */
[[nodiscard]] std::vector<int> periods(const PipelineDag& graph, int function, int stage,
                                       const std::function<bool(int)>& is_inlined);

/** The period along a loop of a reader, at a coordinate, of what has `period` along it; 1 if the
 * coordinate moves by less than whole points. */
[[nodiscard]] int period_through(const Coordinate& coordinate, int loop, int period);

}  // namespace nestor
