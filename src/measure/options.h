#pragma once
// What a measuring worker is told when it starts.

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace nestor {

/** How benchmark binaries are run that this process does not run itself: shell commands, in which
 * placeholders stand for the binary and its arguments (see measure/runner_command.h). */
struct RunnerOptions {
    std::string command;   // empty: candidates run in this machine's processes
    std::string copy;      // before each; empty: nothing to copy
    std::string compiler;  // of C++ for the target, which links, too; empty: by the target

    [[nodiscard]] bool used() const { return !command.empty(); }
};

struct MeasureOptions {
    std::string pipeline;                       // the .hlpipe file
    std::string target = "host";                // Halide's text for it
    RunnerOptions runner;                       // needed for targets that are not of this machine
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
    bool flush_caches = false;      // before each run that is timed
    std::int64_t memory_bytes = std::int64_t{8} << 30U;  // that one candidate may use
};

[[nodiscard]] nlohmann::json to_json(const MeasureOptions& options);
[[nodiscard]] Result<MeasureOptions> measure_options_from_json(const nlohmann::json& text);

/** A schedule to measure, as print_json() wrote it; "none": the pipeline as it is. */
struct Candidate {
    std::string schedule;
    // Libraries to load for this one only. Others are made without a word about it.
    std::vector<std::string> load = {};  // NOLINT(readability-redundant-member-init)
    /** Seconds above which nobody needs to know the time well: few runs are enough. 0: none. */
    double give_up_seconds = 0;
};

}  // namespace nestor
