#pragma once
// What Halide's Stage::rfactor makes of a stage: two functions' loops and loads.

#include <cstddef>
#include <vector>

#include "dag/pipeline_dag.h"
#include "schedule/schedule.h"

namespace nestor {

/** Loads of all values of a function, one a tuple element, at the coordinates of the first `rank`
 * loops. */
[[nodiscard]] std::vector<Load> pointwise_loads(int function, int values, std::size_t rank);

/** The intermediate function, which computes the partial results. */
[[nodiscard]] Function rfactor_intermediate(const Function& parent, const Derivation& derivation);

/** The parent's stage afterwards, which merges the partial results of function `intermediate`. */
[[nodiscard]] Stage rfactor_merge(const Function& parent, const Derivation& derivation,
                                  int intermediate, const Function& made);

}  // namespace nestor
