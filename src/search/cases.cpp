#include "search/cases.h"

#include <algorithm>
#include <utility>

#include "schedule/access_along.h"
#include "schedule/placement.h"
#include "schedule/stored_within.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

// Whether a guard makes each element of the nest's vectors a branch of its own, for which LLVM
// takes minutes: where they meet a border, are indexed by what is computed, or are not next to each
// other.
bool guards_badly(const Placement& placement, int function, const Stage& stage,
                  const LoopNest& nest) {
    if (!nest.vector) {
        return false;
    }
    const Loop& loop = stage.loops[nest.vector->dim];
    if (loop.is_reduction()) {
        return false;
    }
    const AccessAlong access = access_along(placement, function, loop.position);
    return access.border || access.distance > 1;
}

bool has_guards(const LoopNest& nest) {
    return std::ranges::any_of(nest.splits, [](const std::vector<Split>& each) {
        return std::ranges::any_of(each, [](const Split& split) { return is_guard(split.tail); });
    });
}

void keep_whole(const std::vector<LoopRef>& loops, LoopNest& nest) {
    for (const LoopRef& loop : loops) {
        nest.partition.push_back({loop, PartitionPolicy::Never});
    }
    std::ranges::sort(nest.partition, {}, &LoopPartition::loop);
}

// Where neither a border nor a guard is met, there is nothing to take out of a loop, and LLVM needs
// minutes for some of what Halide does about tiles that are moved inwards (max_filter: blocks of
// several vectors and rows). Loops around what is computed inside are left as they are.
void keep_inner_whole(const std::vector<LoopRef>& sites, LoopNest& nest) {
    std::vector<LoopRef> divided;
    for (const LoopRef& loop : nest.order) {
        if (std::ranges::count(sites, loop) > 0) {
            break;
        }
        const bool marked = nest.is_vector(loop) || std::ranges::count(nest.unrolled, loop) > 0;
        const bool whole = std::ranges::any_of(
            nest.partition, [&](const LoopPartition& each) { return each.loop == loop; });
        if (!marked && !whole) {
            divided.push_back(loop);
        }
    }
    keep_whole(divided, nest);
}

// Without unrolling: it is for small sizes.
LoopNest rolled(const LoopNest& nest) {
    LoopNest result = nest;
    result.unrolled.clear();
    keep_whole(nest.unrolled, result);
    return result;
}

// Tiles as wide as a vector, moved inwards at the end.
LoopNest narrow(const LoopNest& nest) {
    LoopNest result = rolled(nest);
    const int dim = nest.vector->dim;
    std::vector<Split>& splits = result.splits[dim];
    const std::int64_t lanes = splits.back().factor;
    for (std::size_t level = 0; level < splits.size(); level++) {
        splits[level] = {lanes, level == 0 ? Tail::ShiftInwards : Tail::RoundUp};
    }
    std::erase_if(result.partition,
                  [&](const LoopPartition& each) { return each.loop == LoopRef{dim, 0}; });
    return result;
}

// One point after the other.
LoopNest scalar(const LoopNest& nest) {
    LoopNest result = rolled(nest);
    result.vector.reset();
    result.dot.reset();
    result.partition.clear();
    keep_whole(nest.order, result);
    return result;
}

// What is computed in the loops of an output, by the output's size: tiles are whole only where that
// is large.
void add_sizes_inside(const Placement& placement, int function,
                      const std::vector<ExtentCondition>& large, Schedule& schedule) {
    const Function& f = placement.graph().functions[function];
    for (const Stage& stage : f.stages) {
        StageSchedule& mine = schedule.functions[function].stages[stage.index];
        const bool guarded =
            mine.nest.vector &&
            std::ranges::any_of(mine.nest.splits[mine.nest.vector->dim],
                                [](const Split& split) { return is_guard(split.tail); });
        if (!guarded || !guards_badly(placement, function, stage, mine.nest)) {
            continue;
        }
        std::vector<Specialization> cases = std::move(mine.specializations);
        cases.push_back({{}, mine.nest, {}});
        for (Specialization& each : cases) {
            each.when = large;
        }
        mine.specializations = std::move(cases);
        mine.nest = scalar(mine.nest);
    }
}

}  // namespace

