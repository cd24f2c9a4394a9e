#pragma once
// Times several things against each other: in rounds, so that what disturbs the machine disturbs
// all of them, until their medians stand still or the time is up.

#include <functional>
#include <string>
#include <vector>

namespace nestor {

struct TimingLimits {
    /** Wall time for everything; there is one round at least. */
    double seconds = 30;
    /** Enough when each median is known to this part of itself (half of its confidence interval).
     */
    double precision = 0.01;
    int min_rounds = 7;
    /** A run slower than this many seconds is repeated only `slow_samples` times. */
    double slow_run = 2;
    int slow_samples = 3;
    /** Fast runs are repeated within a sample until it takes this many seconds. */
    double sample_seconds = 0.01;
};

struct Timed {
    std::string name;
    /** Seconds for one run; one sample a round. */
    std::vector<double> samples;
    int runs_per_sample = 1;
    /** Half the width of the median's 95% confidence interval, relative to the median. */
    double uncertainty = 0;
};

struct TimingResult {
    std::vector<Timed> versions;
    int rounds = 0;
    /** "stable" or "time". */
    std::string stopped;
};

struct Runnable {
    std::string name;
    std::function<void()> run;
    bool decides = true;  // whether timing goes on until this one is known well enough
};

/** Seconds on a clock that only goes forward. */
[[nodiscard]] double steady_seconds();

/** Of at least one sample. */
[[nodiscard]] double median_of(std::vector<double> samples);

/**
 * Half the width of the median's 95% confidence interval, relative to the median, from order
 * statistics: ranks n/2 -+ 0.98 sqrt(n) enclose it, whatever the distribution (J.-Y. Le Boudec,
 * "Performance Evaluation of Computer and Communication Systems", section 2.2). 1 for fewer than
 * two samples.
 */
[[nodiscard]] double uncertainty_of(std::vector<double> samples);

/** What runs throws goes through. */
[[nodiscard]] TimingResult time_interleaved(const std::vector<Runnable>& versions,
                                            const TimingLimits& limits);

}  // namespace nestor
