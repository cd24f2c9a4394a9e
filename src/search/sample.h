#pragma once
// Random schedules: what a cost model is judged by.

#include <cstdint>
#include <vector>

#include "schedule/legality.h"
#include "search/limits.h"
#include "search/plan.h"

namespace nestor {

/** So many different legal schedules (fewer if the space is too small): random walks of up to
 * `longest_walk` moves from one of the starts of the search. The same for the same seed. */
[[nodiscard]] std::vector<Schedule> sample_schedules(const PipelineDag& dag, const Machine& machine,
                                                     const Caps& caps, int count,
                                                     std::uint64_t seed, int longest_walk = 24);

/** So many different legal schedules at most from what the search looks at, best first: the best
 * one and others that are predicted to take up to four times as long, spread evenly over the ranks.
 */
[[nodiscard]] std::vector<Schedule> frontier_schedules(const PipelineDag& dag,
                                                       const Machine& machine, const Caps& caps,
                                                       int count, const Limits& limits);

}  // namespace nestor
