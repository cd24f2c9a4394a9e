#pragma once
// The unscheduled pipeline in a form that can be lowered. These are for a deep copy: they lock its loop levels.

#include "halide/halide.h"

namespace nestor {

/** Calls that lowering would have to expand in the largest function, with everything inlined that is. */
[[nodiscard]] double inlined_calls(const Halide::Pipeline &pipeline);

/** Computes functions that are inlined now at root: those with several call sites, or all. */
enum class Expand { SharedFunctions, AllFunctions };
void compute_inlined_at_root(const Halide::Pipeline &pipeline, Expand which);

}  // namespace nestor
