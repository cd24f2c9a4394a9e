// Rules on sliding windows: what is stored outside of the loop that computes it keeps what earlier
// iterations made, and Halide computes only what is new.

#include <algorithm>

#include "schedule/loops.h"
#include "schedule/rules/rules.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

bool is_unknown_reduction(const Loop& loop) {
    return loop.is_reduction() && !loop.constant_extent;
}

// Whether a coordinate of the load runs over a reduction loop of unknown extent.
bool runs_over_unknown(const Load& load, const Stage& stage) {
    return std::ranges::any_of(load.coords, [&](const Coordinate& coordinate) {
        for (std::size_t l = 0; l < stage.loops.size(); l++) {
            const bool moves = coordinate.changes_with(static_cast<int>(l));
            if (moves && is_unknown_reduction(stage.loops[l])) {
                return true;
            }
        }
        return false;
    });
}

bool is_read_over_unknown(const RuleContext& c, int function, std::vector<bool>& seen) {
    seen[function] = true;
    return std::ranges::any_of(c.graph.functions[function].consumers, [&](int consumer) {
        const Function& f = c.graph.functions[consumer];
        const bool itself = std::ranges::any_of(f.stages, [&](const Stage& stage) {
            return std::ranges::any_of(stage.loads, [&](const Load& load) {
                return load.source == Source::Function && load.index == function &&
                       runs_over_unknown(load, stage);
            });
        });
        return itself || (c.placement.is_transparent(consumer) && !seen[consumer] &&
                          is_read_over_unknown(c, consumer, seen));
    });
}

// Whether some stage of a function computes points that nobody asked for.
bool computes_beyond(const RuleContext& c, int function) {
    if (!c.schedule.functions[function].region_alignment.empty()) {
        return true;
    }
    for (int s = 0; s < static_cast<int>(c.graph.functions[function].stages.size()); s++) {
        const std::vector<StageDim> dims = c.placement.dims(function, s);
        for (const LoopNest* nest : c.placement.nests(function, s)) {
            for (int d = 0; d < static_cast<int>(dims.size()); d++) {
                if (computes_more(splits_of(*nest, d), dims[d], s)) {
                    return true;
                }
            }
        }
    }
    return false;
}

// Whether another function is computed inside of the loop and stored outside.
bool another_slides(const RuleContext& c, int function, const LoopSite& loop) {
    for (int f = 0; f < c.functions(); f++) {
        if (f == function || !c.placement.slides(f)) {
            continue;
        }
        const std::vector<LoopSite> loops = c.placement.slid_loops(f);
        if (std::ranges::find(loops, loop) != loops.end()) {
            return true;
        }
    }
    return false;
}

bool stands_still(const RuleContext& c, int function, const LoopSite& loop) {
    const Regions& regions = c.bounds.within(loop);
    for (int d = 0; d < c.graph.functions[function].dimensions(); d++) {
        if (regions.touches(Source::Function, function) &&
            regions.advance(Source::Function, function, d) != 0) {
            return false;
        }
    }
    return true;
}

}  // namespace

// Halide 21 computes what is the same in all iterations in the first one only. Where another
// function slides along that loop, the loop begins earlier, to warm it up, and what is only needed
// later is never computed:
//   weights(i) = exp(-i * i); rows(x, y) = in(x - 1, y) + in(x + 1, y)
//   out(x, y) = weights(0) * rows(x, y) + weights(1) * rows(x, y + 1)
// with both computed at yi and stored at y of out, reads garbage for weights.
void check_still_slides(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        if (!c.placement.slides(f)) {
            continue;
        }
        for (const LoopSite& loop : c.placement.slid_loops(f)) {
            if (another_slides(c, f, loop) && stands_still(c, f, loop)) {
                c.broken(f, -1,
                         "is stored outside of a loop along which it stands still and others "
                         "slide");
                break;
            }
        }
    }
}

// Halide 21 gives wrong results where storage outlives the computation of a consumer that computes
// more than it is asked for:
//   consumer.compute_at(out, yi).vectorize(y, 16, RoundUp)
//   producer.compute_at(consumer, x).store_at(out, x)
// of unsharp, found by a random schedule.
void check_slides_through(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        if (!c.placement.slides(f)) {
            continue;
        }
        const Level store = c.placement.store(f);
        for (const LoopSite& site : c.placement.chain(c.schedule.functions[f].compute.site)) {
            if (store.kind == Level::Kind::At && store.site.function == site.function) {
                break;
            }
            if (c.placement.kind(site.function) == Placement::Kind::At &&
                computes_beyond(c, site.function)) {
                c.broken(f, -1,
                         "is stored outside of " + c.name(site.function) +
                             ", in whose loops it is computed and which computes more than is "
                             "needed");
                break;
            }
        }
    }
}

// Halide 21 computes too little where one reader of a sliding function stands still over a range
// whose extent it does not know, and another moves:
//   copy(x, y) = input(x, y); total() += copy(r.x, r.y); out(x, y) = total() + copy(x, y)
// with RDom r(0, width, 0, height) of parameters, and copy.store_root().compute_at(out, y), sums
// garbage.
void check_sliding(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        if (!c.placement.slides(f)) {
            continue;
        }
        std::vector<bool> seen(c.graph.functions.size(), false);
        if (is_read_over_unknown(c, f, seen)) {
            c.broken(f, -1,
                     "is stored outside of the loop that computes it, and read over a "
                     "reduction whose extent is not constant");
        }
    }
}

}  // namespace nestor
