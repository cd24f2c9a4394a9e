#include "search/cases.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "schedule/access_along.h"
#include "schedule/assumed.h"
#include "schedule/enough_points.h"
#include "schedule/loops.h"
#include "schedule/phases.h"
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

// A guard on such a split is a branch for each iteration, and leaves no size unknown.
bool only_makes_tasks(const LoopNest& nest, int dim, const std::vector<LoopRef>& sites) {
    return makes_tasks(nest, dim) &&
           std::ranges::none_of(sites, [&](const LoopRef& each) { return each.dim == dim; });
}

bool has_guards(const LoopNest& nest, const std::vector<LoopRef>& sites) {
    for (int d = 0; d < static_cast<int>(nest.splits.size()); d++) {
        if (!only_makes_tasks(nest, d, sites) &&
            std::ranges::any_of(nest.splits[d],
                                [](const Split& split) { return is_guard(split.tail); })) {
            return true;
        }
    }
    return false;
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
        const bool whole = std::ranges::any_of(
            nest.partition, [&](const LoopPartition& each) { return each.loop == loop; });
        if (nest.is_rolled(loop) && !whole) {
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

bool guards_vector(const LoopNest& nest) {
    return nest.vector &&
           std::ranges::any_of(nest.splits[nest.vector->dim],
                               [](const Split& split) { return is_guard(split.tail); });
}

// The nests of a stage, the last one for all that has no case.
std::vector<Specialization> all_cases(const StageSchedule& stage) {
    std::vector<Specialization> cases = stage.specializations;
    cases.push_back({{}, stage.nest, {}});
    return cases;
}

// What is computed in the loops of an output, by the output's size: tiles are whole only where that
// is large.
void add_sizes_inside(const Placement& placement, int function,
                      const std::vector<ExtentCondition>& large, Schedule& schedule) {
    const Function& f = placement.graph().functions[function];
    for (const Stage& stage : f.stages) {
        StageSchedule& mine = schedule.functions[function].stages[stage.index];
        if (!guards_vector(mine.nest) || !guards_badly(placement, function, stage, mine.nest)) {
            continue;
        }
        std::vector<Specialization> cases = all_cases(mine);
        for (Specialization& each : cases) {
            each.when = large;
        }
        mine.specializations = std::move(cases);
        mine.nest = scalar(mine.nest);
    }
}

bool is_assumed(const PipelineDag& dag, int output, int dim) {
    return std::ranges::any_of(dag.assumptions, [&](const Assumption& each) {
        return each.output == output && each.dim == dim;
    });
}

// Whether a function is larger than a point along a dimension that assumptions say all about.
bool has_assumed_size(const Function& f) {
    for (int d = 0; d < f.dimensions(); d++) {
        if (f.assumed[d] && f.region[d].extent > 1) {
            return true;
        }
    }
    return false;
}

// Whether a nest has other code where assumptions hold: its copies have no guards, or what is
// computed in it has a size that is known.
bool depends_on_assumptions(const Placement& placement, int function, const Stage& stage) {
    const LoopNest& nest = placement.schedule().functions[function].stages[stage.index].nest;
    const Function& f = placement.graph().functions[function];
    const auto is_known = [&](const LoopRef& ref) { return is_assumed(f, stage.loops[ref.dim]); };
    if (std::ranges::any_of(nest.unrolled, is_known) || (nest.vector && is_known(*nest.vector))) {
        return true;
    }
    for (int i = 0; i < std::ssize(placement.graph().functions); i++) {
        if (placement.kind(i) != Placement::Kind::At) {
            continue;
        }
        const LoopSite& site = placement.schedule().functions[i].compute.site;
        if (site.function == function && site.stage == stage.index &&
            has_assumed_size(placement.graph().functions[i])) {
            return true;
        }
    }
    return false;
}

// All nests of a stage are for `when` only; without, nothing is unrolled.
void keep_for(const std::vector<ExtentCondition>& when, StageSchedule& stage) {
    std::vector<Specialization> cases = all_cases(stage);
    for (Specialization& each : cases) {
        each.when = when;
    }
    stage.nest = rolled(stage.nest);
    for (Specialization& each : stage.specializations) {
        each.nest = stage.nest;
    }
    stage.specializations.insert(stage.specializations.begin(), cases.begin(), cases.end());
}

// Splits that come out even where assumptions hold need no guards there. Halide sees that where a
// size is an output's only: what reads two outputs' channels, or is clamped, has guards inside of
// its blocks, each a branch around every copy (conv_gradient: half of its time).
void round_up_known(const Function& f, const Stage& stage, LoopNest& nest) {
    for (std::size_t d = 0; d < nest.splits.size(); d++) {
        const Loop& loop = stage.loops[d];
        std::vector<Split>& splits = nest.splits[d];
        if (!splits.empty() && is_assumed(f, loop) && loop.range.extent % splits[0].factor == 0) {
            splits[0].tail = Tail::RoundUp;
        }
    }
}

// The same sizes, in multiples of what the definition repeats with, where these are what they are
// at the estimates, and what is in copies or vectors of a nest.
std::vector<ExtentCondition> in_multiples(const Placement& placement, int output,
                                          const LoopNest& nest, const std::vector<int>& modulus,
                                          std::vector<ExtentCondition> when) {
    if (std::ranges::all_of(modulus, [](int each) { return each <= 1; })) {
        return when;
    }
    const Function& f = placement.graph().functions[output];
    const Stage& stage = f.stages[0];
    const std::vector<int> all = periods(placement.graph(), output, 0, [&](int function) {
        return placement.is_transparent(function) || placement.root(function) == output;
    });
    for (std::size_t l = 0; l < stage.loops.size(); l++) {
        const int dim = stage.loops[l].position;
        const std::int64_t multiple = std::gcd(modulus[dim], all[l]);
        const std::vector<Split>& splits = splits_of(nest, static_cast<int>(l));
        const bool even = !nest.is_rolled({static_cast<int>(l), static_cast<int>(splits.size())}) &&
                          std::ranges::all_of(splits, [&](const Split& split) {
                              return split.factor % multiple == 0;
                          });
        const Range& range = f.region[dim];
        const auto known = std::ranges::find(when, dim, &ExtentCondition::dim);
        const bool is_size = known != when.end() && known->output < 0 && !known->min;
        if (multiple <= 1 || splits.empty() || !even || range.min % multiple != 0 ||
            range.extent % multiple != 0 || (known != when.end() && !is_size)) {
            continue;
        }
        if (is_size) {
            known->multiple = multiple;
        } else {
            when.push_back({dim, 1, -1, {}, multiple});
        }
    }
    return when;
}

bool has_sizes(const StageSchedule& stage) {
    return std::ranges::any_of(stage.specializations,
                               [](const Specialization& each) { return !each.when.empty(); });
}

}  // namespace

void add_assumed(const PipelineDag& dag, Schedule& schedule) {
    if (dag.assumptions.empty()) {
        return;
    }
    const Placement placement(dag, schedule);
    std::vector<StageRef> dependent;
    for (int f = 0; f < std::ssize(dag.functions); f++) {
        const Function& function = dag.functions[f];
        if (function.pinned || function.is_extern || placement.is_transparent(f)) {
            continue;
        }
        for (const Stage& stage : function.stages) {
            if (!has_sizes(schedule.functions[f].stages[stage.index]) &&
                depends_on_assumptions(placement, f, stage)) {
                dependent.push_back({f, stage.index});
            }
        }
    }
    for (const StageRef& each : dependent) {
        const Function& f = dag.functions[each.function];
        StageSchedule& stage = schedule.functions[each.function].stages[each.stage];
        const bool whole = !f.is_output && is_whole_along_assumed(placement, each.function);
        const auto count = std::ssize(stage.specializations) + 1;
        keep_for(all_assumptions(dag, each.function), stage);
        for (int i = 0; whole && i < count; i++) {
            round_up_known(f, f.stages[each.stage], stage.specializations[i].nest);
        }
    }
}

namespace {

// What a layout says of the buffers that a stage reads and writes.
class StridesOfStage {
  public:
    StridesOfStage(const Placement& placement, const std::vector<BufferStride>& layout)
        : placement_(placement), layout_(layout) {}

    void add(int function, int stage, std::vector<BufferStride>& found) {
        seen_.assign(placement_.graph().functions.size(), false);
        add_buffer(Source::Function, function, found);
        add_loads(placement_.graph().functions[function].stages[stage], found);
    }

  private:
    void add_buffer(Source source, int index, std::vector<BufferStride>& found) const {
        for (const BufferStride& each : layout_) {
            if (each.source == source && each.index == index &&
                std::ranges::count(found, each) == 0) {
                found.push_back(each);
            }
        }
    }

    void add_loads(const Stage& stage, std::vector<BufferStride>& found) {
        for (const Load& load : stage.loads) {
            if (load.source == Source::Input) {
                add_buffer(Source::Input, load.index, found);
            } else if (placement_.is_transparent(load.index) && !seen_[load.index]) {
                seen_[load.index] = true;
                for (const Stage& inlined : placement_.graph().functions[load.index].stages) {
                    add_loads(inlined, found);
                }
            }
        }
    }

    const Placement& placement_;
    const std::vector<BufferStride>& layout_;
    std::vector<bool> seen_;  // functions
};

// For elements at unknown places: vectors of them with a guard are a branch for each.
LoopNest for_any_layout(const LoopNest& nest) {
    return guards_vector(nest) ? scalar(nest) : nest;
}

// All nests of a stage, for each layout.
void keep_for(const std::vector<std::vector<BufferStride>>& layouts, StageSchedule& stage) {
    std::vector<Specialization> cases;
    for (const std::vector<BufferStride>& layout : layouts) {
        for (Specialization& each : all_cases(stage)) {
            each.strides = layout;
            cases.push_back(std::move(each));
        }
    }
    for (Specialization& each : stage.specializations) {
        each.nest = for_any_layout(each.nest);
    }
    stage.nest = for_any_layout(stage.nest);
    stage.specializations.insert(stage.specializations.begin(), cases.begin(), cases.end());
}

}  // namespace

void add_layouts(const PipelineDag& dag, Schedule& schedule) {
    if (dag.layouts.empty()) {
        return;
    }
    const Placement placement(dag, schedule);
    std::map<StageRef, std::vector<std::vector<BufferStride>>> layouts;
    for (const std::vector<BufferStride>& layout : dag.layouts) {
        std::map<StageRef, std::vector<BufferStride>> found;
        StridesOfStage strides(placement, layout);
        for (int f = 0; f < static_cast<int>(dag.functions.size()); f++) {
            if (placement.is_transparent(f)) {
                continue;
            }
            for (const Stage& stage : dag.functions[f].stages) {
                const LoopSite outermost = placement.chain({f, stage.index, {}}).back();
                strides.add(f, stage.index, found[{outermost.function, outermost.stage}]);
            }
        }
        for (const auto& [ref, known] : found) {
            if (!known.empty() && std::ranges::count(layouts[ref], known) == 0) {
                layouts[ref].push_back(known);
            }
        }
    }
    for (const auto& [ref, known] : layouts) {
        if (!dag.functions[ref.function].pinned) {
            keep_for(known, schedule.functions[ref.function].stages[ref.stage]);
        }
    }
}

void add_selected(const Stage& stage, const NestPlan& plan, StageSchedule& schedule) {
    if (stage.selector && plan.selected) {
        for (const std::int64_t value : stage.selector->values) {
            schedule.specializations.push_back({{}, schedule.nest, value});
        }
    }
}

void add_sizes(const PipelineDag& dag, int output, const std::vector<int>& modulus,
               Schedule& schedule) {
    const Function& f = dag.functions[output];
    const Stage& stage = f.stages[0];
    StageSchedule& mine = schedule.functions[output].stages[0];
    const LoopNest nest = mine.nest;
    const Placement placement(dag, schedule);
    std::vector<int> inside;
    std::vector<LoopRef> sites;
    for (int i = 0; i < static_cast<int>(dag.functions.size()); i++) {
        if (i == output || placement.is_transparent(i) || placement.root(i) != output) {
            continue;
        }
        inside.push_back(i);
        for (const Level& level : {schedule.functions[i].compute, placement.store(i)}) {
            if (level.kind == Level::Kind::At && level.site.function == output) {
                sites.push_back(level.site.loop);
            }
        }
    }
    Specialization large{{}, nest, {}};
    for (int d = 0; d < static_cast<int>(large.nest.splits.size()); d++) {
        std::vector<Split>& splits = large.nest.splits[d];
        const Loop& loop = stage.loops[d];
        if (!splits.empty() && splits[0].factor <= loop.range.extent &&
            !only_makes_tasks(nest, d, sites)) {
            splits[0].tail = Tail::ShiftInwards;
            if (!is_assumed(dag, output, loop.position)) {
                large.when.push_back({loop.position, splits[0].factor});
            }
        }
    }
    if (large.when.empty()) {
        return;
    }
    const std::vector<ExtentCondition> small = all_assumptions(dag, output);
    large.when.insert(large.when.end(), small.begin(), small.end());
    if (nest.vector && !has_guards(large.nest, sites) &&
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
    const std::vector<ExtentCondition> aligned =
        in_multiples(placement, output, large.nest, modulus, large.when);
    const bool has_multiples = aligned != large.when;
    if (has_multiples) {
        add(aligned, large.nest);
    }
    // Other sizes than what it is scheduled for are not worth as much code.
    add(large.when, has_multiples ? rolled(large.nest) : large.nest);
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
        condition.output = condition.output_for(output);
    }
    for (const int i : inside) {
        add_sizes_inside(placement, i, large.when, schedule);
    }
}

namespace {

// Both hold.
void add_condition(const ExtentCondition& more, std::vector<ExtentCondition>& when) {
    const auto known = std::ranges::find_if(when, [&](const ExtentCondition& each) {
        return each.output == more.output && each.dim == more.dim;
    });
    if (known == when.end()) {
        when.push_back(more);
    } else {
        known->extent = std::max(known->extent, more.extent);
    }
}

// Moves the last guarded tile along each dimension inwards, where outputs are large enough to need
// a whole one. False: no output says so.
bool move_inwards_where_needed(const PipelineDag& graph, int function, Specialization& large) {
    std::vector<ExtentCondition> needed;
    for (int d = 0; d < std::ssize(large.nest.splits); d++) {
        std::vector<Split>& splits = large.nest.splits[d];
        const Loop& loop = graph.functions[function].stages[0].loops[d];
        if (splits.empty() || splits[0].tail != Tail::GuardWithIf ||
            splits[0].factor > loop.range.extent) {
            continue;
        }
        const auto enough = enough_for(graph, function, loop.position, splits[0].factor);
        if (!enough) {
            continue;
        }
        add_condition(*enough, needed);
        splits[0].tail = Tail::ShiftInwards;
        for (std::size_t level = 1; level < splits.size(); level++) {
            if (splits[level - 1].factor % splits[level].factor == 0) {
                splits[level].tail = Tail::RoundUp;
            }
        }
    }
    large.when.insert(large.when.end(), needed.begin(), needed.end());
    return !needed.empty();
}

}  // namespace

void add_sizes_of_root(const PipelineDag& graph, int function, Schedule& schedule) {
    const Function& f = graph.functions[function];
    if (f.is_output || f.stages.size() != 1) {
        return;
    }
    StageSchedule& mine = schedule.functions[function].stages[0];
    std::vector<Specialization> cases = all_cases(mine);
    std::erase_if(cases, [&](Specialization& each) {
        return !move_inwards_where_needed(graph, function, each);
    });
    if (cases.empty()) {
        return;
    }
    mine.nest = rolled(mine.nest);
    for (Specialization& each : mine.specializations) {
        each.nest = rolled(each.nest);
    }
    mine.specializations.insert(mine.specializations.begin(), cases.begin(), cases.end());
}

namespace {

// Memory of constant size along each dimension of which a constant bounds what is needed.
void bound_storage(const Placement& placement, int function, Schedule& schedule) {
    for (int d = 0; d < placement.graph().functions[function].dimensions(); d++) {
        if (const auto most = stored_within(placement, function, d)) {
            schedule.functions[function].storage_bounds.push_back({d, *most});
        }
    }
}

}  // namespace

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
            if (!is_assumed(dag, output, loop.position)) {
                large.when.push_back({loop.position, splits[0].factor});
            }
        }
    }
    if (!large.when.empty()) {
        const std::vector<ExtentCondition> small = all_assumptions(dag, output);
        large.when.insert(large.when.end(), small.begin(), small.end());
        mine.nest = rolled(mine.nest);
        mine.specializations.push_back(std::move(large));
    }
    const Placement placement(dag, schedule);
    for (int f = 0; f < static_cast<int>(dag.functions.size()); f++) {
        const LoopSite& site = schedule.functions[f].compute.site;
        if (schedule.functions[f].compute.kind == Level::Kind::At && site.function == output &&
            site.stage == stage) {
            bound_storage(placement, f, schedule);
        }
    }
}

void add_storage_of_sums(const PipelineDag& dag, Schedule& schedule) {
    std::vector<int> sums;
    for (int f = 0; f < static_cast<int>(dag.functions.size()); f++) {
        const FunctionSchedule& mine = schedule.functions[f];
        if (mine.compute.kind == Level::Kind::At && mine.storage_bounds.empty() &&
            std::ranges::any_of(dag.functions[f].stages, has_reduction)) {
            sums.push_back(f);
        }
    }
    if (sums.empty()) {
        return;  // this is asked of every candidate, and most pipelines have none
    }
    const Placement placement(dag, schedule);
    for (const int f : sums) {
        bound_storage(placement, f, schedule);
    }
}

}  // namespace nestor
