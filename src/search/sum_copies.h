#pragma once
// Sums that are stored: a copy (`in()`) in whose loops the sum itself is computed, in registers. A
// reduction that several definitions read, or one reads at several points, has to be in memory,
// where each of its definitions goes over all of it again: zeros are stored, loaded, added to and
// stored. Its copy is stored once.

#include <optional>
#include <vector>

#include "search/variant.h"

namespace nestor {

/** The pipeline with a copy of each reduction that register_tiles.h could do nothing for: one that
 * is no output, and not read point by point by one definition. None if there is none with work
 * enough. */
[[nodiscard]] std::optional<Replacements> copies_of_sums(const PipelineDag& dag);

/** A plan of the pipeline, `dag`, as it is with copies: each is where its sum was, and the sum in
 * its innermost loop. `start`: any plan of the variant. */
[[nodiscard]] Plan carry_over(const PipelineDag& dag, const Variant& variant,
                              const std::vector<int>& sums, const Plan& plan, const Plan& start);

}  // namespace nestor
