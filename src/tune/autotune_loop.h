#pragma once
// The loop of Adams2019's autotuning: batches of sampled schedules, measured, learned from.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "records/store.h"
#include "tune/sample_folder.h"
#include "tune/tuner.h"

namespace nestor {

/** A set of generator arguments: a pipeline of its own. */
struct AutotuneSet {
    std::vector<std::string> args;  // for people
    TuneTask task;
    /** The schedule as a file in C++, as a generator emits it. */
    std::function<Result<std::string>(const PipelineDag& dag, const Schedule& schedule)> header;
};

struct AutotuneOptions {
    int batch_size = 32;  // schedules in a batch of a set
    int batches = 100;    // in this run of the loop; one that was left unfinished counts
    TuneOptions tune;     // seed, worker and stop
    /** Is told a line for people now and then. */
    std::function<void(const std::string& line)> tell = [](const std::string&) {};
};

/**
 * For each batch, of each set:
 *
 * 1. propose: the search's own choice under the present weights (in the first batch: what the
 *    pipeline gets untuned), then what the search finds with parts of the space left out at random,
 *    and from the second batch on for half of them changes of the fastest schedules so far;
 * 2. measure them: compiled side by side, verified, timed one after the other;
 * 3. write the files of each (SampleFolder), made of the records;
 * 4. learn: weights are fitted anew to all samples, on top of the starting weights;
 * 5. write the fastest schedule.
 *
 * A batch of a set is a run of the records file, which ends with the last step. What is killed goes
 * on from there: measurements are kept one by one, and the other steps can be repeated.
 */
class AutotuneLoop {
  public:
    /** Reads the pipelines and starts their workers. Keeps references to the first three; `scratch`
     * is a folder for files. */
    static Result<std::unique_ptr<AutotuneLoop>> create(const AutotuneOptions& options,
                                                        const SampleFolder& folder,
                                                        RecordStore& store, std::string name,
                                                        std::vector<AutotuneSet> sets,
                                                        const std::string& scratch);

    enum class End { Batches, Exhausted, Interrupted };
    Result<End> run();

    /** Of the fastest schedule; 0: none was timed. */
    [[nodiscard]] double best_seconds() const;
    /** Of the first that was timed: the search's own choice. */
    [[nodiscard]] double first_seconds() const;

  private:
    struct Set {
        AutotuneSet given;
        std::unique_ptr<Tuner> tuner;
    };
    /** A batch of a set, as the store has it. */
    struct Batch {
        std::int64_t run = 0;
        int number = 0;
        bool ended = false;
    };

    AutotuneLoop(const AutotuneOptions& options, const SampleFolder& folder, RecordStore& store,
                 std::string name)
        : options_(options), folder_(folder), store_(store), name_(std::move(name)) {}

    [[nodiscard]] Result<std::vector<Batch>> batches(int set) const;
    [[nodiscard]] Result<int> first_batch() const;
    /** Yields whether anything was measured. */
    Result<bool> run_batch(int number, int set);
    Result<Batch> begin(int number, int set);
    Status measure(const Batch& batch, int set, int known);
    [[nodiscard]] std::vector<Proposal> propose(const Batch& batch, int set, int known);
    /** One of each schedule in the order of measuring, with its last outcome. */
    [[nodiscard]] Result<std::vector<Record>> measured(const Batch& batch, int set) const;
    Status write(const Batch& batch, int set, const std::vector<Record>& records) const;
    Status write_best() const;
    Status learn() const;
    [[nodiscard]] Result<SampleFiles> best_files(int set) const;
    void report(const Batch& batch, int set, const std::vector<Record>& records) const;

    const AutotuneOptions& options_;
    const SampleFolder& folder_;
    RecordStore& store_;
    std::string name_;
    std::vector<Set> sets_;
    TuneListener silent_;
};

}  // namespace nestor
