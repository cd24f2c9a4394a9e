#pragma once
// Functions that are computed together (compute_with), each by the same loops: as one function with
// a value for each of them, which is how costs, bounds and rules see them.

#include <optional>
#include <vector>

#include "dag/pipeline_dag.h"
#include "schedule/schedule.h"

namespace nestor {

/** Functions that run in the loops of the leader. */
struct Joined {
    int leader = 0;              // index into PipelineDag::functions
    std::vector<int> followers;  // the others, ascending

    bool operator==(const Joined&) const = default;
};

/** Whether both are pure, with the same loops and sizes, so that a nest of one is one of the other,
 * and neither has cases, which Halide refuses for what is fused. Sums are left out: all that is
 * fused is under conditions, which keep them from registers. Not whether one depends on the other.
 */
[[nodiscard]] bool can_join(const Function& a, const Function& b);

/** The graph with each leader as a tuple of its own values and its followers', which it computes
 * instead of them. A follower is left in its place, without anything that it does, and nothing
 * reads it. None if a function would depend on itself. */
[[nodiscard]] std::optional<PipelineDag> join(const PipelineDag& graph,
                                              const std::vector<Joined>& all);

/** The innermost loop of a nest that is neither a vector nor unrolled: what is computed together is
 * fused up to there. */
[[nodiscard]] std::optional<LoopRef> fused_loop(const LoopNest& nest,
                                                const std::vector<StageDim>& dims);

/** Whether the guard of a split is about loops at and around `fused` only. Halide 21 then has the
 * leader's around all that is fused, so that followers that turn out to be larger are cut off. */
[[nodiscard]] bool is_guarded_outside(const LoopNest& nest, const std::vector<StageDim>& dims,
                                      LoopRef fused);

/** A schedule of the graph that joins them as one of the pipeline: followers have the leader's
 * loops, and are fused with it up to fused_loop(). */
[[nodiscard]] Schedule with_followers(const PipelineDag& dag, Schedule schedule,
                                      const std::vector<Joined>& all);

/** Whether any stage is fused with another one. */
[[nodiscard]] bool has_fusion(const Schedule& schedule);

/** The reverse. */
struct JoinedSchedule {
    PipelineDag dag;
    Schedule schedule;
};
/** None if nothing is computed together, or in another way than with_followers() says. */
[[nodiscard]] std::optional<JoinedSchedule> joined(const PipelineDag& dag,
                                                   const Schedule& schedule);

}  // namespace nestor
