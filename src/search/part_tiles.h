#pragma once
// Register tiles of sums whose parts are side by side in a vector: g(x, y) += a(k, x) * b(k, y),
// both contiguous along k. Each vector that is loaded is used for a row or a column of the tile,
// and neither factor has to be copied across. (What K. Goto, R. van de Geijn, "Anatomy of
// high-performance matrix multiplication", 2008, section 4.2, says of tiles of single sums.)

#include <functional>

#include "search/plan.h"

namespace nestor {

/** Calls visit(changed plan) for tiles of several shapes, as far as the machine's registers go, the
 * best first: the one with the fewest loads. `parts`: a function with a reduction, of which an
 * update of its only consumer adds up the points along some dimensions (as rfactor makes them); for
 * others, nothing. The parts are computed in the loops of what reads the sum point by point, or, if
 * there is nothing, in those of the sum. */
void for_each_part_tile(const PipelineDag& dag, const Machine& machine, const Plan& plan, int parts,
                        const std::function<void(const Plan&)>& visit);

}  // namespace nestor
