#pragma once
// The unscheduled pipeline in a form that can be lowered. These are for a deep copy: they lock its
// loop levels.

#include "halide/halide.h"

namespace nestor {

/** Calls that lowering would have to expand in the largest function, with everything inlined that
 * is. */
[[nodiscard]] double inlined_calls(const Halide::Pipeline& pipeline);

/** Which functions of those that have no compute level yet are computed at root. */
enum class Expand {
    SharedFunctions,  // pure ones with several call sites
    AllFunctions,     // extern stages and update definitions, too
};
void compute_inlined_at_root(const Halide::Pipeline& pipeline, Expand which);

}  // namespace nestor
