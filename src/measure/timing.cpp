#include "measure/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

namespace nestor {

namespace {

bool has_enough(const Timed& timed, bool slow, const TimingLimits& limits, double elapsed) {
    const auto count = static_cast<int>(timed.samples.size());
    if (slow) {
        return count >= limits.slow_samples;
    }
    return count >= limits.min_rounds && elapsed >= limits.min_seconds &&
           timed.uncertainty <= limits.precision;
}

/** Runs each once, untimed but for the choice of how often to run it in a sample. Yields which are
 * slow. */
std::vector<bool> warm_up(const std::vector<Runnable>& versions, const TimingLimits& limits,
                          std::vector<Timed>& timed) {
    std::vector<double> firsts;
    for (const Runnable& version : versions) {
        firsts.push_back(version.sample(1));
    }
    const double fastest = firsts.empty() ? 0 : *std::min_element(firsts.begin(), firsts.end());
    std::vector<bool> slow;
    for (std::size_t i = 0; i < versions.size(); i++) {
        const Runnable& version = versions[i];
        const double first = firsts[i];
        Timed result;
        result.name = version.name;
        slow.push_back(first > std::min(limits.slow_run, limits.slow_factor * fastest));
        if (!slow.back()) {
            // The first run of a fast one is mostly page faults.
            const double one = first < 10 * limits.sample_seconds ? version.sample(1) : first;
            result.runs_per_sample =
                std::clamp(static_cast<int>(std::ceil(limits.sample_seconds / std::max(one, 1e-7))),
                           1, 100000);
        }
        timed.push_back(result);
    }
    return slow;
}

/** Of samples of the same round: the reference's by the version's. */
std::vector<double> ratios_of(const Timed& reference, const Timed& version) {
    std::map<int, double> at;
    for (std::size_t i = 0; i < reference.samples.size(); i++) {
        at[reference.rounds[i]] = reference.samples[i];
    }
    std::vector<double> ratios;
    for (std::size_t i = 0; i < version.samples.size(); i++) {
        if (const auto found = at.find(version.rounds[i]); found != at.end()) {
            ratios.push_back(found->second / version.samples[i]);
        }
    }
    return ratios;
}

}  // namespace

double steady_seconds() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
}

double time_runs(const std::function<void()>& run, int runs) {
    const double start = steady_seconds();
    for (int i = 0; i < runs; i++) {
        run();
    }
    return (steady_seconds() - start) / runs;
}

Runnable runnable(std::string name, std::function<void()> run, bool decides) {
    return {std::move(name), [run = std::move(run)](int runs) { return time_runs(run, runs); },
            decides};
}

double median_of(std::vector<double> samples) {
    const std::size_t middle = samples.size() / 2;
    std::sort(samples.begin(), samples.end());
    return samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

double uncertainty_of(std::vector<double> samples) {
    if (samples.size() < 2) {
        return 1;
    }
    std::sort(samples.begin(), samples.end());
    const auto count = static_cast<double>(samples.size());
    const double reach = 0.98 * std::sqrt(count);
    const double below = std::max(std::floor(count / 2 - reach), 0.0);
    const double above = std::min(std::ceil(count / 2 + reach), count - 1);
    const double width =
        samples[static_cast<std::size_t>(above)] - samples[static_cast<std::size_t>(below)];
    return width / 2 / median_of(samples);
}

double speed_relative_to(const Timed& reference, const Timed& version) {
    if (reference.samples.empty() || version.samples.empty()) {
        return 0;
    }
    const std::vector<double> ratios = ratios_of(reference, version);
    return ratios.empty() ? median_of(reference.samples) / median_of(version.samples)
                          : median_of(ratios);
}

TimingResult time_interleaved(const std::vector<Runnable>& versions, const TimingLimits& limits) {
    TimingResult result;
    const double start = steady_seconds();
    const std::vector<bool> slow = warm_up(versions, limits, result.versions);
    while (true) {
        const double elapsed = steady_seconds() - start;
        bool stable = true;
        for (std::size_t i = 0; i < versions.size(); i++) {
            stable = stable && (!versions[i].decides ||
                                has_enough(result.versions[i], slow[i], limits, elapsed));
        }
        const bool time_is_up = result.rounds > 0 && elapsed > limits.seconds;
        const bool enough = result.rounds >= limits.max_rounds;
        if (stable || enough || time_is_up) {
            result.stopped = stable ? "stable" : (enough ? "rounds" : "time");
            break;
        }
        // Another one begins each round: none always runs in the wake of the same neighbour.
        for (std::size_t i = 0; i < versions.size(); i++) {
            const std::size_t at = (i + result.rounds) % versions.size();
            Timed& timed = result.versions[at];
            if (slow[at] && has_enough(timed, true, limits, elapsed)) {
                continue;
            }
            timed.samples.push_back(versions[at].sample(timed.runs_per_sample));
            timed.rounds.push_back(result.rounds);
        }
        for (std::size_t i = 0; i < versions.size(); i++) {
            Timed& timed = result.versions[i];
            const int other = versions[i].relative_to;
            timed.uncertainty = uncertainty_of(
                other < 0 ? timed.samples : ratios_of(result.versions[other], timed));
        }
        result.rounds++;
    }
    return result;
}

}  // namespace nestor
