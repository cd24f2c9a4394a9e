#include "schedule/stored_within.h"

#include <algorithm>
#include <vector>

#include "schedule/loops.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

// The loop of which a coordinate is the value; -1: it is another one.
int only_loop(const Coordinate& coordinate) {
    if (!coordinate.affine || coordinate.clamped || coordinate.offset_min != 0 ||
        coordinate.offset_max != 0) {
        return -1;
    }
    int only = -1;
    for (std::size_t l = 0; l < coordinate.rates.size(); l++) {
        if (coordinate.rates[l] == 0) {
            continue;
        }
        if (coordinate.rates[l] != 1 || only >= 0) {
            return -1;
        }
        only = static_cast<int>(l);
    }
    return only;
}

// The loop of the stage along which all its loads of a function move in a dimension; -1: there is
// no such loop.
int loop_of_loads(const Stage& stage, int function, int dim) {
    int loop = -1;
    for (const Load& load : stage.loads) {
        if (load.source != Source::Function || load.index != function) {
            continue;
        }
        const int mine = only_loop(load.coords[dim]);
        if (mine < 0 || (loop >= 0 && loop != mine)) {
            return -1;
        }
        loop = mine;
    }
    return loop;
}

bool stays_at_its_points(const Stage& stage, int dim) {
    const auto is_pure = [&](const Loop& loop) {
        return loop.kind == LoopKind::Pure && loop.position == dim;
    };
    const auto stays = [&](const Coordinate& coordinate) {
        const int loop = only_loop(coordinate);
        return loop >= 0 && is_pure(stage.loops[loop]);
    };
    // See stored_at().
    const bool stored =
        stage.stores.empty() ? std::ranges::any_of(stage.loops, is_pure) : stays(stage.stores[dim]);
    return stored && std::ranges::all_of(stage.own_loads,
                                         [&](const Load& load) { return stays(load.coords[dim]); });
}

// Points along a dimension of a stage in one iteration of one of its loops; nothing if no constant
// bounds them.
std::optional<std::int64_t> points_inside(const LoopNest& nest, const std::vector<StageDim>& dims,
                                          int stage, int dim, LoopRef site) {
    std::vector<LoopRef> usual;
    const std::vector<LoopRef>& order = loop_order(nest, dims, usual);
    const std::vector<Split>& splits = splits_of(nest, dim);
    const int levels = static_cast<int>(splits.size());
    int first = levels + 1;  // of the levels inside
    for (int level = levels; level >= 0; level--) {
        const bool inside = position(order, {dim, level}) < position(order, site);
        if (inside && level + 1 != first) {
            return std::nullopt;
        }
        first = inside ? level : first;
    }
    if (first > levels) {
        return 1;
    }
    if (first == 0) {
        return std::nullopt;
    }
    const auto level = static_cast<std::size_t>(first);
    return stored_extent(splits[level - 1].factor, splits, dims[dim].kind, stage, level);
}

// Whether a function is computed and stored in a loop of the one definition that reads it, and
// nothing but that decides how much of it there is.
bool is_only_for_its_site(const Placement& placement, int function) {
    const Function& f = placement.graph().functions[function];
    const FunctionSchedule& schedule = placement.schedule().functions[function];
    if (placement.kind(function) != Placement::Kind::At ||
        placement.store(function) != schedule.compute || !schedule.region_alignment.empty() ||
        schedule.fold || f.is_extern || f.pinned) {
        return false;
    }
    // What is fused with something else may be computed for both.
    const bool fused =
        std::ranges::any_of(placement.schedule().functions, [](const FunctionSchedule& each) {
            return std::ranges::any_of(
                each.stages, [](const StageSchedule& s) { return s.compute_with.has_value(); });
        });
    const LoopSite& site = schedule.compute.site;
    return !fused && f.consumers.size() == 1 && f.consumers.front() == site.function &&
           placement.uses(function) == std::vector<Placement::Use>{{site.function, site.stage}};
}

// What the reader asks for in one iteration of the site, in any of its nests.
std::optional<std::int64_t> asked_for(const Placement& placement, int function, int dim) {
    const LoopSite& site = placement.schedule().functions[function].compute.site;
    const Stage& reader = placement.graph().functions[site.function].stages[site.stage];
    const int loop = loop_of_loads(reader, function, dim);
    if (loop < 0) {
        return std::nullopt;
    }
    const std::vector<StageDim> dims = placement.dims(site.function, site.stage);
    std::int64_t most = 0;
    for (const LoopNest* nest : placement.nests(site.function, site.stage)) {
        const auto points = points_inside(*nest, dims, site.stage, loop, site.loop);
        if (!points) {
            return std::nullopt;
        }
        most = std::max(most, *points);
    }
    return most;
}

}  // namespace

std::optional<std::int64_t> stored_within(const Placement& placement, int function, int dim) {
    if (!is_only_for_its_site(placement, function)) {
        return std::nullopt;
    }
    const std::optional<std::int64_t> asked = asked_for(placement, function, dim);
    const Function& f = placement.graph().functions[function];
    std::int64_t most = asked.value_or(0);
    for (const Stage& stage : f.stages) {
        if (!asked || (stage.index > 0 && !stays_at_its_points(stage, dim))) {
            return std::nullopt;
        }
        for (const LoopNest* nest : placement.nests(function, stage.index)) {
            for (int d = 0; d < static_cast<int>(stage.loops.size()); d++) {
                const Loop& loop = stage.loops[d];
                if (!loop.is_reduction() && loop.position == dim) {
                    // Its own tails round up what is asked for.
                    most = std::max(most, stored_extent(*asked, splits_of(*nest, d), loop.kind,
                                                        stage.index, 0));
                }
            }
        }
    }
    return most;
}

}  // namespace nestor
