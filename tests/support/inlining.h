// How to stop a pipeline from being inlined.
#pragma once

#include "Halide.h"

namespace nestor::testing {

/// compute_root for every function that nobody has scheduled yet and that may be inlined.
void compute_root_all(Halide::Pipeline& pipeline);

}  // namespace nestor::testing
