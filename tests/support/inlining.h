// How large a pipeline becomes when it is inlined, and how to stop it from being inlined.
#pragma once

#include "Halide.h"

namespace nestor::testing {

/// Calls in the largest function once everything that Halide inlines by default is inlined.
double inlined_calls(const Halide::Pipeline& pipeline);

/// compute_root for every function that nobody has scheduled yet and that may be inlined.
void compute_root_all(Halide::Pipeline& pipeline);

}  // namespace nestor::testing
