#pragma once
// What is searched: the variants of a pipeline, each with the plans that descents begin with.

#include <vector>

#include "search/descent.h"
#include "search/variant.h"

namespace nestor {

struct Space {
    Variant variant;
    std::vector<Start> starts;  // plans of variant.graph()
};

/** The pipeline as it is, then with its long sums in parts, with those that are its outputs in
 * functions of their own, and with copies of what is read across its rows, if it has any, and if
 * `moves` has them. */
[[nodiscard]] std::vector<Space> make_spaces(const PipelineDag& dag, const Machine& machine,
                                             const MoveSet& moves = {});

}  // namespace nestor
