#pragma once
// How often loops run at the estimates.

#include <cstdint>
#include <vector>

#include "schedule/schedule.h"

namespace nestor {

/** Iterations of one loop of a nest over these dimensions. */
[[nodiscard]] double trip_count(const LoopNest& nest, const std::vector<StageDim>& dims,
                                LoopRef loop);

/** The same for one extent of the loop's dimension. */
[[nodiscard]] double trip_count(const LoopNest& nest, std::int64_t extent, LoopRef loop);

/** Iterations of a loop and of all loops of the same nest around it; 1 for no loop. */
[[nodiscard]] double enclosing_trips(const LoopNest& nest, const std::vector<StageDim>& dims,
                                     LoopRef loop);

/** Product of the trip counts of the parallel loops. */
[[nodiscard]] double parallel_tasks(const LoopNest& nest, const std::vector<StageDim>& dims);

}  // namespace nestor
