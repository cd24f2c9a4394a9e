// Rules on what is read: a schedule must not need more of an input than the algorithm does. Only
// lowering tells for certain (halide/verify); these refuse all that may, for searches, which would
// otherwise propose much that is refused at the end. With Caps::careful_reads only.

#include <algorithm>
#include <cmath>

#include "schedule/assumed.h"
#include "schedule/enough_points.h"
#include "schedule/loops.h"
#include "schedule/rules/rules.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

bool has_vector_along(const RuleContext& c, int function, int dim) {
    for (const Stage& stage : c.graph.functions[function].stages) {
        for (const LoopNest* nest : c.placement.nests(function, stage.index)) {
            if (nest->vector && !stage.loops[nest->vector->dim].is_reduction() &&
                stage.loops[nest->vector->dim].position == dim) {
                return true;
            }
        }
    }
    return false;
}

// Visits the loops along which functions slide, until one breaks a rule.
template <class Breaks>
void find_slide(const RuleContext& c, const Breaks& breaks) {
    for (int f = 0; f < c.functions(); f++) {
        if (!c.placement.slides(f)) {
            continue;
        }
        for (const LoopSite& loop : c.placement.slid_loops(f)) {
            if (breaks(f, loop, c.bounds.within(loop))) {
                return;
            }
        }
    }
}

// Whether such a nest of a stage runs only where assumptions hold, for all of them at once.
bool is_of_known_size(const RuleContext& c, int function, int stage, const LoopNest& nest) {
    const Specialization* const mine = c.case_of(function, stage, nest);
    return mine != nullptr && needs_assumptions(c.dag, function, *mine) &&
           is_whole_along_assumed(c.placement, function);
}

// Whether a dimension is computed for no more points than are needed wherever the nest runs, since
// its size is known there.
bool comes_out_even(const RuleContext& c, int function, int stage, const LoopNest& nest, int dim,
                    StageDim size) {
    const Function& f = c.graph.functions[function];
    size.constant_extent = true;
    return is_assumed(f, f.stages[stage].loops[dim]) &&
           !computes_more(nest.splits[dim], size, stage) &&
           is_of_known_size(c, function, stage, nest);
}

// Whether such a nest of what is at root runs only where at least one whole tile along a loop is
// needed, and its last one is moved inwards.
bool has_whole_tiles(const RuleContext& c, int function, int stage, const LoopNest& nest, int loop,
                     const StageDim& size) {
    const Specialization* const mine = c.case_of(function, stage, nest);
    std::vector<Split> inside = splits_of(nest, loop);
    if (mine == nullptr || inside.empty() || inside[0].tail != Tail::ShiftInwards ||
        c.placement.kind(function) != Placement::Kind::Root) {
        return false;
    }
    StageDim tile = size;
    tile.extent = inside[0].factor;
    tile.constant_extent = true;
    inside.erase(inside.begin());
    const auto enough =
        enough_for(c.graph, function,
                   c.graph.functions[function].stages[stage].loops[loop].position, tile.extent);
    return enough && !computes_more(inside, tile, stage) &&
           std::ranges::any_of(mine->when, [&](ExtentCondition each) {
               each.output = each.output_for(function);
               return each.implies(*enough);
           });
}

}  // namespace

// Tails that are not guarded compute points beyond what is needed, and so does what is aligned.
void check_careful_tails(const RuleContext& c, const Reach& reach) {
    for (int f = 0; f < c.functions(); f++) {
        for (const Alignment& a : c.schedule.functions[f].region_alignment) {
            if (reach.beyond(f, a.dim)) {
                c.broken(f, -1,
                         "is aligned along " + c.graph.functions[f].args[a.dim] +
                             " and may read beyond an input");
            }
        }
    }
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& dims) {
        if (c.graph.functions[f].is_output) {
            return;  // its tails stay within what the caller asks for (check_tails)
        }
        for (int d = 0; d < static_cast<int>(nest.splits.size()); d++) {
            const Loop& loop = c.graph.functions[f].stages[s].loops[d];
            if (!loop.is_reduction() && reach.beyond(f, loop.position) &&
                computes_more(nest.splits[d], dims[d], s) &&
                !comes_out_even(c, f, s, nest, d, dims[d]) &&
                !has_whole_tiles(c, f, s, nest, d, dims[d])) {
                c.broken(f, s,
                         "has a tail along " + dims[d].label + " that may read beyond an input");
            }
        }
    });
}

// Halide folds no storage along a dimension in which vectors lie, and warns.
void check_folds(const RuleContext& c) {
    find_slide(c, [&](int f, const LoopSite& loop, const Regions& regions) {
        const LoopNest& around = c.placement.running_nest(loop.function, loop.stage);
        for (int d = 0; d < c.graph.functions[f].dimensions(); d++) {
            if (!regions.touches(Source::Function, f) ||
                regions.advance(Source::Function, f, d) == 0) {
                continue;
            }
            const bool read_in_vectors =
                around.vector &&
                regions.span(Source::Function, f, d).rates[around.vector->dim] != 0;
            if (read_in_vectors || has_vector_along(c, f, d)) {
                c.broken(f, -1, "slides along a dimension in which vectors lie");
                return true;
            }
        }
        return false;
    });
}

// A sliding window's warm-up begins the loop earlier, by whole steps, and what is computed anew in
// each iteration is computed in these, too (design, section 5).
void check_careful_slides(const RuleContext& c, const Reach& reach) {
    find_slide(c, [&](int f, const LoopSite& loop, const Regions& regions) {
        for (int other = 0; other < c.functions(); other++) {
            if (c.placement.kind(other) != Placement::Kind::At || c.placement.slides(other) ||
                !c.placement.is_computed_inside(other, loop)) {
                continue;
            }
            for (int d = 0; d < c.graph.functions[other].dimensions(); d++) {
                const bool moves = regions.touches(Source::Function, other) &&
                                   regions.advance(Source::Function, other, d) != 0;
                if (moves && reach.beyond(other, d)) {
                    c.broken(other, -1,
                             "is computed anew in a loop along which " + c.name(f) +
                                 " slides, and may read beyond an input");
                    return true;
                }
            }
        }
        return false;
    });
}

// What slides in steps of several rows is computed in whole steps from the first one on, which
// begins above the rows that it needs before, unless these are so many steps, too.
void check_careful_warm_ups(const RuleContext& c, const Reach& reach) {
    find_slide(c, [&](int f, const LoopSite&, const Regions& regions) {
        for (int d = 0; d < c.graph.functions[f].dimensions(); d++) {
            if (!reach.beyond(f, d) || !regions.touches(Source::Function, f)) {
                continue;
            }
            const double step = std::abs(regions.advance(Source::Function, f, d));
            const auto needed = static_cast<double>(regions.loaded_extent(Source::Function, f, d));
            if (step > 0 && needed > step && std::fmod(needed, step) != 0) {
                c.broken(f, -1, "slides from the middle of a step, and may read beyond an input");
                return true;
            }
        }
        return false;
    });
}

}  // namespace nestor
