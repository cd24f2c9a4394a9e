#pragma once
// Tunes one pipeline by measuring: asks for candidates, has them measured, keeps every result.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "halide/verify.h"
#include "measure/pool.h"
#include "records/store.h"
#include "tune/proposer.h"
#include "tune/task.h"
#include "tune/trials.h"

namespace nestor {

/**
 * One task in one run of a tuner. Everything that is measured is in the store before the next
 * candidate begins, so that a run that ends at any moment is gone on from by another one of the
 * same task; schedules that were measured are not measured again.
 */
class Tuner {
  public:
    /** Reads the pipeline, starts a worker, and takes over what the store has of this task.
     * `folder` is for files, the tuner's alone. Keeps references to store and listener. */
    static Result<std::unique_ptr<Tuner>> create(TuneTask task, const TuneOptions& options,
                                                 RecordStore& store, TuneListener& listener,
                                                 const std::string& folder);

    /** Measures one batch: what the search proposes in the first, then what was learned to be
     * promising. False: nothing is left to try. */
    Result<bool> step();

    /** The parts of a step, for those that choose themselves (autotune_loop.h): what is measured
     * from now on is of that run of the store. */
    void go_on_with(std::int64_t run) { run_ = run; }
    /** Predicts by these weights from now on. */
    void use_weights(Correction weights);
    [[nodiscard]] Proposer& proposer() { return *proposer_; }
    /** What the search finds, best first: at most so many. Where the best reads too much behind
     * clamps at constants, as the plug-in would find out, these and all that is proposed later have
     * guards there. */
    [[nodiscard]] std::vector<Proposal> first(int count);
    /** Measures them, and makes sure that the fastest trial is right at other sizes. */
    Status try_out(const std::vector<Proposal>& proposals);
    /** The first of them alone, then the others, which are measured in the order that they are
     * built in. */
    Status try_out_after_first(std::vector<Proposal> proposals);

    /** Why it need not go on; nothing: it should. */
    [[nodiscard]] std::optional<TuneStop> should_stop() const;

    /** Compiles the finalists ahead of time, verifies them, and times them in turns (not if it was
     * interrupted). Yields the best record of the task; nothing if no candidate was timed. */
    Result<std::optional<Record>> finish(TuneStop stop);

    [[nodiscard]] const TuningTask& key() const { return key_; }
    [[nodiscard]] const PipelineDag& dag() const { return dag_; }
    [[nodiscard]] const TuneTask& task() const { return task_; }
    [[nodiscard]] const Trials& trials() const { return trials_; }
    [[nodiscard]] TuneProgress progress() const;

  private:
    Tuner(TuneTask task, const TuneOptions& options, RecordStore& store, TuneListener& listener,
          std::string folder);
    Status prepare();
    /** Names the task by what it is measured on, and keeps its pipeline. */
    Status set_key(const MachineState& machine);
    Status resume();
    void choose_anchor();
    Status measure(const std::vector<Proposal>& proposals);
    void keep(const Proposal& proposal, const Measurement& measurement, Status& problem);
    Status check_best();
    Status time_finalists();
    [[nodiscard]] std::vector<int> finalists();
    void learn_of_final(std::uint64_t schedule, double seconds);
    [[nodiscard]] std::vector<Measurement> measure_finalists(
        const std::vector<Schedule>& finalists) const;
    /** Lowers, and passes its checks at other sizes, too; in a child. */
    [[nodiscard]] bool is_verified(const Schedule& schedule);
    [[nodiscard]] double seconds_of_finals() const;
    [[nodiscard]] Record blank_record(const Proposal& proposal) const;

    TuneTask task_;
    TuneOptions options_;
    RecordStore& store_;
    TuneListener& listener_;
    std::string folder_;
    double start_;  // steady_seconds()
    PipelineDag dag_;
    TuningTask key_;
    std::optional<Verifier> verifier_;
    std::unique_ptr<MeasurePool> pool_;
    std::unique_ptr<Proposer> proposer_;
    Trials trials_;
    int resumed_ = 0;            // trials of earlier runs
    double start_seconds_ = 0;   // of the first trial; of its last final if there was one
    double anchor_seconds_ = 0;  // of what candidates are timed beside; 0: of nothing yet
    std::int64_t run_ = 0;
    std::string halide_;                             // its version
    std::map<std::uint64_t, std::string> verified_;  // by schedule: what is wrong; empty: nothing
};

}  // namespace nestor
