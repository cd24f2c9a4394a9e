// Rules on single loop nests.

#include <algorithm>

#include "schedule/loops.h"
#include "schedule/rules/rules.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

bool may_reorder(const Stage& stage) {
    return stage.associative && stage.commutative;
}

}  // namespace

// An order lists every loop once. Reduction loops that are not free of races stay in the order of
// the domain, and their levels in order of level, unless the update may be reordered.
void check_order(const RuleContext& c) {
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& dims) {
        if (nest.order.empty()) {
            return;
        }
        std::size_t loops = dims.size();
        for (const std::vector<Split>& splits : nest.splits) {
            loops += splits.size();
        }
        if (nest.order.size() != loops) {
            c.broken(f, s, "has an order that does not list every loop");
            return;
        }
        if (may_reorder(c.graph.functions[f].stages[s])) {
            return;
        }
        LoopNest unordered = nest;
        unordered.order.clear();
        std::vector<LoopRef> original = loop_order(unordered, dims);
        std::vector<LoopRef> order = nest.order;
        const auto movable = [&](LoopRef loop) {
            return dims[loop.dim].kind != LoopKind::Reduction;
        };
        std::erase_if(original, movable);
        std::erase_if(order, movable);
        if (order != original) {
            c.broken(f, s, "reorders reduction loops that depend on their order");
        }
    });
}

namespace {

bool is_guarded_outside(const std::vector<Split>& splits, std::size_t level, const StageDim& dim,
                        int stage) {
    for (std::size_t outer = 0; outer < level; outer++) {
        if (is_guard(resolved(splits[outer].tail, dim.kind, stage, outer))) {
            return true;
        }
    }
    return false;
}

// What is wrong with split number `level` of a dimension, if anything. `whole`: the constant extent
// of the loop that is split, or 0.
std::string tail_problem(const Function& f, int stage, const StageDim& dim,
                         const std::vector<Split>& splits, std::size_t level, std::int64_t whole) {
    const Split& split = splits[level];
    const Tail tail = resolved(split.tail, dim.kind, stage, level);
    if (dim.kind != LoopKind::Pure && !is_guard(tail)) {
        return "splits reduction dimension " + dim.label +
               ": its tail has to be GuardWithIf or Predicate";
    }
    // As Halide's Stage::split has it.
    if (stage > 0 && split.tail == Tail::ShiftInwards) {
        return "moves the tail of " + dim.label + " inwards, which would repeat updates";
    }
    if (stage > 0 && level > 0 && split.tail == Tail::RoundUp) {
        return "rounds up an inner loop of " + dim.label + ", which may repeat updates";
    }
    const bool is_last = level + 1 == splits.size();
    if ((tail == Tail::PredicateLoads && splits.size() > 1) ||
        (tail == Tail::PredicateStores && !is_last)) {
        return "predicates loads or stores of " + dim.label + ", and splits it more than once";
    }
    const bool exact = whole > 0 && whole % split.factor == 0;
    if (f.is_output && !exact && stores_beyond(tail)) {
        return "is an output, and the tail of " + dim.label + " would store beyond it";
    }
    // Halide 21 allocates for the guarded extent, and the inner tail is not guarded: memory beyond
    // is overwritten. So it is by predicates.
    if (!exact && tail != Tail::GuardWithIf && is_guarded_outside(splits, level, dim, stage)) {
        return "splits a guarded loop of " + dim.label +
               " unevenly: this tail has to be GuardWithIf, too";
    }
    return "";
}

}  // namespace

// What a tail may do depends on what the extra iterations would store.
void check_tails(const RuleContext& c) {
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& dims) {
        for (int d = 0; d < static_cast<int>(nest.splits.size()); d++) {
            const std::vector<Split>& splits = nest.splits[d];
            for (std::size_t level = 0; level < splits.size(); level++) {
                const std::int64_t extent = dims[d].constant_extent ? dims[d].extent : 0;
                const std::int64_t whole = level == 0 ? extent : splits[level - 1].factor;
                const std::string problem =
                    tail_problem(c.graph.functions[f], s, dims[d], splits, level, whole);
                if (!problem.empty()) {
                    c.broken(f, s, problem);
                }
            }
        }
    });
}

