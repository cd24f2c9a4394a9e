#include "search/single_blocks.h"

#include <algorithm>
#include <functional>
#include <set>

#include "schedule/loops.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

bool is_first_stage(const LoopSite& site, int function) {
    return site.function == function && site.stage == 0;
}

// What is computed for a tile would be computed for each of its blocks.
bool has_computed_around(const Placement& placement, int output, LoopRef loop,
                         const LoopNest& nest) {
    return std::ranges::any_of(placement.schedule().functions, [&](const FunctionSchedule& f) {
        const Level& compute = f.compute;
        return compute.kind == Level::Kind::At && is_first_stage(compute.site, output) &&
               position(nest.order, compute.site.loop) > position(nest.order, loop);
    });
}

}  // namespace

void leave_single_blocks(const Placement& placement, int output, LoopNest& nest) {
    std::set<LoopRef, std::greater<>> slid;  // inner levels first
    for (int f = 0; f < std::ssize(placement.graph().functions); f++) {
        if (placement.slides(f)) {
            for (const LoopSite& loop : placement.slid_loops(f)) {
                if (is_first_stage(loop, output)) {
                    slid.insert(loop.loop);
                }
            }
        }
    }
    for (const LoopRef& loop : slid) {
        if (loop.dim >= std::ssize(nest.splits) || (nest.vector && nest.vector->dim == loop.dim)) {
            continue;
        }
        std::vector<Split>& splits = nest.splits[loop.dim];
        if (std::ranges::none_of(splits, [](const Split& split) { return is_guard(split.tail); }) ||
            has_computed_around(placement, output, loop, nest)) {
            continue;
        }
        if (loop.level > 0) {
            const bool has_blocks = loop.level < std::ssize(splits);
            splits[loop.level - 1].factor = has_blocks ? splits[loop.level].factor : 1;
        } else {
            for (Split& split : splits) {
                split.factor = 1;
            }
        }
    }
}

}  // namespace nestor
