// Rules on where functions are computed and stored.

#include <algorithm>

#include "schedule/loops.h"
#include "schedule/rules/rules.h"
#include "schedule/stored_within.h"

namespace nestor {

namespace {

bool has_memory_directive(const FunctionSchedule& f) {
    return f.store.kind != Level::Kind::Default || f.hoist.kind != Level::Kind::Default ||
           f.memory != Memory::Auto || !f.storage_order.empty() || !f.alignment.empty() ||
           !f.region_alignment.empty() || !f.storage_bounds.empty() || f.fold;
}

// Whether `outer` is the level `inner` or around it.
bool is_around(const RuleContext& c, const Level& outer, const Level& inner) {
    if (outer.kind == Level::Kind::Root) {
        return true;
    }
    return outer.kind == Level::Kind::At && inner.kind == Level::Kind::At &&
           c.placement.is_inside(inner.site, outer.site);
}

using IsMarked = bool (*)(const LoopNest& nest, LoopRef loop);

bool is_concurrent(const LoopNest& nest, LoopRef loop) {
    return nest.is_vector(loop) || std::ranges::count(nest.parallel, loop) > 0;
}

bool is_unrolled(const LoopNest& nest, LoopRef loop) {
    return std::ranges::count(nest.unrolled, loop) > 0;
}

// The first loop that is marked inside of level `outer` and around or at loop `inner`.
std::optional<std::string> marked_between(const RuleContext& c, const Level& outer,
                                          const LoopSite& inner, IsMarked is_marked) {
    for (const LoopSite& site : c.placement.chain(inner)) {
        const std::vector<StageDim> dims = c.placement.dims(site.function, site.stage);
        const bool last = outer.kind == Level::Kind::At && outer.site.function == site.function &&
                          outer.site.stage == site.stage;
        for (const LoopNest* nest : c.placement.nests(site.function, site.stage)) {
            const std::vector<LoopRef> order = loop_order(*nest, dims);
            const int end =
                last ? position(order, outer.site.loop) : static_cast<int>(order.size());
            for (int at = position(order, site.loop); at >= 0 && at < end; at++) {
                if (is_marked(*nest, order[at])) {
                    return c.name(site.function) + "'s " + loop_name(dims, order[at]);
                }
            }
        }
        if (last) {
            break;
        }
    }
    return std::nullopt;
}

}  // namespace

// Inlined functions are pure, have no loops and no memory: directives on them would be errors.
void check_inlined(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const FunctionSchedule& function = c.schedule.functions[f];
        if (function.compute.kind == Level::Kind::Inline && !c.graph.functions[f].can_inline) {
            c.broken(f, -1,
                     "cannot be inlined: it has updates, is an output, an extern stage or the "
                     "input of one");
            continue;
        }
        if (!c.placement.is_transparent(f)) {
            continue;
        }
        FunctionSchedule plain;
        plain.stages.resize(function.stages.size());
        if (function.stages != plain.stages || has_memory_directive(function)) {
            c.broken(f, -1,
                     "has no level of its own, but loops or memory are scheduled: give it one");
        }
    }
}

// Halide's bounds inference crashes on a function that is computed and that nothing reads.
void check_read(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const Function& function = c.graph.functions[f];
        const bool computed = !function.pinned && c.placement.kind(f) != Placement::Kind::Inlined;
        if (computed && !function.is_output && c.placement.uses(f).empty()) {
            c.broken(f, -1,
                     "is computed, and only elements of inlined tuples that nobody reads need it");
        }
    }
}

