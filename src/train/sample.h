#pragma once
// Samples: featurizations with measured times, in files; what Adams2019's tuning loop keeps, and
// what its retraining reads, in a form of our own.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cost/featurization.h"
#include "train/trainer.h"

namespace nestor {

struct Sample {
    double seconds = 0;     // measured
    int pipeline = 0;       // a number that the user gives: times compare within one of them
    std::int64_t name = 0;  // of the schedule, likewise
    Featurization featurization;
};

/** A line "nestor-sample 1 seconds=S pipeline=P schedule=N", then the text of a featurization. */
[[nodiscard]] std::string print_sample(double seconds, int pipeline, std::int64_t name,
                                       std::string_view featurization);

/** An Error for other text, what is no time, and the errors of parse_featurization(). */
[[nodiscard]] Result<Sample> parse_sample(std::string_view text);

/** One for each of the files. An Error names the file. */
[[nodiscard]] Result<std::vector<Sample>> read_samples(std::span<const std::string> files);

/** fit() to samples: those of one pipeline, by number and algorithm, are a family. */
[[nodiscard]] Result<Correction> fit_samples(std::span<const Sample> samples,
                                             const TrainOptions& options, const Correction* prior);

}  // namespace nestor
