#pragma once
// Steps of a reduction that run in one vector and are summed there (LoopNest::dot).

#include <vector>

#include "dag/pipeline_dag.h"
#include "machine/machine.h"

namespace nestor {

/** What an update does for so many steps of all sums of a vector. */
struct DotWork {
    ElementType type = ElementType::Int16;  // of what is multiplied
    OpCounts ops;                           // instructions on all steps
    double elements = 1;                    // of a sum, that each of these works on
    bool widens = false;                    // bytes are made 16-bit numbers first
};

/** As Halide 21 compiles it: four products of bytes in one instruction where the machine has one
 * for their signs, else pairs of 16-bit products; anything else one step after the other. */
[[nodiscard]] DotWork dot_work(const Machine& machine, const Stage& stage, int steps);

/** Steps that are worth it, the most first; none if the update sums no products of narrow integers.
 */
[[nodiscard]] std::vector<int> dot_steps(const Machine& machine, const Stage& stage);

}  // namespace nestor
