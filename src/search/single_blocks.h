#pragma once
// Nests for small sizes, in which nothing slides.

#include "schedule/schedule.h"

namespace nestor {

/** The same with one block in each loop along which something may slide, in nests that do not run
 * at the estimates and have guards there; where no loop is around the blocks, they become single
 * points, which need no guard. Under a guard a window does not move one way, since blocks beyond
 * the end ask for nothing: Halide keeps all that it passes, and an explicit fold, which all nests
 * of a function have in common, fails (halide_error_bad_fold). And small outputs make more tasks
 * without tiles. Tiles stay where what is computed for them as a whole would be computed again and
 * again (a reduction over a neighbourhood, the levels of a pyramid). */
[[nodiscard]] Schedule with_single_blocks(const PipelineDag& dag, Schedule schedule);

}  // namespace nestor
