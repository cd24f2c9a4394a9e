#pragma once
// Definitions that read and store point by point.

#include <optional>
#include <vector>

#include "dag/pipeline_dag.h"

namespace nestor {

/** Where a function is read, point by point. */
struct Reading {
    int reader = -1;         // see sole_reading(); otherwise, the asking side knows
    int stage = 0;           // of its reader
    std::vector<int> loops;  // of that stage, along each dimension of what is read
};

/** Nothing if not exactly one definition of `reader` reads the function, or one with a reduction,
 * or not exactly one point of it in each of its own. `read`: the function's index; `dimensions`:
 * its own. */
[[nodiscard]] std::optional<Reading> pointwise_reading(const Function& reader, int read,
                                                       int dimensions);

/** By the only consumer of a function; nothing if it has several. */
[[nodiscard]] std::optional<Reading> sole_reading(const PipelineDag& dag, int function);

/** The same by a definition with a reduction, each step of which reads one point. */
[[nodiscard]] std::optional<Reading> sole_sum(const PipelineDag& dag, int function);

/** Whether a definition stores at the function's own variables, f(x, y), each of which is a loop of
 * its own; all other loops are of a reduction. */
[[nodiscard]] bool stores_at_its_variables(const Function& f, const Stage& stage);

}  // namespace nestor
