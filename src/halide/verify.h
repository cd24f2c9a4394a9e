#pragma once
// The last check before a schedule is returned: it is lowered once, and the lowered statement's
// bounds queries and run-time checks are evaluated by a small interpreter, at several output sizes.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "halide/check_program.h"
#include "halide/halide.h"
#include "halide/lower.h"
#include "halide/observe.h"

namespace nestor {

/** A size to check at: a region for each output buffer argument and a value for each scalar. */
struct CheckPoint {
    std::string text;  // "the estimates", "one more", "1 in all dimensions"
    std::map<std::string, BufferRegion> outputs;
    std::map<std::string, Halide::Expr> scalars;
};

/** Interprets a lowered statement. With `inputs` empty as a bounds query of the inputs; else as a
 * real call with inputs of these regions, noting which run-time checks fail. */
[[nodiscard]] BoundsQuery query_bounds(const Halide::Internal::Stmt& lowered,
                                       const CheckPoint& point,
                                       const std::map<std::string, BufferRegion>& inputs);

/** The sizes at which schedules are checked: the estimates first, then a little more, a little less
 * and half of them in all dimensions, tiny ones, mixtures, another minimum and other parameters;
 * with the outputs' constraints (fixed bounds and extents) respected. Cheap: a point takes some 20
 * us, lowering 10 to 300 ms. */
[[nodiscard]] std::vector<CheckPoint> check_points(const Halide::Pipeline& pipeline);

/** The unscheduled pipeline's answers, computed once, that every candidate is compared with. */
class Verifier {
  public:
    /** The baseline is the pipeline with its present (the user's) schedule, but with some functions
     * at root where inlining everything would explode. At each check point, what it requires of its
     * inputs is what a careful caller passes. Points where the baseline fails its own checks are
     * dropped. */
    static Result<Verifier> create(const Halide::Pipeline& pipeline, const Halide::Target& target);

    /** Nothing wrong: ok. Else an Error with the size, the buffer and both regions, or the failed
     * check: at some check point the scheduled pipeline, called with exactly what the baseline
     * requires, requires more of an input or output, or a run-time check fails that does not fail
     * in the baseline. `observed`, if it is given, gets what is allocated at the estimates,
     * and the pairs of accesses. */
    [[nodiscard]] Status verify(const Halide::Pipeline& scheduled,
                                Observed* observed = nullptr) const;

    /** Number of calls that verify() tries; at least one. */
    [[nodiscard]] std::size_t calls() const { return baselines_.size(); }

    /** What could not be checked, for people: regions and checks that depend on an extern stage. */
    [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  private:
    struct Baseline {
        std::string point;
        ImaginedCall call;
        BoundsQuery answer;
    };
    explicit Verifier(const Halide::Target& target) : target_(target) {}
    void add_point(const CheckProgram& program, const CheckPoint& point,
                   const CheckPoint& estimates);
    [[nodiscard]] static Status compare(const Baseline& baseline, const BoundsQuery& answer);

    Halide::Target target_;
    std::vector<Baseline> baselines_;
    std::vector<std::string> notes_;
};

}  // namespace nestor
