// Nestor's answer to a pipeline, all of it: every seed, not only the one that would be chosen.
#pragma once

#include <cstdint>
#include <string>

#include "pipelines.h"

namespace nestor::testing {

struct SeedsReport {
    std::string failure;  ///< empty if every accepted seed computes what the reference does
    int accepted =
        0;  ///< seeds that the verifier let pass, and that were compiled, run and compared
    int refused = 0;       ///< seeds that the verifier refused, and that no user would ever get
    std::string refusals;  ///< why, a line each
};

/// Reads the pipeline, makes all seeds, verifies each on a copy, and runs those that pass at all
/// sizes against the unscheduled pipeline. The schedules also go through JSON on the way.
SeedsReport check_seeds(const TestPipeline& test, std::uint64_t seed);

}  // namespace nestor::testing