// The loop at which something is computed has to run: its function is neither inlined nor the
// user's, and its own loops are not, in the end, inside of what is computed there.
void check_sites_run(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const FunctionSchedule& function = c.schedule.functions[f];
        for (const Level* level : {&function.compute, &function.store, &function.hoist}) {
            if (level->kind != Level::Kind::At) {
                continue;
            }
            const int at = level->site.function;
            if (c.placement.is_transparent(at) || c.graph.functions[at].pinned ||
                c.graph.functions[at].is_extern) {
                c.broken(f, -1,
                         "is placed at a loop of " + c.name(at) + ", which has none to offer");
            }
            for (const LoopSite& site : c.placement.chain(level->site)) {
                if (site.function == f) {
                    c.broken(f, -1, "is placed, in the end, at a loop of its own");
                    break;
                }
            }
            const std::vector<StageDim> dims = c.placement.dims(at, level->site.stage);
            for (const LoopNest* nest : c.placement.nests(at, level->site.stage)) {
                const std::vector<LoopRef> order = loop_order(*nest, dims);
                if (nest->vector &&
                    position(order, level->site.loop) <= position(order, *nest->vector)) {
                    c.broken(f, -1, "is placed inside of a vector of " + c.name(at));
                }
            }
        }
    }
}

// Everything that reads a function computed at a loop is inside of that loop. Two stages of one
// function have no loop in common, so that what both read is computed outside of that function.
void check_consumers_inside(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        if (c.placement.kind(f) != Placement::Kind::At) {
            continue;
        }
        const LoopSite& site = c.schedule.functions[f].compute.site;
        const std::vector<Placement::Use> uses = c.placement.uses(f);
        if (uses.empty()) {
            c.broken(f, -1, "is computed at a loop, and nothing reads it");
        }
        for (const Placement::Use& use : uses) {
            const bool same_stage = use.function == site.function && use.stage == site.stage;
            const bool inside =
                use.function != site.function && c.placement.is_computed_inside(use.function, site);
            if (!same_stage && !inside) {
                c.broken(f, -1,
                         "is computed at a loop of " + c.name(site.function) + ", and " +
                             c.name(use.function) +
                             (use.stage > 0 ? ", stage " + std::to_string(use.stage) + "," : "") +
                             " reads it outside of that loop");
            }
        }
    }
}

// Store levels are around compute levels and hoist levels around store levels; no parallel loop is
// between, whose iterations would share the memory.
void check_storage_levels(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const FunctionSchedule& function = c.schedule.functions[f];
        if (function.store.kind == Level::Kind::Inline ||
            function.hoist.kind == Level::Kind::Inline) {
            c.broken(f, -1, "has a storage level that is no level");
            continue;
        }
        if (c.placement.kind(f) != Placement::Kind::At) {
            const bool at_root =
                function.store.kind != Level::Kind::At && function.hoist.kind != Level::Kind::At;
            if (!at_root) {
                c.broken(f, -1, "is computed at root and stored at a loop inside of it");
            }
            continue;
        }
        const Level store = c.placement.store(f);
        const Level storage = c.placement.storage(f);
        if (!is_around(c, store, function.compute)) {
            c.broken(f, -1, "is stored at a loop that is not around the one that computes it");
        } else if (!is_around(c, storage, store)) {
            c.broken(f, -1, "has its storage hoisted to a loop that is not around its store level");
        } else if (storage != function.compute) {
            const LoopSite& site = function.compute.site;
            if (const auto loop = marked_between(c, storage, site, is_concurrent)) {
                c.broken(f, -1, "would share its memory between the iterations of " + *loop);
            }
            // Halide begins such a loop earlier, for which it needs no constant number of times.
            if (const auto loop = marked_between(c, store, site, is_unrolled)) {
                c.broken(f, -1, "would slide along " + *loop + ", which is unrolled");
            }
        }
    }
}

// Folding makes a circular buffer of memory that outlives one computation: the store level has to
// be outside of the compute level.
void check_storage_directives(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const FunctionSchedule& function = c.schedule.functions[f];
        if (function.fold && c.placement.store(f) == function.compute) {
            c.broken(f, -1, "is folded, but not stored outside of the loop that computes it");
        }
    }
}

// Halide checks it when the pipeline runs: a smaller bound is an error there.
void check_storage_bounds(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const FunctionSchedule& function = c.schedule.functions[f];
        for (const Alignment& bound : function.storage_bounds) {
            const auto most = stored_within(c.placement, f, bound.dim);
            if (!most || *most > bound.elements || !function.alignment.empty()) {
                c.broken(f, -1,
                         "has memory for " + std::to_string(bound.elements) +
                             " elements, of which it is not known that they are enough");
            }
        }
    }
}

}  // namespace nestor
