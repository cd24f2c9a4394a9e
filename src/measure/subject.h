#pragma once
// What a worker measures: the pipeline with its inputs and the result that is right, prepared once;
// and the two things that are done with it in child processes of the worker.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "measure/call.h"
#include "measure/compare.h"
#include "measure/measurement.h"
#include "measure/measurer.h"
#include "measure/options.h"
#include "schedule/schedule.h"

namespace nestor {

class JitProgram;

class Subject {
  public:
    /** Reads the pipeline, makes the inputs (with a runner: only those that come from files), loads
     * the libraries. Compiles and runs nothing: no thread is started, so that this process can be
     * forked. */
    static Result<Subject> create(const MeasureOptions& options);

    /** Runs that in a child process; why it failed, empty: it did not. */
    using RunApart = std::function<std::string(const std::function<Status()>&)>;
    /** Gets the result that candidates are compared with. */
    Status find_reference(const RunApart& run_apart);
    /** In words, what that result is of; empty: there is none. */
    [[nodiscard]] const std::string& verified_against() const { return verified_against_; }

    /** Ways to get the right result. */
    enum class Reference {
        Unscheduled,  // as it is; what is called very often at root
        AtRoot,       // every function at root: needs fewer operations, and memory for all
    };
    /** In the order in which they should be tried: a reduction that has no place is computed anew
     * for each point that reads it, which for scans takes for ever. */
    [[nodiscard]] std::array<Reference, 2> references() const;
    [[nodiscard]] static const char* reference_text(Reference reference);

    /** Names of extern functions that no library defines: nothing can be run without them. */
    [[nodiscard]] const std::vector<std::string>& missing_externs() const { return missing_; }

    /** For a child: applies, compiles, runs, compares, times. */
    [[nodiscard]] Measurement measure(const Candidate& candidate,
                                      const MeasureProgress& progress) const;
    /** For a child: what others are timed in turns with; see Measurer::be_anchor(). */
    [[nodiscard]] Error be_anchor(const Candidate& candidate, const AnchorLink& link) const;

    [[nodiscard]] const Halide::Target& target() const { return target_; }
    [[nodiscard]] const MeasureOptions& options() const { return options_; }
    [[nodiscard]] const CallShape& shape() const { return shape_; }
    [[nodiscard]] const Memories& inputs() const { return inputs_; }
    /** A copy of the pipeline that computes the right result in that way. */
    [[nodiscard]] Halide::Pipeline reference_pipeline(Reference reference) const;
    /** A copy with a candidate's schedule, which is written to `schedule`; for runs at the
     * estimates. */
    [[nodiscard]] Result<Halide::Pipeline> scheduled(const Candidate& candidate,
                                                     Schedule& schedule) const;
    [[nodiscard]] RoundingFacts rounding(const Schedule& schedule) const {
        return rounding_facts(dag_, schedule, pipeline_, target_);
    }
    /** How outputs of a schedule differ from the right ones; empty: no more than they may. */
    [[nodiscard]] std::string wrong(const Memories& outputs, const Schedule& schedule) const;

  private:
    explicit Subject(const MeasureOptions& options) : options_(options) {}

    // For a child: into memory that the parent shares.
    [[nodiscard]] Status compute_reference(Reference reference) const;
    // Where a rounding may tip the result over, a second one that is right and rounded differently,
    // and from it how many elements may be exceptions (compare.h).
    [[nodiscard]] Status compute_again() const;
    void learn_exceptions();

    // Its libraries, then its schedule; why not is said by `failure` and the Error.
    [[nodiscard]] static Status load_libraries(const Candidate& candidate);
    [[nodiscard]] Result<JitProgram> compile(const Candidate& candidate, Schedule& schedule,
                                             Outcome& failure) const;
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