void add_selected(const Stage& stage, const NestPlan& plan, StageSchedule& schedule) {
    if (stage.selector && plan.selected) {
        for (const std::int64_t value : stage.selector->values) {
            schedule.specializations.push_back({{}, schedule.nest, value});
        }
    }
}

void add_sizes(const PipelineDag& dag, int output, Schedule& schedule) {
    const Function& f = dag.functions[output];
    const Stage& stage = f.stages[0];
    StageSchedule& mine = schedule.functions[output].stages[0];
    const LoopNest nest = mine.nest;
    Specialization large{{}, nest, {}};
    for (std::size_t d = 0; d < large.nest.splits.size(); d++) {
        std::vector<Split>& splits = large.nest.splits[d];
        const Loop& loop = stage.loops[d];
        if (!splits.empty() && splits[0].factor <= loop.range.extent) {
            splits[0].tail = Tail::ShiftInwards;
            large.when.push_back({loop.position, splits[0].factor});
        }
    }
    if (large.when.empty()) {
        return;
    }
    const Placement placement(dag, schedule);
    std::vector<int> inside;
    std::vector<LoopRef> sites;
    for (int i = 0; i < static_cast<int>(dag.functions.size()); i++) {
        if (i == output || placement.is_transparent(i) || placement.root(i) != output) {
            continue;
        }
        inside.push_back(i);
        const LoopSite& site = schedule.functions[i].compute.site;
        if (site.function == output) {
            sites.push_back(site.loop);
        }
    }
    if (nest.vector && !has_guards(large.nest) &&
        !access_along(placement, output, stage.loops[nest.vector->dim].position).border) {
        keep_inner_whole(sites, large.nest);
    }
    std::vector<Specialization> cases;
    const auto add = [&](const std::vector<ExtentCondition>& when, const LoopNest& with) {
        for (const Specialization& each : mine.specializations) {
            cases.push_back({when, with, each.selected});
        }
        cases.push_back({when, with, {}});
    };
    add(large.when, large.nest);
    if (guards_badly(placement, output, stage, nest)) {
        const Loop& along = stage.loops[nest.vector->dim];
        const std::int64_t lanes = nest.splits[nest.vector->dim].back().factor;
        const std::vector<ExtentCondition> when{{along.position, lanes}};
        if (inside.empty() && when != large.when && lanes <= along.range.extent) {
            add(when, narrow(nest));
        }
        mine.nest = scalar(nest);
        mine.specializations.clear();
    } else {
        mine.nest = rolled(nest);
        for (Specialization& each : mine.specializations) {
            each.nest = mine.nest;
        }
    }
    mine.specializations.insert(mine.specializations.begin(), cases.begin(), cases.end());
    for (ExtentCondition& condition : large.when) {
        condition.output = output;
    }
    for (const int i : inside) {
        add_sizes_inside(placement, i, large.when, schedule);
    }
}

void add_update_sizes(const PipelineDag& dag, int output, int stage, Schedule& schedule) {
    StageSchedule& mine = schedule.functions[output].stages[stage];
    Specialization large{{}, mine.nest, {}};
    for (int d = 0; d < static_cast<int>(large.nest.splits.size()); d++) {
        std::vector<Split>& splits = large.nest.splits[d];
        const Loop& loop = dag.functions[output].stages[stage].loops[d];
        const bool parallel = std::ranges::any_of(
            large.nest.parallel, [&](const LoopRef& each) { return each.dim == d; });
        if (!splits.empty() && !parallel && splits[0].factor <= loop.range.extent) {
            splits[0].tail = Tail::ShiftInwardsAndBlend;
            large.when.push_back({loop.position, splits[0].factor});
        }
    }
    if (!large.when.empty()) {
        mine.nest = rolled(mine.nest);
        mine.specializations.push_back(std::move(large));
    }
    const Placement placement(dag, schedule);
    for (int f = 0; f < static_cast<int>(dag.functions.size()); f++) {
        if (placement.kind(f) != Placement::Kind::At) {
            continue;
        }
        const LoopSite& site = schedule.functions[f].compute.site;
        for (int d = 0;
             site.function == output && site.stage == stage && d < dag.functions[f].dimensions();
             d++) {
            if (const auto most = stored_within(placement, f, d)) {
                schedule.functions[f].storage_bounds.push_back({d, *most});
            }
        }
    }
}

}  // namespace nestor
