#pragma once
// Functions that are read in several ways: as they lie, at places that the data tell, at another
// scale, in the steps of a reduction. A clone (`clone_in()`) for each way but one may be computed
// where that way wants it: a picture in the rows of the next level of its pyramid, each point once,
// though it is inlined where single points of it are read.

#include <optional>
#include <vector>

#include "search/variant.h"

namespace nestor {

/** The pipeline with clones of what is little work to compute again. None if nothing is read in
 * several ways. */
[[nodiscard]] std::optional<Replacements> clones_by_use(const PipelineDag& dag);

/** A plan of the pipeline, `dag`, as it is with clones: each as its parent is. `start`: any plan of
 * the variant. */
[[nodiscard]] Plan carry_over_clones(const PipelineDag& dag, const Variant& variant,
                                     const std::vector<int>& parents, const Plan& plan,
                                     const Plan& start);

}  // namespace nestor
