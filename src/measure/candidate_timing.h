#pragma once
// The time of one candidate, beside that of the reference kernel or of another candidate. Part of
// benchmark binaries, too (measure/benchmark.h).

#include <functional>

#include "measure/timing.h"

namespace nestor {

struct CandidateTiming {
    Timed timed;
    /** The median; beside an anchor, what it would be if that took as long as it is said to. */
    double seconds = 0;
    double reference_kernel = 0;  // median of its times among the candidate's; 0: not timed
    double anchor = 0;            // median of the anchor's samples; 0: there was none
};

/** Another candidate, in another process, that this one is timed in turns with. */
struct AnchorSamples {
    std::function<double(int runs)> take;  // what sample_run() does of it; empty: there is none
    double seconds = 0;                    // that it is said to take
};

/** Seconds of one run of so many in a row, or of each with empty caches. In `turns` with something
 * else, one run before them fetches what that has driven out of the caches. */
[[nodiscard]] double sample_run(const std::function<void()>& run, int runs, bool with_empty_caches,
                                bool turns);

/** Runs it in turns with the reference kernel. */
[[nodiscard]] CandidateTiming time_candidate(const std::function<void()>& run, TimingLimits limits,
                                             bool with_empty_caches);

/** Runs it in turns with the anchor. What slows the machine for a while slows both, so that their
 * ratio is known when their times are not. `limits.slow_run` is for a machine on which the anchor
 * takes as long as it is said to. */
[[nodiscard]] CandidateTiming time_beside_anchor(const std::function<void()>& run,
                                                 TimingLimits limits, bool with_empty_caches,
                                                 const AnchorSamples& anchor);

/** Median of the reference kernel's times, alone. */
[[nodiscard]] double time_reference_kernel();

}  // namespace nestor
