#pragma once
// Index expressions as affine functions of loops.

#include <vector>

#include "dag/pipeline_dag.h"
#include "halide/halide.h"

namespace nestor {

/** `index` (estimates substituted) as a function of the loops of a stage. Understands sums,
 * products and quotients with constants, clamps, modulo, selects between shifted copies, and
 * scaling through floats; anything else is not affine. Footprints computed from the result are
 * never too small as long as casts do not wrap. */
[[nodiscard]] Coordinate affine_coordinate(const Halide::Expr& index,
                                           const std::vector<Loop>& loops);

/** Whether `index`, as the user wrote it, is cut off above at a constant: min(x, 1023). */
[[nodiscard]] bool has_constant_end(const Halide::Expr& index);

}  // namespace nestor
