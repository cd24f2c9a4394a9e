#pragma once
// What a worker measures: the pipeline with its inputs and the result that is right, prepared once;
// and the two things that are done with it in child processes of the worker.

#include <functional>
#include <string>

#include "measure/call.h"
#include "measure/measurement.h"
#include "measure/options.h"
#include "schedule/schedule.h"

namespace nestor {

class Subject {
  public:
    /** Reads the pipeline, makes the inputs, loads the libraries. Compiles and runs nothing: no
     * thread is started, so that this process can be forked. */
    static Result<Subject> create(const MeasureOptions& options);

    /** Ways to get the right result, in order of preference. */
    enum class Reference {
        Unscheduled,  // as it is; what is called very often at root
        AtRoot,       // every function at root: needs fewer operations, and memory for all
    };
    [[nodiscard]] static const char* reference_text(Reference reference);

    /** For a child: computes the result that candidates are compared with, into memory that the
     * parent shares. */
    [[nodiscard]] Status compute_reference(Reference reference) const;
    /** For the parent: it worked. */
    void set_reference(Reference reference) { verified_against_ = reference_text(reference); }

    /** Names of extern functions that no library defines: nothing can be run without them. */
    [[nodiscard]] const std::vector<std::string>& missing_externs() const { return missing_; }

    /** What a child tells its parent on the way. */
    struct Progress {
        std::function<void()> built;          // from now on the pipeline's own code runs
        std::function<void()> wait_for_turn;  // returns when nothing else runs on the machine
    };
    /** For a child: applies, compiles, runs, compares, times. */
    [[nodiscard]] Measurement measure(const Candidate& candidate, const Progress& progress) const;

    [[nodiscard]] const MeasureOptions& options() const { return options_; }

  private:
    explicit Subject(const MeasureOptions& options) : options_(options) {}

    [[nodiscard]] Result<Halide::Pipeline> scheduled(const Candidate& candidate,
                                                     Schedule& schedule) const;
    [[nodiscard]] Measurement lowered_only(const Candidate& candidate) const;
    [[nodiscard]] std::string wrong(const Memories& outputs, const Schedule& schedule) const;

    MeasureOptions options_;
    Halide::Target target_;
    Halide::Pipeline pipeline_;
    PipelineDag dag_;
    CallShape shape_;
    Memories inputs_;
    Memories expected_;
    std::vector<std::string> missing_;
    std::string verified_against_;
};

}  // namespace nestor
