#include "tune/remote_finals.h"

#include <algorithm>

#include "measure/pool.h"
#include "measure/timing.h"

namespace nestor {

namespace {

constexpr std::size_t kTurns = 3;

}  // namespace

Measurement join_turns(const std::vector<Measurement>& turns) {
    const auto failed = std::ranges::find_if(turns, [](const Measurement& m) { return !m.ok(); });
    if (failed != turns.end()) {
        return *failed;
    }
    Measurement joined = turns.front();
    joined.samples.clear();
    joined.drift = 0;
    for (const Measurement& each : turns) {
        joined.samples.insert(joined.samples.end(), each.samples.begin(), each.samples.end());
        joined.drift += each.drift / static_cast<double>(turns.size());
    }
    joined.seconds = median_of(joined.samples);
    joined.uncertainty = uncertainty_of(joined.samples);
    return joined;
}

std::vector<Measurement> run_remote_finals(const std::vector<std::string>& worker,
                                           const MeasureOptions& options,
                                           const std::vector<Candidate>& candidates,
                                           double seconds) {
    constexpr double kPrecision = 0.01;
    const std::size_t count = candidates.size();
    MeasureOptions precise = options;
    precise.timing_seconds =
        seconds / static_cast<double>(kTurns * std::max<std::size_t>(count, 1));
    precise.precision = kPrecision;
    Result<std::unique_ptr<MeasurePool>> pool = MeasurePool::start(worker, precise);
    if (!pool) {
        return std::vector<Measurement>(count, Measurement::failure(Outcome::Lost, pool.error()));
    }
    std::vector<Candidate> in_turns;
    for (std::size_t turn = 0; turn < kTurns; turn++) {
        in_turns.insert(in_turns.end(), candidates.begin(), candidates.end());
    }
    const std::vector<Measurement> measured = pool.value()->measure(in_turns);
    std::vector<Measurement> results;
    for (std::size_t i = 0; i < count; i++) {
        std::vector<Measurement> turns;
        for (std::size_t turn = 0; turn < kTurns; turn++) {
            turns.push_back(measured[turn * count + i]);
        }
        results.push_back(join_turns(turns));
    }
    return results;
}

}  // namespace nestor
