#pragma once
// What a worker measures: the pipeline with its inputs and the result that is right, prepared once;
// and the two things that are done with it in child processes of the worker.

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "measure/call.h"
#include "measure/compare.h"
#include "measure/measurement.h"
#include "measure/measurer.h"
#include "measure/options.h"
#include "schedule/schedule.h"

namespace nestor {

class Subject {
  public:
    /** Reads the pipeline, makes the inputs (with a runner: only those that come from files), loads
     * the libraries. Compiles and runs nothing: no thread is started, so that this process can be
     * forked. */
    static Result<Subject> create(const MeasureOptions& options);

    /** Ways to get the right result. */
    enum class Reference {
        Unscheduled,  // as it is; what is called very often at root
        AtRoot,       // every function at root: needs fewer operations, and memory for all
    };
    /** In the order in which they should be tried: a reduction that has no place is computed anew
     * for each point that reads it, which for scans takes for ever. */
    [[nodiscard]] std::array<Reference, 2> references() const;
    [[nodiscard]] static const char* reference_text(Reference reference);

    /** For a child: computes the result that candidates are compared with, into memory that the
     * parent shares. */
    [[nodiscard]] Status compute_reference(Reference reference) const;
    /** Whether a rounding may tip a result over, so that a second right one is wanted. */
    [[nodiscard]] bool may_tip() const { return !again_.empty(); }
    /** For a child: computes it, rounded differently. */
    [[nodiscard]] Status compute_again() const;
    /** For the parent: it worked. Lets candidates have exceptions (compare.h). */
    void learn_exceptions();
    /** For the parent: it worked. */
    void set_reference(Reference reference) { verified_against_ = reference_text(reference); }

    /** Names of extern functions that no library defines: nothing can be run without them. */
    [[nodiscard]] const std::vector<std::string>& missing_externs() const { return missing_; }

    /** For a child: applies, compiles, runs, compares, times. */
    [[nodiscard]] Measurement measure(const Candidate& candidate,
                                      const MeasureProgress& progress) const;

    [[nodiscard]] const Halide::Target& target() const { return target_; }
    [[nodiscard]] const MeasureOptions& options() const { return options_; }
    [[nodiscard]] const CallShape& shape() const { return shape_; }
    [[nodiscard]] const Memories& inputs() const { return inputs_; }
    /** A copy of the pipeline that computes the right result in that way. */
    [[nodiscard]] Halide::Pipeline reference_pipeline(Reference reference) const;
    /** A copy with a candidate's schedule, which is written to `schedule`. */
    [[nodiscard]] Result<Halide::Pipeline> scheduled(const Candidate& candidate,
                                                     Schedule& schedule) const;
    [[nodiscard]] RoundingFacts rounding(const Schedule& schedule) const {
        return rounding_facts(dag_, schedule, pipeline_, target_);
    }
    /** How outputs of a schedule differ from the right ones; empty: no more than they may. */
    [[nodiscard]] std::string wrong(const Memories& outputs, const Schedule& schedule) const;

  private:
    explicit Subject(const MeasureOptions& options) : options_(options) {}

    [[nodiscard]] Measurement lowered_only(const Candidate& candidate) const;

    MeasureOptions options_;
    Halide::Target target_;
    Halide::Pipeline pipeline_;
    PipelineDag dag_;
    CallShape shape_;
    Memories inputs_;
    Memories expected_;
    Memories again_;                                  // if roundings may tip it over
    std::map<std::string, std::int64_t> exceptions_;  // by output
    std::vector<std::string> missing_;
    std::string verified_against_;
};

}  // namespace nestor
