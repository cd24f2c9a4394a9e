#pragma once
// What is remembered of a candidate that was measured. Plain data: store.h keeps it.

#include <compare>
#include <cstdint>
#include <string>

#include "dag/sizes.h"

namespace nestor {

/** What a schedule is tuned for. Times compare only where all of it is the same. */
struct TuningTask {
    std::string algorithm;  // hash_text() of PipelineDag::algorithm_hash
    std::string sizes;      // sizes_text() of dag/sizes.h
    std::string target;     // Halide's text for it, with "host" spelled out
    std::string machine;    // model name of the processor
    int threads = 0;        // of Halide's pool

    auto operator<=>(const TuningTask&) const = default;
};

/** One measurement of one schedule. */
struct Record {
    enum class Kind {
        Trial,  // one candidate of many, compiled in memory
        Final,  // compiled ahead of time and timed in turns with other finalists
    };

    std::int64_t id = 0;   // given by the store: rising, never used again
    std::int64_t run = 0;  // of `nestor tune`, see RecordStore::begin_run
    Kind kind = Kind::Trial;
    TuningTask task;
    std::string pipeline;       // a name for people
    std::string schedule;       // print_json()
    std::string schedule_hash;  // hash_text() of hash(schedule, dag)
    std::string origin;         // how it was come by: "search: from tiles", "mutation", ...
    std::string plan;           // what the search goes on from (search/individual.h); may be empty
    double predicted = 0;       // seconds, by the model of that moment; 0: not predicted
    std::string outcome;        // outcome_name(); "timed" is the good one
    std::string message;        // why it was not timed
    double seconds = 0;         // of one run; 0: not timed
    double uncertainty = 0;     // see Measurement
    std::string measurement;    // all of Measurement, as JSON
    std::string versions;       // "nestor 0.1.0, halide 21.0.0"
    std::string created;        // UTC, "2026-11-23T11:20:05Z"

    [[nodiscard]] bool timed() const { return outcome == "timed"; }
};

}  // namespace nestor
