#pragma once
// A way of measuring candidates of one pipeline: in forks of the worker (local_measurer.h), or by
// benchmark binaries that a runner's command starts (remote_measurer.h).

#include <functional>
#include <memory>
#include <string>

#include "measure/candidate_timing.h"
#include "measure/measurement.h"
#include "measure/options.h"

namespace nestor {

/** What the child that measures a candidate tells its parent on the way. */
struct MeasureProgress {
    std::function<void()> built;          // from now on the pipeline's own code runs
    std::function<void()> wait_for_turn;  // returns when nothing else runs
    AnchorSamples anchor = {};            // NOLINT(readability-redundant-member-init)
};

/** What the child that is the anchor is asked, and says. */
struct AnchorLink {
    std::function<void()> built;       // as in MeasureProgress
    std::function<int()> wait;         // for the next sample: of so many runs
    std::function<void(double)> tell;  // the seconds of one
};

class Measurer {
  public:
    virtual ~Measurer() = default;

    /** Once: finds the result that candidates are compared with, in child processes. The Error says
     * why nothing can be measured. */
    [[nodiscard]] virtual Status prepare() = 0;

    /** The rest holds once prepared. */
    [[nodiscard]] virtual const MachineState& machine() const = 0;
    /** What results are compared with; empty: nothing can be run. */
    [[nodiscard]] virtual std::string verified_against() const = 0;
    /** Of the reference kernel, on that machine, before anything else. */
    [[nodiscard]] virtual double reference_kernel_seconds() const = 0;
    /** Limit of what comes after wait_for_turn(). */
    [[nodiscard]] virtual double turn_seconds() const = 0;

    /** For a child: builds, runs, compares, times. Its drift is the reference kernel's seconds. */
    [[nodiscard]] virtual Measurement measure(const Candidate& candidate,
                                              const MeasureProgress& progress) const = 0;

    /** Whether measure() can be beside an anchor. */
    [[nodiscard]] virtual bool has_anchors() const { return false; }
    /** For a child: builds, then takes samples as long as any are asked for. Yields only why it
     * cannot. */
    [[nodiscard]] virtual Error be_anchor(const Candidate& candidate,
                                          const AnchorLink& link) const {
        (void)candidate, (void)link;
        return Error{"nothing can be timed beside another candidate here"};
    }
};

/** The way that the options ask for. */
[[nodiscard]] Result<std::unique_ptr<Measurer>> make_measurer(const MeasureOptions& options);

}  // namespace nestor
