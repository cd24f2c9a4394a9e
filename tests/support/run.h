// The differential harness: a scheduled pipeline must compute what the unscheduled one does, at
// every size that the unscheduled one accepts, from the same inputs, and touch nothing else.
//
//     Reference reference(pipeline, seed);            // compiles and runs the unscheduled pipeline
//     CheckReport report = check_schedule(reference, [](Halide::Pipeline &p) { ...schedule p... });
//     EXPECT_TRUE(report.ok()) << report.failure;
//
// What is caught: wrong results; inputs required beyond what the unscheduled pipeline requires;
// writes outside the outputs or to the inputs; reads of the guards or of uninitialised memory that
// reach a result; parallel loops that depend on their order; allocations overrun or leaked;
// directives or run-time checks that refuse. Failures are data: nothing here throws, and
// check_isolated also survives crashes and hangs of the generated code.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness_context.h"
#include "inlining.h"
#include "padded_buffer.h"
#include "pipelines.h"

namespace nestor::testing {

/// One realisation: a region for each output, and which of the scalars' values to use.
struct RunCase {
    std::string label;
    std::vector<Box> outputs;
    size_t scalar_variant = 0;
};

/// The sizes that every pipeline is tried at: its estimates, one off them (all dimensions, then
/// each), half, tiny (1, 2, 3 and mixed), all with the minima of the estimates; the first output
/// and the last, if there are several, with the others at a third; then the estimates with the
/// other values of the scalars. Duplicates are left out.
std::vector<RunCase> run_cases(const BuiltPipeline& built);

/// Runs `work` and hands back the text of whatever it throws, or nothing. (Halide::Error is not a
/// std::exception: `catch (const std::exception &)` alone lets it end the process.)
std::string error_of(const std::function<void()>& work);

/// Schedules the pipeline in place. May throw; that is a failure of the schedule.
using ApplySchedule = std::function<void(Halide::Pipeline&)>;

/// The unscheduled pipeline's inputs and results at each legal case. Expensive (one JIT
/// compilation): make one, and check many schedules with it.
class Reference {
  public:
    struct Case {
        RunCase run;
        std::vector<std::unique_ptr<PaddedBuffer>> inputs;   // by position in BuiltPipeline::inputs
        std::vector<std::unique_ptr<PaddedBuffer>> outputs;  // one for each tuple element
    };

    Reference(TestPipeline test, uint64_t seed);

    const TestPipeline& test() const { return test_; }
    uint64_t seed() const { return seed_; }
    /// Why there is no reference: the unscheduled pipeline does not build, or refuses its
    /// estimates.
    const std::string& error() const { return error_; }
    const std::vector<Case>& cases() const { return cases_; }
    /// Sizes that the unscheduled pipeline refuses, with its reasons.
    const std::vector<std::string>& refused() const { return refused_; }

  private:
    void run_all();
    /// Adds the case if the pipeline accepts it; the answer is the damage it did, if any.
    std::string run_case(BuiltPipeline& built, BuiltPipeline* inlined, RunCase run);
    std::unique_ptr<BuiltPipeline> build_inlined() const;

    TestPipeline test_;
    uint64_t seed_;
    std::string error_;
    std::vector<Case> cases_;
    std::vector<std::string> refused_;
};

struct CheckOptions {
    bool threads = true;    ///< run with Halide's thread pool
    bool backwards = true;  ///< run again, backwards in one thread, with allocations of garbage
    /// Labels of cases to run; empty means all.
    std::vector<std::string> only_cases{};
};

struct CheckReport {
    std::string failure;  ///< empty if the schedule is right; else what was wrong, where, and how
    int cases = 0;        ///< run and found right
    double compile_seconds = 0;
    double run_seconds = 0;

    bool ok() const { return failure.empty(); }
};

CheckReport check_schedule(const Reference& reference, const ApplySchedule& apply,
                           const CheckOptions& options = {});

/// The same in a child process, reference and all: a crash or a hang is a failure like any other.
CheckReport check_isolated(const TestPipeline& test, uint64_t seed, const ApplySchedule& apply,
                           const CheckOptions& options = {}, double limit_seconds = 120);

/// Schedules a fresh copy and lowers it without running it: all that can be done for pipelines
/// with Expectations::run false. The answer is the error, empty if there was none.
std::string check_lowers(const TestPipeline& test, const ApplySchedule& apply);

/// The schedule that the reference runs with: as written, or all at root.
ApplySchedule reference_schedule(const TestPipeline& test);

}  // namespace nestor::testing
