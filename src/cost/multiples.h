#pragma once
// Where what is computed is known to begin.

#include <cstdint>

#include "cost/schedule_facts.h"

namespace nestor {

/**
 * What the first point of a function along a dimension is a multiple of, in each of its
 * computations, as far as Halide knows where it runs: what its region is aligned to; what the
 * running case says of the size of an output with one definition; what follows for a function that
 * is computed at a loop from where those begin that read it there, and how far the loop moves. 1
 * where nothing is known, 0 where it is always 0.
 */
[[nodiscard]] std::int64_t known_multiple(ScheduleFacts& facts, int function, int dim);

}  // namespace nestor
