#pragma once
// The last round where a runner runs the candidates (see tune/finals.h).

#include <string>
#include <vector>

#include "measure/measurement.h"
#include "measure/options.h"

namespace nestor {

/** Measures the candidates in turns, several times each, by a worker of its own; `seconds` are for
 * timing all of them. A time is the median of the samples of all turns. One that fails in any turn
 * has failed. */
[[nodiscard]] std::vector<Measurement> run_remote_finals(const std::vector<std::string>& worker,
                                                         const MeasureOptions& options,
                                                         const std::vector<Candidate>& candidates,
                                                         double seconds);

/** Of one candidate: what its turns yield together, none of them empty. */
[[nodiscard]] Measurement join_turns(const std::vector<Measurement>& turns);

}  // namespace nestor
