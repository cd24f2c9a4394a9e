#pragma once
// The unscheduled pipeline in a form that can be lowered.

#include "base/result.h"
#include "halide/halide.h"

namespace nestor {

// All but the last are for a deep copy: they lock its loop levels.

/** More than this take seconds to lower. */
constexpr double kMostInlinedCalls = 1000;

/** Calls that lowering would have to expand in the largest function, with everything inlined that
 * is. */
[[nodiscard]] double inlined_calls(const Halide::Pipeline& pipeline);

/** Which functions of those that have no compute level yet are computed at root. */
enum class Expand {
    SharedFunctions,  // pure ones with several call sites
    AllFunctions,     // extern stages and update definitions, too
};
void compute_inlined_at_root(const Halide::Pipeline& pipeline, Expand which);

/** Vectors along the first dimension for what is at root and has no schedule else. */
void vectorize_at_root(const Halide::Pipeline& pipeline, const Halide::Target& target);

/** No loop is divided where it meets a border. Halide 21 divides some wrongly: in the first rows of
 * what a scan goes on from, it takes min(max(y + 1, 0), last) for 0 (tests/measure/pool_test.cpp).
 */
void never_partition(const Halide::Pipeline& pipeline);

/** The unscheduled pipeline, lowered, with as few functions at root as lets it be lowered in
 * reasonable time. Leaves the pipeline as it is. */
[[nodiscard]] Result<Halide::Internal::Stmt> lower_baseline(const Halide::Pipeline& pipeline,
                                                            const Halide::Target& target);

}  // namespace nestor
