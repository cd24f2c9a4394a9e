#pragma once
// Measures candidates by a worker process (measure/worker.h), which it starts, feeds, and replaces
// if it dies.

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/measurement.h"
#include "measure/options.h"

namespace nestor {

class MeasurePool {
  public:
    /** Starts a worker by `command` ("nestor measure-worker") and waits until it has the right
     * result to compare with. An Error says why the pipeline cannot be measured. */
    static Result<std::unique_ptr<MeasurePool>> start(std::vector<std::string> command,
                                                      const MeasureOptions& options);
    ~MeasurePool();
    MeasurePool(const MeasurePool&) = delete;
    MeasurePool& operator=(const MeasurePool&) = delete;

    /** Called for each candidate as soon as it is known, by its index. */
    using Progress = std::function<void(std::size_t, const Measurement&)>;

    /** One measurement for each candidate, in their order. Whatever a candidate does is its
     * measurement; one that was the oldest under way when two workers died is Lost. */
    std::vector<Measurement> measure(std::span<const Candidate> candidates,
                                     const Progress& progress = {});

    /** From now on each candidate is timed in turns with this one, and its seconds are what they
     * would be if this one took `seconds`: so times that were taken while the machine was faster or
     * slower compare. Not with a runner; and where this one cannot be run, candidates are timed by
     * themselves (Measurement::anchor_seconds is 0). */
    void set_anchor(const Candidate& anchor, double seconds);

    /** measure() asks before each candidate, and after a signal, whether to end: what is not
     * settled by then is Lost, and no progress is told about it. */
    void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }

    /** What results are compared with; empty if the pipeline cannot be run. */
    [[nodiscard]] const std::string& verified_against() const { return verified_against_; }
    /** What it measures on. */
    [[nodiscard]] const MachineState& machine() const { return machine_; }
    /** Process id of the present worker. */
    [[nodiscard]] int worker() const;

  private:
    class Worker;
    MeasurePool(std::vector<std::string> command, const MeasureOptions& options);
    Status start_worker();
    [[nodiscard]] bool send_anchor() const;
    /** False if the worker does not listen any more. */
    bool feed(std::span<const Candidate> candidates, std::deque<std::size_t>& waiting,
              std::deque<std::size_t>& sent);

    std::vector<std::string> command_;
    MeasureOptions options_;
    std::function<bool()> stop_;
    Candidate anchor_;
    double anchor_seconds_ = 0;  // 0: there is none
    std::string verified_against_;
    MachineState machine_;
    std::unique_ptr<Worker> worker_;
};

}  // namespace nestor
