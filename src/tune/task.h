#pragma once
// What is tuned, how long, and what is told on the way.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cost/correction.h"
#include "halide/halide.h"
#include "machine/machine.h"
#include "measure/options.h"
#include "records/record.h"
#include "search/search.h"

namespace nestor {

/** A pipeline for one target and machine. */
struct TuneTask {
    std::string name;
    Halide::Pipeline pipeline;
    Halide::Target target;
    Machine machine;                    // what the search predicts for; parallelism 0: the threads
    SearchOptions search;               // of the first candidates; its correction is `weights`
    std::optional<Correction> weights;  // what predictions are corrected by to begin with
    double search_seconds = 20;
    std::int64_t search_memory = std::int64_t{1} << 30U;
    int default_extent = 0;  // see Params
    MeasureOptions measure;  // without pipeline and target, which tuning fills in
    double weight = 1;       // among several tasks: how much its time counts
};

enum class TuneStop {
    Trials,      // as many as were asked for are measured
    Time,        // used up
    Target,      // as fast as was asked for
    Stagnation,  // no gain for so many trials
    Exhausted,   // nothing else is left to try
    Interrupted,
};
[[nodiscard]] const char* tune_stop_text(TuneStop stop);

struct TuneLimits {
    int trials = 0;             // in all of a task's records, those of earlier runs too; 0: any
    double seconds = 0;         // of this run; 0: any
    double target_seconds = 0;  // of the pipeline; 0: none
    int stagnation = 0;         // trials without a gain of a hundredth; 0: any
};

struct TuneOptions {
    TuneLimits limits;
    int batch = 16;  // candidates between two rounds of learning
    std::uint64_t seed = 0;
    int finalists = 4;  // timed against each other at the end, beside the start and the last winner
    double final_seconds = 10;        // for all of them
    std::vector<std::string> worker;  // command of a measuring worker
    std::string compiler = "c++";     // links what is compiled ahead of time
    bool one_run = true;  // all is of one run of the records; false: see Tuner::go_on_with()
    /** Asked between candidates and after signals: true ends with what is known by then. */
    std::function<bool()> stop = [] { return false; };
};

/** Where a task stands. */
struct TuneProgress {
    std::string task;
    int trials = 0;  // measured, in all runs
    int this_run = 0;
    int wanted = 0;            // trials; 0: no such limit
    double seconds = 0;        // since this run began
    double limit_seconds = 0;  // 0: none
    double start_seconds = 0;  // of what the search takes without measuring; 0: not known
    double best_seconds = 0;   // 0: nothing was timed
    int best_trial = 0;
    std::map<std::string, int> failures;  // by outcome
};

/** Is told what happens; does nothing by default. */
class TuneListener {
  public:
    virtual ~TuneListener() = default;
    /** For people: what comes next. */
    virtual void phase(const std::string& task, const std::string& text) { (void)task, (void)text; }
    virtual void measured(const Record& record, const TuneProgress& progress) {
        (void)record, (void)progress;
    }
};

}  // namespace nestor
