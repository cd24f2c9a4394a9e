#pragma once
// Outputs that read the same and are computed together (compute_with): what they share comes from
// memory once.

#include <vector>

#include "schedule/joined.h"
#include "search/variant.h"

namespace nestor {

/** Outputs of a pipeline that may be computed together, in sets as large as possible: with the same
 * loops, and each reads something that another one reads. Empty: there are none. */
[[nodiscard]] std::vector<Joined> computed_together(const PipelineDag& dag);

/** A plan of the pipeline as it is, with them together, where the leader was. `start`: any plan of
 * the variant. */
[[nodiscard]] Plan carry_over(const Variant& variant, const std::vector<Joined>& together,
                              const Plan& plan, const Plan& start);

}  // namespace nestor