// A loop is parallel, unrolled, or a vector, and nothing is parallel within a vector.
void check_loop_marks(const RuleContext& c) {
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& dims) {
        const std::vector<LoopRef> order = loop_order(nest, dims);
        for (const LoopRef loop : nest.parallel) {
            const std::string name = loop_name(dims, loop);
            if (!nest.is_rolled(loop)) {
                c.broken(f, s, name + " is parallel and something else");
            } else if (nest.vector && position(order, loop) < position(order, *nest.vector)) {
                c.broken(f, s, name + " is parallel inside of a vector");
            }
            // Blending reads, changes and writes what a neighbouring task may be writing.
            if (std::ranges::any_of(splits_of(nest, loop.dim), [](const Split& split) {
                    return split.tail == Tail::ShiftInwardsAndBlend ||
                           split.tail == Tail::RoundUpAndBlend;
                })) {
                c.broken(f, s, name + " is parallel along a dimension with a blended tail");
            }
        }
        for (const std::optional<LoopRef>& loop : {nest.vector, nest.dot}) {
            if (loop && std::ranges::count(nest.unrolled, *loop) > 0) {
                c.broken(f, s, loop_name(dims, *loop) + " is a vector and unrolled");
            }
        }
    });
}

// Halide makes sums of neighbours of a reduction that is the innermost of two vectors. A condition
// on its steps would be one on each element.
void check_dots(const RuleContext& c) {
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& dims) {
        if (!nest.dot) {
            return;
        }
        const std::string name = loop_name(dims, *nest.dot);
        const std::vector<LoopRef> order = loop_order(nest, dims);
        if (dims[nest.dot->dim].kind == LoopKind::Pure) {
            c.broken(f, s, name + " is summed within vectors, and no reduction loop");
        }
        if (!nest.vector || order.size() < 2 || order[0] != *nest.dot || order[1] != *nest.vector) {
            c.broken(f, s, name + " is summed within vectors, and not right inside of one");
        }
        if (!nest.atomic) {
            c.broken(f, s, name + " is summed within vectors, and the update is not atomic");
        }
        if (c.graph.functions[f].stages[s].predicated || has_guard(nest, dims, s, nest.dot->dim)) {
            c.broken(f, s, name + " is summed within vectors, and its steps have a condition");
        }
    });
}

// Iterations that depend on each other are neither parallel nor a vector, unless the update may be
// reordered and is atomic. Unrolling keeps the order and is free.
void check_races(const RuleContext& c) {
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& dims) {
        const bool allowed = nest.atomic && may_reorder(c.graph.functions[f].stages[s]);
        const auto check = [&](LoopRef loop, const char* what) {
            if (dims[loop.dim].kind == LoopKind::Reduction && !allowed) {
                c.broken(f, s,
                         std::string(what) + " " + loop_name(dims, loop) +
                             " has iterations that depend on each other");
            }
        };
        for (const LoopRef loop : nest.parallel) {
            check(loop, "parallel loop");
        }
        if (nest.vector) {
            check(*nest.vector, "vector");
        }
        if (nest.dot) {
            check(*nest.dot, "vector");
        }
    });
}

void check_constant_extents(const RuleContext& c) {
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& dims) {
        std::vector<LoopRef> loops = nest.unrolled;
        for (const std::optional<LoopRef>& loop : {nest.vector, nest.dot}) {
            if (loop) {
                loops.push_back(*loop);
            }
        }
        for (const LoopRef loop : loops) {
            if (!has_constant_extent(dims, loop)) {
                c.broken(f, s,
                         "loop " + loop_name(dims, loop) +
                             " is unrolled or a vector, and its extent is not constant: split it");
            }
        }
    });
}

void check_atomic(const RuleContext& c) {
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& /*dims*/) {
        if (nest.atomic && (s == 0 || !may_reorder(c.graph.functions[f].stages[s]))) {
            c.broken(f, s, "is atomic, but not an associative and commutative update");
        }
    });
}

}  // namespace nestor
