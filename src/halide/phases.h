#pragma once
// Where a definition repeats along its dimensions (see nestor::Phase).

#include <vector>

#include "dag/pipeline_dag.h"
#include "halide/estimates.h"
#include "halide/halide.h"

namespace nestor {

/** At most three, with at most 32 combinations of points. `constant`: for each loop, whether it
 * runs over the same range at any size. Expressions without lets. */
[[nodiscard]] std::vector<Phase> find_phases(const Estimates& estimates,
                                             const std::vector<Halide::Expr>& values,
                                             const std::vector<Loop>& loops,
                                             const std::vector<bool>& constant);

/** The expressions at each combination of points of these phases, simplified. */
[[nodiscard]] std::vector<std::vector<Halide::Expr>> in_phases(
    const std::vector<Halide::Expr>& values, const std::vector<Loop>& loops,
    const std::vector<Phase>& phases);

}  // namespace nestor
