// Rules on whether the schedule fits the pipeline: everything that it refers to exists.

#include <algorithm>

#include "base/hash.h"
#include "schedule/loops.h"
#include "schedule/rules/rules.h"

namespace nestor {

namespace {

bool has_site(const RuleContext& c, const LoopSite& site) {
    if (site.function < 0 || site.function >= c.functions() || site.stage < 0 ||
        site.stage >= static_cast<int>(c.schedule.functions[site.function].stages.size())) {
        return false;
    }
    const std::vector<StageDim> dims = c.placement.dims(site.function, site.stage);
    return std::ranges::all_of(
        c.placement.nests(site.function, site.stage),
        [&](const LoopNest* nest) { return has_loop(*nest, dims, site.loop); });
}

bool is_stride(const PipelineDag& graph, const BufferStride& known) {
    const bool input = known.source == Source::Input;
    const std::size_t buffers = input ? graph.inputs.size() : graph.functions.size();
    if (known.index < 0 || known.index >= static_cast<int>(buffers)) {
        return false;
    }
    const std::size_t dimensions =
        input ? graph.inputs[known.index].region.size() : graph.functions[known.index].args.size();
    return known.dim >= 0 && known.dim < static_cast<int>(dimensions) && known.stride <= INT32_MAX;
}

template <class Loops, class Loop>
bool repeats(const Loops& loops, const Loop& loop) {
    return std::ranges::count(loops, loop) > 1;
}

void check_splits(const RuleContext& c, int f, int s, const LoopNest& nest,
                  const std::vector<StageDim>& dims) {
    for (int d = 0; d < static_cast<int>(nest.splits.size()); d++) {
        if (nest.splits[d].empty()) {
            continue;
        }
        if (d >= static_cast<int>(dims.size())) {
            c.broken(f, s, "splits dimension " + std::to_string(d) + ", which it has not");
            continue;
        }
        for (std::size_t level = 0; level < nest.splits[d].size(); level++) {
            const std::int64_t factor = nest.splits[d][level].factor;
            if (factor < 1 || factor > INT32_MAX) {
                c.broken(f, s, "splits " + dims[d].label + " by " + std::to_string(factor));
            } else if (level > 0 && factor > nest.splits[d][level - 1].factor) {
                c.broken(f, s,
                         "splits the inner loop of " + dims[d].label + " by more than it has (" +
                             std::to_string(factor) + ")");
            }
        }
    }
}

void check_loops_exist(const RuleContext& c, int f, int s, const LoopNest& nest,
                       const std::vector<StageDim>& dims) {
    const auto need = [&](LoopRef loop, const char* what) {
        if (!has_loop(nest, dims, loop)) {
            c.broken(f, s,
                     std::string(what) + " names loop " + std::to_string(loop.dim) + "." +
                         std::to_string(loop.level) + ", which it has not");
        }
    };
    const auto need_all = [&](const std::vector<LoopRef>& loops, const char* what) {
        for (const LoopRef loop : loops) {
            need(loop, what);
            if (repeats(loops, loop)) {
                c.broken(f, s, std::string(what) + " names a loop twice");
            }
        }
    };
    need_all(nest.order, "order");
    need_all(nest.parallel, "parallel");
    need_all(nest.unrolled, "unrolled");
    if (nest.vector) {
        need(*nest.vector, "vector");
    }
    if (nest.dot) {
        need(*nest.dot, "dot");
    }
    for (const LoopPartition& partition : nest.partition) {
        need(partition.loop, "partition");
    }
    for (const Prefetch& prefetch : nest.prefetch) {
        need(prefetch.at, "prefetch");
        need(prefetch.from, "prefetch");
        if (prefetch.function < 0 || prefetch.function >= c.functions()) {
            c.broken(f, s, "prefetches a function that does not exist");
        }
    }
}

}  // namespace

void check_algorithm(const RuleContext& c) {
    if (c.schedule.algorithm_hash != c.dag.algorithm_hash) {
        c.violations.push_back(
            {"the schedule", "is for another algorithm (" + hash_text(c.schedule.algorithm_hash) +
                                 ", this one is " + hash_text(c.dag.algorithm_hash) + ")"});
    }
    for (int f = 0; f < static_cast<int>(c.dag.functions.size()); f++) {
        if (c.schedule.functions[f].derivation) {
            c.broken(f, -1, "is in the algorithm and cannot be derived");
        }
    }
}

// Wrappers, clones and rfactor: see DerivedFunctions.
void check_derivations(const RuleContext& c) {
    for (const ScheduledDag::Problem& problem : c.derived.problems()) {
        c.broken(problem.function, -1, problem.what);
    }
}

void check_stage_counts(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const std::size_t has = c.schedule.functions[f].stages.size();
        const std::size_t needs = c.graph.functions[f].stages.size();
        if (has != needs) {
            c.broken(f, -1,
                     "has " + std::to_string(needs) + " stages, and the schedule " +
                         std::to_string(has));
        }
    }
}

