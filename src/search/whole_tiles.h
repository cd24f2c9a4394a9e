#pragma once
// Nests of functions at root for outputs that need whole tiles of them.

#include "dag/pipeline_dag.h"
#include "schedule/legality.h"
#include "schedule/schedule.h"

namespace nestor {

/** The same with a case without guards (add_sizes_of_root) for each function at root that has
 * guards and something computed in its loops: what it reads has no border, so that its last tile
 * may not be moved inwards where the whole picture is smaller. Under the guard nothing that is
 * computed inside has a constant size, and sums are in memory. (The best two of 64 sums of 1,024
 * products for each token, Emerald Rapids: 0.51 of the time.) Unchanged where that is not legal, or
 * more code than `caps` allow. */
[[nodiscard]] Schedule with_whole_tiles(const PipelineDag& dag, Schedule schedule,
                                        const Caps& caps);

}  // namespace nestor
