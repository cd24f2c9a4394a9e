#pragma once
// The time of one candidate, beside that of the reference kernel. Part of benchmark binaries, too
// (measure/benchmark.h).

#include <functional>

#include "measure/timing.h"

namespace nestor {

struct CandidateTiming {
    Timed timed;
    double reference_kernel = 0;  // median of its times among the candidate's
};

/** Runs it in turns with the reference kernel, with empty caches if asked. */
[[nodiscard]] CandidateTiming time_candidate(const std::function<void()>& run, TimingLimits limits,
                                             bool with_empty_caches);

/** Median of the reference kernel's times, alone. */
[[nodiscard]] double time_reference_kernel();

}  // namespace nestor
