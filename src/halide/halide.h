#pragma once
// The one place that includes Halide's header, so that it can be precompiled and its warnings
// silenced.

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include "Halide.h"
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace nestor {

/** Halide's handle of a function; nestor::Function is what a PipelineDag knows of it. */
using HalideFunction = Halide::Internal::Function;

}  // namespace nestor
