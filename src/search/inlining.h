#pragma once
// Which functions are cheap enough to be computed again wherever they are used.

#include <vector>

#include "dag/pipeline_dag.h"

namespace nestor {

/** One flag a function. Inlines where recomputing at every use costs no more operations than
 * computing once, storing and loading, and where the expanded definitions stay small. */
[[nodiscard]] std::vector<bool> choose_inlined(const PipelineDag& dag);

/** Inlines all that can be inlined, as long as expanded definitions stay below `largest` nodes. */
[[nodiscard]] std::vector<bool> inline_all(const PipelineDag& dag, double largest);

/** Iterations of a stage at the estimates. */
[[nodiscard]] double iterations(const Stage& stage);

}  // namespace nestor
