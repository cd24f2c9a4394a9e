#pragma once
// How much of a reduction domain its where() leaves.

#include <vector>

#include "halide/estimates.h"

namespace nestor {

/** The share of the points of `loops` at which all conditions hold, in (0, 1]; an estimate. What
 * is computed from coordinates and estimates alone is evaluated at some points that are spread
 * over the domain. Of an equality between a reduction variable and what does not move with it
 * (`r.x == program(r.y)`), one of the variable's points is left, of an inequality all but one.
 * Whatever else is loaded is taken to hold everywhere. */
[[nodiscard]] double predicate_share(const std::vector<Halide::Expr>& conditions,
                                     const std::vector<Loop>& loops, const Estimates& estimates);

}  // namespace nestor
