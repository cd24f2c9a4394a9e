#pragma once
// The files of an autotuning loop, by the names that users of Adams2019's loop know:
//
//   updated.weights              what is learned of all samples so far
//   starting.weights             what the first batch began with; never written again
//   best.NAME.schedule.h, .json, .benchmark.txt
//   batch_N_M/used.weights       batch N of set M of generator arguments: the weights at its start
//   batch_N_M/extra_generator_args.txt
//   batch_N_M/K/NAME.schedule.h, .schedule.json, .featurization, .sample; bench.txt
//
// A file is there as a whole or not at all.

#include <string>
#include <vector>

#include "base/result.h"
#include "cost/correction.h"

namespace nestor {

/** What is kept of one sample; an empty text: no such file. */
struct SampleFiles {
    std::string header;         // the schedule as C++
    std::string json;           // the same as JSON
    std::string featurization;  // of a schedule that was measured
    std::string sample;         // likewise, if it has a time
    std::string bench;          // the time, or why there is none
};

class SampleFolder {
  public:
    /** `name` is the pipeline's. */
    SampleFolder(std::string path, std::string name)
        : path_(std::move(path)), name_(std::move(name)) {}
    SampleFolder(const SampleFolder&) = delete;
    SampleFolder& operator=(const SampleFolder&) = delete;
    ~SampleFolder();

    /** Makes the folder, and the two weights files, unless they are there. An Error if another
     * process is at work in it. */
    [[nodiscard]] Status open(const Correction& starting);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string records() const { return path_ + "/records.db"; }
    [[nodiscard]] std::string updated_weights() const { return path_ + "/updated.weights"; }
    [[nodiscard]] std::string best_schedule() const { return best() + ".schedule.h"; }

    /** An Error, with what to do, for weights of another version's features. */
    [[nodiscard]] Result<Correction> read_starting() const;
    [[nodiscard]] Status write_updated(const Correction& weights) const;

    /** Makes the folder of a batch with its weights: a copy of updated.weights, unless it has some
     * already. Yields them. */
    [[nodiscard]] Result<Correction> begin_batch(int batch, int set,
                                                 const std::vector<std::string>& args) const;
    [[nodiscard]] Status write_sample(int batch, int set, int index,
                                      const SampleFiles& files) const;
    /** `of_set`: of that set of arguments alone; -1: of all. */
    [[nodiscard]] Status write_best(int of_set, const SampleFiles& files) const;

    /** The highest number of a batch; 0: none. */
    [[nodiscard]] int last_batch() const;
    /** Paths of all .sample files, of other pipelines too, in order. */
    [[nodiscard]] std::vector<std::string> samples() const;

  private:
    [[nodiscard]] std::string batch_folder(int batch, int set) const;
    [[nodiscard]] std::string best() const { return path_ + "/best." + name_; }
    [[nodiscard]] Result<Correction> read(const std::string& file) const;

    std::string path_;
    std::string name_;
    int lock_ = -1;
};

}  // namespace nestor