void check_nest_shapes(const RuleContext& c) {
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& dims) {
        check_splits(c, f, s, nest, dims);
        check_loops_exist(c, f, s, nest, dims);
    });
}

// Loops at which something is computed, stored, allocated or fused have to be in every
// specialisation too.
void check_sites_exist(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const FunctionSchedule& function = c.schedule.functions[f];
        for (const Level* level : {&function.compute, &function.store, &function.hoist}) {
            if (level->kind == Level::Kind::At && !has_site(c, level->site)) {
                c.broken(f, -1, "is placed at a loop that does not exist in every nest");
            }
        }
        for (int s = 0; s < static_cast<int>(function.stages.size()); s++) {
            const std::optional<LoopSite>& with = function.stages[s].compute_with;
            if (with && !has_site(c, *with)) {
                c.broken(f, s, "is fused with a loop that does not exist");
            }
        }
    }
}

void check_storage_dims(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const FunctionSchedule& function = c.schedule.functions[f];
        const int dims = c.graph.functions[f].dimensions();
        const auto exists = [&](int dim) { return dim >= 0 && dim < dims; };
        if (!function.storage_order.empty()) {
            std::vector<int> order = function.storage_order;
            std::ranges::sort(order);
            for (int d = 0; d < static_cast<int>(order.size()); d++) {
                if (order[d] != d || static_cast<int>(order.size()) != dims) {
                    c.broken(f, -1, "has a storage order that does not list each dimension once");
                    break;
                }
            }
        }
        for (const std::vector<Alignment>* all :
             {&function.alignment, &function.region_alignment, &function.storage_bounds}) {
            for (const Alignment& a : *all) {
                const auto same = [&](const Alignment& b) { return a.dim == b.dim; };
                if (!exists(a.dim) || a.elements < 1 || a.elements > INT32_MAX ||
                    std::ranges::count_if(*all, same) > 1) {
                    c.broken(
                        f, -1,
                        "aligns a dimension or bounds one that it has not, twice, or by nothing");
                }
            }
        }
        if (function.fold && (!exists(function.fold->dim) || function.fold->factor < 1 ||
                              function.fold->factor > INT32_MAX)) {
            c.broken(f, -1, "folds a dimension that it has not, or to nothing");
        }
        for (int s = 0; s < static_cast<int>(function.stages.size()); s++) {
            for (const Specialization& specialization : function.stages[s].specializations) {
                for (const ExtentCondition& condition : specialization.when) {
                    const int output = condition.output_for(f);
                    if (output >= c.functions() || condition.dim < 0 ||
                        condition.dim >= c.graph.functions[output].dimensions() ||
                        condition.extent > INT32_MAX || condition.multiple < 1 ||
                        condition.multiple > INT32_MAX) {
                        c.broken(f, s,
                                 "is specialised on a dimension or an extent that it has not");
                    }
                }
                if (!std::ranges::all_of(specialization.strides, [&](const BufferStride& each) {
                        return is_stride(c.graph, each);
                    })) {
                    c.broken(f, s, "is specialised on the stride of a buffer that there is not");
                }
            }
        }
    }
}

}  // namespace nestor
