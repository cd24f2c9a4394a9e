// Rules on specialisations, compute_with and prefetch.

#include <algorithm>

#include "schedule/joined.h"
#include "schedule/loops.h"
#include "schedule/rules/rules.h"

namespace nestor {

namespace {

// Whether `to` needs `from`, directly or not.
bool depends(const PipelineDag& graph, int from, int to, std::vector<bool>& seen) {
    if (from == to) {
        return true;
    }
    seen[from] = true;
    return std::ranges::any_of(graph.functions[from].consumers, [&](int consumer) {
        return !seen[consumer] && depends(graph, consumer, to, seen);
    });
}

bool depends(const PipelineDag& graph, int from, int to) {
    std::vector<bool> seen(graph.functions.size(), false);
    return depends(graph, from, to, seen);
}

enum class Mark { Serial, Parallel, Unrolled, Vector };

Mark mark(const LoopNest& nest, LoopRef loop) {
    if (nest.is_vector(loop)) {
        return Mark::Vector;
    }
    if (std::ranges::count(nest.parallel, loop) > 0) {
        return Mark::Parallel;
    }
    return std::ranges::count(nest.unrolled, loop) > 0 ? Mark::Unrolled : Mark::Serial;
}

struct FusedLoop {
    std::string name;
    LoopKind kind;
    Mark mark;
    bool operator==(const FusedLoop&) const = default;
};

// The loops from the outermost down to `last`, or none if `last` is not there.
std::vector<FusedLoop> outer_loops(const LoopNest& nest, const std::vector<StageDim>& dims,
                                   const std::string& last) {
    const std::vector<LoopRef> order = loop_order(nest, dims);
    std::vector<FusedLoop> loops;
    for (auto loop = order.rbegin(); loop != order.rend(); ++loop) {
        loops.push_back({loop_name(dims, *loop), dims[loop->dim].kind, mark(nest, *loop)});
        if (loops.back().name == last) {
            return loops;
        }
    }
    return {};
}

// Whether a function is computed at or inside of a loop of a stage whose loops, in one of its
// nests, are in this order.
bool computed_within(const RuleContext& c, int computed, int f, int s,
                     const std::vector<LoopRef>& order, LoopRef loop) {
    if (c.placement.kind(computed) != Placement::Kind::At) {
        return false;
    }
    const std::vector<LoopSite> chain =
        c.placement.chain(c.schedule.functions[computed].compute.site);
    return std::ranges::any_of(chain, [&](const LoopSite& site) {
        return site.function == f && site.stage == s &&
               position(order, site.loop) <= position(order, loop);
    });
}

void check_fused(const RuleContext& c, int f, int s, const LoopSite& with) {
    const auto broken = [&](const char* what) { c.broken(f, s, what); };
    if (with.function == f || depends(c.graph, f, with.function) ||
        depends(c.graph, with.function, f)) {
        return broken("is fused with a stage that it depends on");
    }
    if (c.placement.kind(f) != c.placement.kind(with.function) || c.placement.is_transparent(f) ||
        c.graph.functions[with.function].pinned ||
        c.schedule.functions[f].compute != c.schedule.functions[with.function].compute) {
        return broken("is fused with a stage that is computed elsewhere");
    }
    const StageSchedule& own = c.schedule.functions[f].stages[s];
    const StageSchedule& other = c.schedule.functions[with.function].stages[with.stage];
    if (!own.specializations.empty() || !other.specializations.empty()) {
        return broken("is fused, and one of the two is specialised");
    }
    const std::vector<StageDim> own_dims = c.placement.dims(f, s);
    const std::vector<StageDim> other_dims = c.placement.dims(with.function, with.stage);
    const std::string last = loop_name(other_dims, with.loop);
    const std::vector<FusedLoop> loops = outer_loops(own.nest, own_dims, last);
    if (loops.empty() || loops != outer_loops(other.nest, other_dims, last)) {
        return broken("is fused with loops that differ in name or kind from its own");
    }
    if (is_guarded_outside(other.nest, other_dims, with.loop)) {
        broken("is fused with a stage that would cut it off where that ends");
    }
}

// What Halide is to fuse functions in.
void check_joined(const RuleContext& c, int f) {
    const LoopNest& nest = c.schedule.functions[f].stages[0].nest;
    const std::vector<StageDim> dims = c.placement.dims(f, 0);
    const std::optional<LoopRef> loop = fused_loop(nest, dims);
    if (!loop || is_guarded_outside(nest, dims, *loop)) {
        c.broken(f, 0, "is computed together with others that it would cut off where it ends");
    }
}

}  // namespace

namespace {

// What is read at a constant place is an input, seen through a function that may have no loops of
// its own: the choice is made before any of them.
void check_selected(const RuleContext& c, int f, int s, std::int64_t value) {
    const std::optional<Selector>& selector = c.graph.functions[f].stages[s].selector;
    if (!selector || std::ranges::count(selector->values, value) == 0) {
        c.broken(f, s, "is specialised on a value that its definition does not ask for");
    } else if (selector->function >= 0 &&
               c.placement.kind(selector->function) != Placement::Kind::Inlined) {
        c.broken(f, s,
                 "is specialised on " + c.name(selector->function) + ", which is not inlined");
    }
}

bool is_of_buffer(const PipelineDag& graph, const BufferStride& known) {
    return known.source == Source::Function ? graph.functions[known.index].is_output
                                            : !graph.inputs[known.index].embedded;
}

}  // namespace

// The condition is on the size of an output or on strides, which is known before anything runs, or
// on what is the same for all points.
void check_specializations(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const FunctionSchedule& function = c.schedule.functions[f];
        for (int s = 0; s < static_cast<int>(function.stages.size()); s++) {
            for (const Specialization& specialization : function.stages[s].specializations) {
                const auto of_no_output = [&](const ExtentCondition& condition) {
                    return condition.output == f ||
                           !c.graph.functions[condition.output_for(f)].is_output;
                };
                if (std::ranges::any_of(specialization.when, of_no_output)) {
                    c.broken(f, s, "is specialised on extents of what is no output, or no other");
                }
                if (specialization.selected) {
                    check_selected(c, f, s, *specialization.selected);
                }
                if (std::ranges::any_of(specialization.strides, [&](const BufferStride& each) {
                        return !is_of_buffer(c.graph, each);
                    })) {
                    c.broken(f, s, "is specialised on strides of what is no argument");
                }
                if (specialization.when.empty() && specialization.strides.empty() &&
                    !specialization.selected) {
                    c.broken(f, s, "is specialised without a condition");
                }
                const auto same = [&](const Specialization& other) {
                    return other.has_condition_of(specialization);
                };
                if (std::ranges::count_if(function.stages[s].specializations, same) > 1) {
                    c.broken(f, s, "is specialised twice on the same condition");
                }
            }
        }
    }
}

