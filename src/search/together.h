#pragma once
// Functions that read the same and are computed together (compute_with): what they share is read
// once, and what only they read can be computed in their loops.

#include <vector>

#include "schedule/joined.h"
#include "search/variant.h"

namespace nestor {

/** Functions of a pipeline that may be computed together, in sets as large as possible: outputs and
 * functions that are not inlined at first, with the same loops, of which each reads something that
 * another one reads. Empty: there are none. */
[[nodiscard]] std::vector<Joined> computed_together(const PipelineDag& dag);

/** A plan of the pipeline as it is, with them together, where the leader was. `start`: any plan of
 * the variant. */
[[nodiscard]] Plan carry_over(const Variant& variant, const std::vector<Joined>& together,
                              const Plan& plan, const Plan& start);

}  // namespace nestor
