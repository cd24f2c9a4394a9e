#include "measure/candidate_timing.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "measure/reference_kernel.h"

namespace nestor {

namespace {

// Virtual processors of one host may be two threads of one core for a tenth of a second after they
// were idle, in which a parallel candidate takes as long as on one thread.
constexpr double kLeastSeconds = 0.25;

/** Times of the reference kernel, taken among a candidate's runs. */
class ReferenceTimes {
  public:
    /** Whether it is time for one: every few samples, because each leaves the caches cold. */
    [[nodiscard]] bool due() { return count_++ % kEvery == 0; }
    void take() {
        samples_.push_back(time_runs([this] { checksum_ += reference_kernel(); }, 1));
    }
    [[nodiscard]] double median() const { return median_of(samples_); }

  private:
    static constexpr int kEvery = 8;
    int count_ = 0;
    double checksum_ = 0;
    std::vector<double> samples_;
};

long last_cache_bytes() {
#ifdef _SC_LEVEL3_CACHE_SIZE
    return sysconf(_SC_LEVEL3_CACHE_SIZE);
#else
    return 0;
#endif
}

/** Evicts what a run left in the caches. */
void flush_caches() {
    constexpr long kLeast = 64L << 20;
    constexpr long kMost = 1L << 30;
    static std::vector<std::uint8_t> memory(
        static_cast<std::size_t>(std::clamp(2 * last_cache_bytes(), kLeast, kMost)));
    constexpr std::size_t kLine = 64;
    for (std::size_t i = 0; i < memory.size(); i += kLine) {
        memory[i]++;
    }
}

}  // namespace

double sample_run(const std::function<void()>& run, int runs, bool with_empty_caches, bool turns) {
    if (!with_empty_caches) {
        if (turns && runs > 1) {
            run();
        }
        return time_runs(run, runs);
    }
    double seconds = 0;
    for (int i = 0; i < runs; i++) {
        flush_caches();
        seconds += time_runs(run, 1);
    }
    return seconds / runs;
}

CandidateTiming time_candidate(const std::function<void()>& run, TimingLimits limits,
                               bool with_empty_caches) {
    limits.min_seconds = std::min(kLeastSeconds, limits.seconds);
    ReferenceTimes reference;
    (void)reference_kernel();  // in a new process its first run is mostly page faults
    const auto take_sample = [&](int runs) {
        if (reference.due()) {
            reference.take();
            run();
        }
        return sample_run(run, runs, with_empty_caches, false);
    };
    TimingResult timing = time_interleaved({{"candidate", take_sample}}, limits);
    Timed& timed = timing.versions.front();
    const double seconds = median_of(timed.samples);
    return {std::move(timed), seconds, reference.median(), 0};
}

CandidateTiming time_beside_anchor(const std::function<void()>& run, TimingLimits limits,
                                   bool with_empty_caches, const AnchorSamples& anchor) {
    const auto take_sample = [&](int runs) {
        return sample_run(run, runs, with_empty_caches, true);
    };
    limits.min_seconds = std::min(kLeastSeconds, limits.seconds);
    if (take_sample(1) * anchor.seconds > limits.slow_run * anchor.take(1)) {
        limits.max_rounds = limits.slow_samples;
    }
    TimingResult timing = time_interleaved(
        {{"candidate", take_sample, true, 1}, {"anchor", anchor.take, false}}, limits);
    const Timed& beside = timing.versions[1];
    Timed& timed = timing.versions[0];
    const double seconds = anchor.seconds / speed_relative_to(beside, timed);
    return {std::move(timed), seconds, 0, median_of(beside.samples)};
}

double time_reference_kernel() {
    double checksum = 0;
    TimingLimits limits;
    limits.seconds = 0.5;
    limits.precision = 0.01;
    const TimingResult timing = time_interleaved(
        {runnable("reference kernel", [&] { checksum += reference_kernel(); })}, limits);
    return checksum > 0 ? median_of(timing.versions.front().samples) : 0;
}

}  // namespace nestor
