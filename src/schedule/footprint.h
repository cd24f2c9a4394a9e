#pragma once
// Footprints: how much of a function one iteration of a loop needs.

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/placement.h"

namespace nestor {

/** Extents, one a dimension, of the region of `function` that one iteration of the loop `site`
 * needs: the union over everything in that loop that loads it, directly, through transparent
 * functions, or through functions that are computed inside the loop. Where `function` itself is
 * computed does not matter, so that it can be asked before that is decided.
 *
 *  Never too small, at the estimates. A tile of extents t_l along the loops l of a stage loads
 * coordinates of extent  sum |rate_l| (t_l - 1) + offset_max - offset_min + 1, and loads at
 * different offsets are united as intervals, so that a stencil costs its own width only once. What
 * moves at different rates from one iteration to the next (f(x) + f(width - x)) is united over all
 * iterations. Wherever a coordinate is not affine it is the whole region; also in dimensions that
 * an update addresses by something else than its pure variable. Never more than the whole region,
 * except that tails which round up, or move inwards, enlarge it to what they store.
 *
 *  Empty if nothing in the loop loads the function. `graph` is *ScheduledDag(dag, schedule). */
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
