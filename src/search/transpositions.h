#pragma once
// Transposition through tiles: what is made along one dimension and read along another goes through
// square blocks, loaded one way and stored the other, which take shuffles of registers instead of
// an access for each element. (The blocks of R. Barik et al. or of any matrix transposition; how
// Halide and LLVM make shuffles of them: docs/search.md.)

#include <functional>
#include <optional>

#include "search/plan.h"
#include "search/variant.h"

namespace nestor {

/** The pipeline with a copy (`in()`) of each function that has updates wherever a definition reads
 * it point by point and across its rows; none if there is no such definition. A function without
 * updates needs no copy: it can be computed in the blocks itself. */
[[nodiscard]] std::optional<Variant> transposed_copies(const PipelineDag& dag);

/** Calls visit(changed plan) with blocks of several shapes for a function of one definition that
 * loads along another dimension than its only reader has its vectors, which reads it point by
 * point: it is computed for each block of the reader. */
void for_each_transposition(const PipelineDag& graph, const Machine& machine, const Plan& plan,
                            int function, const std::function<void(const Plan&)>& visit);

/** Has all of the graph's such functions computed in blocks of the first shape. */
void place_transpositions(const PipelineDag& graph, const Machine& machine, Plan& plan);

}  // namespace nestor
