#pragma once
// The region of each function that the outputs need at the estimates.

#include <map>
#include <string>
#include <vector>

#include "halide/estimates.h"
#include "halide/parts.h"

namespace nestor {

/** By function name. From consumers to producers by Halide's own interval analysis, with numbers in
 * place of sizes; never too small on affine and clamped accesses. Where it finds no bound (a
 * data-dependent index) the whole range that the index's type or the source's estimate allows is
 * taken. Includes what a function's own updates read and write. */
[[nodiscard]] std::map<std::string, std::vector<Range>> regions_at_estimates(
    const PipelineParts& parts, const Estimates& estimates);

}  // namespace nestor
