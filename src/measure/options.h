#pragma once
// What a measuring worker is told when it starts.

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace nestor {

struct MeasureOptions {
    std::string pipeline;                       // the .hlpipe file
    std::string target = "host";                // Halide's text for it; must run on this machine
    int threads = 0;                            // of Halide's pool; 0: all cores
    int builders = 0;                           // candidates built at once; 0: all cores
    std::uint64_t seed = 0;                     // of the inputs
    std::map<std::string, std::string> inputs;  // .npy files by argument; others are random
    std::map<std::string, double> scalars;      // by argument; others have their estimate
    std::vector<std::string> load;              // libraries with the pipeline's extern functions

    double build_seconds = 60;      // limit of applying, lowering and compiling one candidate
    double run_seconds = 20;        // ... of its first run
    double reference_seconds = 60;  // ... of the unscheduled pipeline's run
    double timing_seconds = 2;      // at most, for the repetitions of one candidate
    double precision = 0.03;        // enough when the median is known to this part of itself
    std::int64_t memory_bytes = std::int64_t{8} << 30U;  // that one candidate may use
};

[[nodiscard]] nlohmann::json to_json(const MeasureOptions& options);
[[nodiscard]] Result<MeasureOptions> measure_options_from_json(const nlohmann::json& text);

/** A schedule to measure, as print_json() wrote it; "none": the pipeline as it is. */
struct Candidate {
    std::string schedule;
    std::vector<std::string> load;  // libraries to load for this one only
};

}  // namespace nestor