void check_compute_with(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        if (c.graph.functions[f].joined && !c.placement.is_transparent(f)) {
            check_joined(c, f);
        }
        for (int s = 0; s < static_cast<int>(c.schedule.functions[f].stages.size()); s++) {
            if (const auto& with = c.schedule.functions[f].stages[s].compute_with) {
                check_fused(c, f, s, *with);
            }
        }
    }
}

// What is prefetched lies in memory before the loop begins, and the stage reads it.
void check_prefetch(const RuleContext& c) {
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& dims) {
        const std::vector<LoopRef> order = loop_order(nest, dims);
        for (const Prefetch& prefetch : nest.prefetch) {
            const std::vector<Placement::Use> uses = c.placement.uses(prefetch.function);
            const std::string what = "prefetches " + c.name(prefetch.function);
            if (c.placement.is_transparent(prefetch.function) ||
                computed_within(c, prefetch.function, f, s, order, prefetch.from)) {
                c.broken(f, s, what + ", which is not in memory before the loop");
            } else if (c.graph.functions[prefetch.function].is_output) {
                c.broken(f, s, what + ", an output, which Halide does not prefetch");
            } else if (std::ranges::count(uses, Placement::Use{f, s}) == 0) {
                c.broken(f, s, what + ", which it does not read");
            }
            if (position(order, prefetch.from) < position(order, prefetch.at)) {
                c.broken(f, s, what + " for a loop inside of the one that issues it");
            }
            if (prefetch.offset < 1 || prefetch.offset > INT32_MAX) {
                c.broken(f, s, what + " for no iteration to come");
            }
        }
    });
}

}  // namespace nestor
