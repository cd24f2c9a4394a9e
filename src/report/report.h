#pragma once
// What a records file knows of one task, put together for people. Plain data: build_report.h makes
// it, report_json.h and page.h write it.

#include <optional>
#include <string>
#include <vector>

#include "cost/cost_model.h"
#include "records/store.h"

namespace nestor {

/** One measured candidate. Times in seconds everywhere; 0: there is none. */
struct ReportTrial {
    int number = 0;  // from 1, in the order in which they were measured
    std::string outcome, message, origin, schedule_hash, created;
    double seconds = 0, uncertainty = 0, predicted = 0;
    bool withdrawn = false;   // timed, but found wrong or unsafe at another moment
    double best_seconds = 0;  // of all up to this one that are not withdrawn
    bool is_gain = false;     // it set best_seconds
};

/** One schedule, by the record that ranking.h takes. */
struct ReportSchedule {
    std::string schedule_hash, origin, created;
    double seconds = 0, uncertainty = 0, predicted = 0;
    bool is_final = false;  // compiled ahead of time and timed in turns
    int trial = 0;          // the first of that schedule; 0: there is none
    int structure = -1;     // index into Report::structures
};

/** Schedules that differ in numbers only: tile sizes, vectors, orders of loops. */
struct ReportStructure {
    std::string text;  // structure_text(), or, where the pipeline is not known, the origin
    int trials = 0, timed = 0;
    double best_seconds = 0;  // of schedules that count
    std::string best_hash;
    int first_trial = 0;
};

struct ReportFailure {
    struct Message {
        std::string text;
        int count = 0;
        int first_trial = 0;
    };
    std::string outcome;  // outcome_name()
    int count = 0;
    std::vector<Message> messages;  // the most frequent first; each once
};

/** A function at root with what is computed in its loops. */
struct ReportCost {
    std::string function;
    Cost cost;
    double profiled = 0;  // see ReportCode::profile; 0: not known
};

/** Where a run of the winner spent its time. */
struct ReportProfile {
    std::string name;    // of a function that is not inlined, or of work of Halide's own
    int function = -1;   // index into Schedule::functions; -1: of none
    double seconds = 0;  // of one run
};

/** What is said of a schedule with its pipeline at hand. */
struct ReportCode {
    std::string loop_nest, cpp, python;
    std::vector<ReportCost> costs;       // predicted by the model of this Nestor; producers first
    Cost cost;                           // of all
    std::string machine;                 // that it is predicted for
    std::vector<ReportProfile> profile;  // the longest first; empty: not asked for, or:
    std::string profile_missing;         // why there is none
};

struct ReportWinner {
    ReportSchedule schedule;
    std::string json;              // the schedule
    std::string verified_against;  // empty: not known
    std::int64_t peak_bytes = 0;   // that it allocates; 0: not known, or nothing
    int samples = 0;               // of its time
    std::optional<ReportCode> code;
};

struct Report {
    std::string pipeline;
    TuningTask task;
    std::vector<std::string> versions;  // that measured, in order
    std::vector<TuningRun> runs;
    std::vector<ReportTrial> trials;
    double first_seconds = 0;          // of the first trial that was timed: what the search takes
                                       // without measuring
    std::vector<ReportSchedule> best;  // best first
    std::vector<ReportStructure> structures;  // fastest first, those without a time last
    bool structures_by_origin = false;        // because the pipeline is not known
    std::vector<ReportFailure> failures;      // the most frequent first
    std::optional<ReportWinner> winner;       // none: no schedule was right and timed
    std::string missing;                      // why there is no loop nest; empty: there is one

    [[nodiscard]] double best_seconds() const { return winner ? winner->schedule.seconds : 0; }
    /** Of the best schedule over the first trial; 0: one of them has no time. */
    [[nodiscard]] double speed_up() const {
        return best_seconds() > 0 ? first_seconds / best_seconds() : 0;
    }
};

}  // namespace nestor
