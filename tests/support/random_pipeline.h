// Random pipelines for the fuzzer.
#pragma once

#include <cstdint>

#include "pipelines.h"

namespace nestor::testing {

/// How large its outputs are at the estimates.
enum class RandomSize {
    Small,    // up to 4,800 points, for correctness
    Picture,  // up to two million, to be timed
};

/// A pipeline of up to about a dozen stages: stencils, up- and down-sampling, reductions over
/// windows and whole dimensions, histograms, scans, gathers, selects, tuples, boundary conditions,
/// several outputs, 1 to 4 dimensions, minima other than zero. The same seed gives the same
/// pipeline on every machine; `description` lists its stages.
TestPipeline random_pipeline(uint64_t seed, RandomSize size = RandomSize::Small);

}  // namespace nestor::testing
