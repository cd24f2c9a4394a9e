#pragma once
// Reductions that are the output itself, c(x, y) += a(k, y) * b(x, k): each step would load and
// store the output, whose strides nobody knows.

#include <optional>

#include "search/variant.h"

namespace nestor {

/** The pipeline with the sums of its outputs' updates in functions of their own (rfactor that
 * preserves nothing), which the updates add point by point: they can be computed in registers where
 * a block of the update needs them (register_tiles.h). Of updates that are associative, commutative
 * and store at their pure variables. Sums of floating-point numbers are reassociated: the initial
 * value is added last. None if there is no such update with work enough. */
[[nodiscard]] std::optional<Variant> sums_before_outputs(const PipelineDag& dag);

}  // namespace nestor
