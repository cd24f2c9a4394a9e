#pragma once
// Nests for small sizes, in which nothing slides.

#include "schedule/placement.h"

namespace nestor {

/** Leaves one block in each loop of an output's first stage along which something may slide, if
 * blocks or tiles have guards there; where no loop is around the blocks, they become single points,
 * which need no guard. Under a guard a window does not move one way, since blocks beyond the end
 * ask for nothing: Halide keeps all that it passes, and an explicit fold, which all nests have in
 * common, fails (halide_error_bad_fold). And small outputs make more tasks without tiles. Tiles stay
 * for which something is computed as a whole. `nest` has the loops of the one that runs at the
 * estimates, and is another one. */
void leave_single_blocks(const Placement& placement, int output, LoopNest& nest);

}  // namespace nestor
