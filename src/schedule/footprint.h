#pragma once
// Footprints: how much of a single function one iteration of a loop needs. Who asks more than once
// keeps a Bounds.

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/placement.h"

namespace nestor {

/** Regions::extents() (schedule/bounds.h) of one function and one loop. Never too small, at the
 * estimates. Empty if nothing in the loop loads the function. `graph` is *ScheduledDag(dag,
 * schedule). */
[[nodiscard]] std::vector<std::int64_t> footprint(const PipelineDag& graph,
                                                  const Schedule& schedule, int function,
                                                  const LoopSite& site);

/** For each dimension, whether its extent in footprint() is bounded by a constant in every run, as
 * memory on the stack or in registers has to be. */
[[nodiscard]] std::vector<bool> has_constant_footprint(const PipelineDag& graph,
                                                       const Schedule& schedule, int function,
                                                       const LoopSite& site);

/** The same as footprint() for a function that is computed at root: its region, enlarged by its
 * tails. */
[[nodiscard]] std::vector<std::int64_t> whole_region(const PipelineDag& graph,
                                                     const Schedule& schedule, int function);

/** Bytes of one allocation of a function: its footprint at the level where it is stored, at the
 * estimates, folded and aligned as the schedule says. 0 if it has no memory of its own (inlined,
 * outputs). */
[[nodiscard]] std::int64_t allocation_bytes(const PipelineDag& graph, const Schedule& schedule,
                                            int function);

}  // namespace nestor
