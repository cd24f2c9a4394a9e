#include "schedule/rfactor.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "schedule/loops.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

namespace {

struct LoopOfDim {
    LoopRef ref;
    Loop loop;
};

// The loop over `ref` as a dimension of its own. A split counts from 0, whatever the dimension's
// minimum.
Loop loop_as_dim(const Stage& stage, const LoopNest& nest, const std::vector<StageDim>& dims,
                 LoopRef ref) {
    Loop loop = stage.loops[ref.dim];
    if (split_count(nest, ref.dim) > 0) {
        loop.range = {0, loop_extent(nest, dims, ref)};
        loop.constant_extent = has_constant_extent(dims, ref);
    }
    if (ref.level > 0) {
        loop.label = loop_name(dims, ref);
        loop.variable = loop.label;
    }
    return loop;
}

Loop pure_loop(std::string label, std::string variable, int position, Range range) {
    Loop loop;
    loop.label = std::move(label);
    loop.variable = std::move(variable);
    loop.position = position;
    loop.range = range;
    return loop;
}

std::vector<Loop> pure_loops(const Function& f) {
    std::vector<Loop> loops;
    for (int d = 0; d < f.dimensions(); d++) {
        const std::string variable = f.stages.empty() ? "" : f.stages[0].loops[d].variable;
        loops.push_back(pure_loop(f.args[d], variable, d, f.region[d]));
    }
    return loops;
}

// A coordinate over the dimensions of the parent's stage, rewritten over `loops` of the split nest.
Coordinate over_loops(const Coordinate& coordinate, const Stage& stage, const LoopNest& nest,
                      const std::vector<LoopOfDim>& loops) {
    Coordinate result = coordinate;
    result.rates.clear();
    result.steps.clear();
    result.clamped_loops.clear();
    for (const LoopOfDim& l : loops) {
        result.clamped_loops.push_back(coordinate.is_clamped_along(l.ref.dim));
    }
    if (!coordinate.affine) {
        result.fixed_loops.clear();
        for (const LoopOfDim& l : loops) {
            result.fixed_loops.push_back(!coordinate.changes_with(l.ref.dim));
        }
        return result;
    }
    for (const LoopOfDim& l : loops) {
        const double rate = coordinate.rates[l.ref.dim];
        const auto stride = static_cast<double>(loop_stride(nest, l.ref));
        result.rates.push_back(rate * stride);
        if (!coordinate.steps.empty()) {
            result.steps.push_back(composed(coordinate.steps_along(l.ref.dim), {}, stride, true));
        }
    }
    for (int d = 0; d < static_cast<int>(stage.loops.size()); d++) {
        if (split_count(nest, d) > 0) {
            const double start =
                coordinate.rates[d] * static_cast<double>(stage.loops[d].range.min);
            result.offset_min += static_cast<std::int64_t>(std::floor(start));
            result.offset_max += static_cast<std::int64_t>(std::ceil(start));
        }
    }
    return result;
}

// Loops of the stage, as those of the split nest that go over them.
LoopSet over_loops(LoopSet changing, const std::vector<LoopOfDim>& loops) {
    LoopSet result = changing == kAllLoops ? kAllLoops : 0;
    for (std::size_t l = 0; l < loops.size(); l++) {
        const bool changes = contains(changing, loops[l].ref.dim);
        result |= changes ? loop_set(static_cast<int>(l)) : 0;
    }
    return result;
}

// Operations by the stage's loops, by those of the split nest.
OpCounts over_loops(const OpCounts& ops, const std::vector<LoopOfDim>& loops) {
    OpCounts result;
    result.load = ops.load;
    for (const OpCount& each : ops.counts) {
        result.add(each.operation, each.type, over_loops(each.loops, loops), each.count);
    }
    return result;
}

// The intermediate function's coordinates along the preserved dimensions, where it reads and writes
// itself.
std::vector<Coordinate> at_preserved(const std::vector<LoopOfDim>& loops, std::size_t preserved,
                                     std::size_t first) {
    std::vector<Coordinate> coords(preserved);
    for (std::size_t i = 0; i < preserved; i++) {
        coords[i].affine = true;
        coords[i].rates.assign(loops.size(), 0);
        coords[i].rates[first + i] = 1;
    }
    return coords;
}

// What the intermediate function's update reads and writes, over its own loops, of which the
// preserved ones are those from `first` on.
void rewrite_accesses(const Stage& stage, const LoopNest& nest, const std::vector<LoopOfDim>& loops,
                      std::size_t first, std::size_t preserved, Stage& update) {
    for (std::vector<Load>* loads : {&update.loads, &update.own_loads}) {
        for (Load& load : *loads) {
            for (Coordinate& coordinate : load.coords) {
                coordinate = over_loops(coordinate, stage, nest, loops);
            }
        }
    }
    if (!update.stores.empty()) {
        for (Coordinate& coordinate : update.stores) {
            coordinate = over_loops(coordinate, stage, nest, loops);
        }
        for (const Coordinate& coordinate : at_preserved(loops, preserved, first)) {
            update.stores.push_back(coordinate);
        }
    }
    for (Load& load : update.own_loads) {
        for (const Coordinate& coordinate : at_preserved(loops, preserved, first)) {
            load.coords.push_back(coordinate);
        }
    }
}

// Whether the splits leave iterations that must not run.
bool is_guarded(const Stage& stage, const LoopNest& nest) {
    for (int d = 0; d < static_cast<int>(stage.loops.size()); d++) {
        const Loop& loop = stage.loops[d];
        std::int64_t whole = loop.range.extent;
        bool exact = split_count(nest, d) == 0 || loop.constant_extent;
        for (int s = 0; s < split_count(nest, d); s++) {
            exact = exact && whole % nest.splits[d][s].factor == 0;
            whole = nest.splits[d][s].factor;
        }
        if (!exact) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::vector<Load> pointwise_loads(int function, int values, std::size_t rank) {
    std::vector<Load> loads;
    for (int value = 0; value < values; value++) {
        Load load;
        load.index = function;
        load.value = value;
        load.serves = {value};
        for (std::size_t d = 0; d < rank; d++) {
            Coordinate coordinate;
            coordinate.affine = true;
            coordinate.rates.assign(rank, 0.0);
            coordinate.rates[d] = 1.0;
            load.coords.push_back(std::move(coordinate));
        }
        loads.push_back(std::move(load));
    }
    return loads;
}

LoopNest rfactor_nest(const Derivation& derivation) {
    LoopNest nest;
    nest.splits = derivation.splits;
    return nest;
}

std::vector<std::string> preserved_names(const Derivation& derivation,
                                         const std::vector<std::string>& parent_args,
                                         const std::vector<StageDim>& dims) {
    const LoopNest nest = rfactor_nest(derivation);
    std::set<std::string> taken(parent_args.begin(), parent_args.end());
    for (int d = 0; d < static_cast<int>(dims.size()); d++) {
        for (int level = 0; level <= split_count(nest, d); level++) {
            taken.insert(loop_name(dims, {d, level}));
        }
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < derivation.preserved.size(); i++) {
        std::string name = i == 0 ? "u" : "u" + std::to_string(i);
        while (taken.contains(name)) {
            name += '_';
        }
        taken.insert(name);
        names.push_back(name);
    }
    return names;
}

Function rfactor_intermediate(const Function& parent, const Derivation& derivation) {
    const Stage& stage = parent.stages[derivation.stage];
    const LoopNest nest = rfactor_nest(derivation);
    const std::vector<StageDim> dims = stage_dims(stage);
    const std::vector<std::string> names = preserved_names(derivation, parent.args, dims);

    // 1. The function: the parent's dimensions, then the preserved loops as pure ones.
    Function made;
    made.types = parent.types;
    made.args = parent.args;
    made.region = parent.region;
    made.constant = parent.constant;
    made.assumed = parent.assumed;
    std::vector<LoopOfDim> preserved;
    for (std::size_t i = 0; i < names.size(); i++) {
        const Loop loop = loop_as_dim(stage, nest, dims, derivation.preserved[i]);
        const int position = parent.dimensions() + static_cast<int>(i);
        preserved.push_back(
            {derivation.preserved[i], pure_loop(names[i], names[i], position, loop.range)});
        preserved.back().loop.constant_extent = loop.constant_extent;
        made.args.push_back(names[i]);
        made.region.push_back(loop.range);
        made.constant.push_back(false);
        made.assumed.push_back(false);
    }

    // 2. The pure definition: the identity of the operator.
    Stage init;
    init.loops = pure_loops(parent);
    for (const LoopOfDim& p : preserved) {
        init.loops.push_back(p.loop);
    }
    init.expression_size = 1;
    init.distinct_nodes = 1;

    // 3. The update: the parent's, over its pure loops, the preserved ones and the remaining
    // reduction.
    Stage update = stage;
    update.selector.reset();
    update.phases.clear();
    update.phase_ops.clear();
    update.merged_phase_ops.clear();
    update.index = 1;
    update.predicated = update.predicated || is_guarded(stage, nest);
    std::vector<LoopOfDim> loops;
    for (int d = 0; d < static_cast<int>(dims.size()); d++) {
        if (!stage.loops[d].is_reduction()) {
            loops.push_back({{d, 0}, stage.loops[d]});
        }
    }
    const std::size_t first = loops.size();
    loops.insert(loops.end(), preserved.begin(), preserved.end());
    int reductions = 0;
    for (const LoopRef ref : loop_order(nest, dims)) {
        const bool is_preserved = std::ranges::count(derivation.preserved, ref) > 0;
        if (stage.loops[ref.dim].is_reduction() && !is_preserved) {
            loops.push_back({ref, loop_as_dim(stage, nest, dims, ref)});
            loops.back().loop.position = reductions++;
        }
    }
    rewrite_accesses(stage, nest, loops, first, preserved.size(), update);
    update.ops = over_loops(update.ops, loops);
    for (BorderOp& each : update.border_ops) {
        each.op.loops = over_loops(each.op.loops, loops);
        each.condition = over_loops(each.condition, loops);
    }
    if (update.merged_ops) {
        update.merged_ops = over_loops(*update.merged_ops, loops);
    }
    if (update.product) {
        update.product->ops = over_loops(update.product->ops, loops);
    }
    update.loops.clear();
    for (LoopOfDim& l : loops) {
        update.loops.push_back(std::move(l.loop));
    }
    made.stages = {std::move(init), std::move(update)};
    return made;
}

Stage rfactor_merge(const Function& parent, const Derivation& derivation, int intermediate,
                    const Function& made) {
    const Stage& stage = parent.stages[derivation.stage];
    const LoopNest nest = rfactor_nest(derivation);
    const std::vector<StageDim> dims = stage_dims(stage);

    Stage merge;
    merge.index = stage.index;
    merge.loops = pure_loops(parent);
    for (std::size_t i = 0; i < derivation.preserved.size(); i++) {
        Loop loop = loop_as_dim(stage, nest, dims, derivation.preserved[i]);
        loop.kind = LoopKind::Reduction;
        loop.position = static_cast<int>(i);
        merge.loops.push_back(std::move(loop));
    }
    merge.loads =
        pointwise_loads(intermediate, static_cast<int>(made.types.size()), merge.loops.size());
    for (const ScalarType& type : made.types) {
        merge.ops.add(Arithmetic::Add, type.element(), kAllLoops, 1);
    }
    merge.ops.load = 2 * static_cast<float>(made.types.size());
    merge.expression_size = 3 * static_cast<int>(made.types.size());
    merge.distinct_nodes = merge.expression_size;
    merge.reads_itself = true;
    merge.associative = stage.associative;
    merge.commutative = stage.commutative;
    return merge;
}

}  // namespace nestor
