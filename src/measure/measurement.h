#pragma once
// What became of a candidate: times, or why there are none. Failure is a value like any other.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace nestor {

enum class Outcome {
    Timed,         // right, and timed
    Refused,       // the schedule is not legal, or Halide does not take it
    CompileError,  // lowering or code generation failed, or ended the process
    RunError,      // a run-time check of the pipeline failed
    Wrong,         // it computes something else
    Crash,         // a signal while it ran
    Timeout,
    OutOfMemory,
    NotRun,  // it could only be lowered: extern functions are missing
    Lost,    // the worker died for another reason
};
[[nodiscard]] const char* outcome_name(Outcome outcome);
/** Whether an error's message says that memory was wanting. */
[[nodiscard]] bool means_memory(const std::string& message);

/** Where and under what conditions times were taken. */
struct MachineState {
    std::string cpu;  // model name
    int cores = 0;    // that this process may use
    int threads = 0;  // of Halide's pool
    std::string halide;
    double load = 0;  // average of the last minute, before the worker began

    bool operator==(const MachineState&) const = default;
};
[[nodiscard]] MachineState machine_state(int threads);
[[nodiscard]] nlohmann::json to_json(const MachineState& machine);
/** Throws nlohmann::json::exception. */
[[nodiscard]] MachineState machine_from_json(const nlohmann::json& text);

struct Measurement {
    Outcome outcome = Outcome::Lost;
    std::string message;          // why it is not Timed
    std::vector<double> samples;  // seconds for one run, in order
    int runs_per_sample = 1;
    /** Median of the samples. Beside an anchor (MeasurePool::set_anchor()): what it would be if
     * that took as long as is said of it. */
    double seconds = 0;
    double uncertainty = 0;  // half the width of its 95% confidence interval, relative
    /** How slow the machine was: the time of a reference kernel beside it, by that when the worker
     * began; or of the anchor, by what is said of it. */
    double drift = 0;
    double anchor_seconds = 0;     // that the anchor took beside it; 0: there was none
    double build_seconds = 0;      // applying, lowering, compiling
    std::int64_t peak_bytes = 0;   // that the pipeline allocated at once
    std::string verified_against;  // "the unscheduled pipeline"...; empty: not verified
    MachineState machine;

    [[nodiscard]] bool ok() const { return outcome == Outcome::Timed; }
    static Measurement failure(Outcome outcome, const std::string& message);
};

[[nodiscard]] nlohmann::json to_json(const Measurement& measurement);
/** An Error if a field is missing or of another type. */
[[nodiscard]] Result<Measurement> measurement_from_json(const nlohmann::json& text);

}  // namespace nestor
