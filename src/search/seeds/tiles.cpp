// Outputs in two-level tiles; producers are computed for each tile. Large tiles recompute less at
// their borders, small ones stay closer to the core.

#include "search/fusion.h"
#include "search/inlining.h"
#include "search/seeds/table.h"

namespace nestor {

namespace {

Schedule tiles(const PipelineDag& dag, const Machine& machine, TileShape shape) {
    FusionOptions options;
    options.shape = shape;
    return fuse(dag, choose_inlined(dag), machine, options);
}

}  // namespace

Schedule small_tiles_seed(const PipelineDag& dag, const Machine& machine) {
    return tiles(dag, machine, {128, 16});
}

Schedule large_tiles_seed(const PipelineDag& dag, const Machine& machine) {
    return tiles(dag, machine, {256, 64});
}

Schedule row_tiles_seed(const PipelineDag& dag, const Machine& machine) {
    return tiles(dag, machine, {0, 8});
}

}  // namespace nestor
