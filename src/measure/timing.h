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
    /** Wall time before any median is known well enough, unless all versions are slow: what holds
     * up a machine for a moment would be all that is measured otherwise. */
    double min_seconds = 0;
    /** Enough when each median is known to this part of itself (half of its confidence interval).
     */
    double precision = 0.01;
    int min_rounds = 7;
    int max_rounds = 1'000'000;
    /** A run slower than this many seconds, or than this many times the fastest version's, is
     * repeated only `slow_samples` times. */
    double slow_run = 2;
    double slow_factor = 1e9;
    int slow_samples = 3;
    /** Fast runs are repeated within a sample until it takes this many seconds. */
    double sample_seconds = 0.01;
};

struct Timed {
    std::string name;
    /** Seconds for one run, and the rounds in which they were taken: one sample a round at most. */
    std::vector<double> samples;
    std::vector<int> rounds;
    int runs_per_sample = 1;
    /** Half the width of the median's 95% confidence interval, relative to the median: of the
     * samples, or of their ratios to those of Runnable::relative_to. */
    double uncertainty = 0;
};

struct TimingResult {
    std::vector<Timed> versions;
    int rounds = 0;
    /** "stable", "rounds" or "time". */
    std::string stopped;
};

struct Runnable {
    std::string name;
    /** Runs it so many times in a row; yields the seconds of one run. */
    std::function<double(int runs)> sample;
    bool decides = true;  // whether timing goes on until this one is known well enough
    /** The version by which this one's time is to be known, as speed_relative_to() has it: what
     * slows the machine for a while then takes no more samples. -1: none, its time by itself. */
    int relative_to = -1;
};

/** Seconds on a clock that only goes forward. */
[[nodiscard]] double steady_seconds();

/** Seconds of one of so many runs in a row, in this process. */
[[nodiscard]] double time_runs(const std::function<void()>& run, int runs);
[[nodiscard]] Runnable runnable(std::string name, std::function<void()> run, bool decides = true);

/** Of at least one sample. */
[[nodiscard]] double median_of(std::vector<double> samples);

/**
 * Half the width of the median's 95% confidence interval, relative to the median, from order
 * statistics: ranks n/2 -+ 0.98 sqrt(n) enclose it, whatever the distribution (J.-Y. Le Boudec,
 * "Performance Evaluation of Computer and Communication Systems", section 2.2). 1 for fewer than
 * two samples.
 */
[[nodiscard]] double uncertainty_of(std::vector<double> samples);

/**
 * How many times as fast as `reference`: the median of the ratios of samples of the same round, so
 * that what slows the machine for a while cancels out; of the medians' ratio if they share no
 * round. 0 if either has no sample.
 */
[[nodiscard]] double speed_relative_to(const Timed& reference, const Timed& version);

/** What sampling throws goes through. */
[[nodiscard]] TimingResult time_interleaved(const std::vector<Runnable>& versions,
                                            const TimingLimits& limits);

}  // namespace nestor
