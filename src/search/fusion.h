#pragma once
// Fused schedules: producers computed inside of the tiles of their last consumer.

#include "machine/machine.h"
#include "schedule/schedule.h"
#include "search/nests.h"

namespace nestor {

struct FusionOptions {
    TileShape shape;
    bool slide = false;  // keep producers' rows across the rows of a tile (sliding window)
    double largest_recompute =
        2;  // computed points by needed points, above which a producer goes to root
};

/** Consumers first: a function whose uses all lie in one tile, and which fits there, is computed
 * there; every other one is computed at root, tiled if something is fused into it. */
[[nodiscard]] Schedule fuse(const PipelineDag& dag, const std::vector<bool>& inlined,
                            const Machine& machine, const FusionOptions& options);

/** Everything that is not inlined at root. */
[[nodiscard]] Schedule all_at_root(const PipelineDag& dag, const std::vector<bool>& inlined,
                                   const Machine& machine);

}  // namespace nestor
