// Rules on single loop nests.

#include <algorithm>

#include "schedule/loops.h"
#include "schedule/rules/rules.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

bool may_reorder(const Stage &stage) {
    return stage.associative && stage.commutative;
}

}  // namespace

// An order lists every loop once. Reduction loops that are not free of races stay in the order of the
// domain, and their levels in order of level, unless the update may be reordered.
void check_order(const RuleContext &c) {
    c.each_nest([&](int f, int s, const LoopNest &nest, const std::vector<StageDim> &dims) {
        if (nest.order.empty()) {
            return;
        }
        std::size_t loops = dims.size();
        for (const std::vector<Split> &splits : nest.splits) {
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

// What a tail may do depends on what the extra iterations would store.
void check_tails(const RuleContext &c) {
    c.each_nest([&](int f, int s, const LoopNest &nest, const std::vector<StageDim> &dims) {
        for (int d = 0; d < static_cast<int>(nest.splits.size()); d++) {
            bool guarded_outside = false;
            std::int64_t whole = dims[d].constant_extent ? dims[d].extent : 0;  // 0: not known
            for (const Split &split : nest.splits[d]) {
                const Tail tail = resolved(split.tail, dims[d].kind, s);
                const bool guarded = tail == Tail::GuardWithIf || tail == Tail::Predicate;
                const bool exact = whole > 0 && whole % split.factor == 0;
                if (dims[d].kind != LoopKind::Pure && !guarded) {
                    c.broken(f, s, "splits reduction dimension " + dims[d].label +
                                       ": its tail has to be GuardWithIf or Predicate");
                } else if (s > 0 && split.tail == Tail::ShiftInwards) {
                    c.broken(f, s, "moves the tail of " + dims[d].label +
                                       " inwards, which would repeat updates");
                } else if (s > 0 && guarded_outside && split.tail == Tail::RoundUp) {
                    c.broken(f, s, "rounds up a loop of " + dims[d].label +
                                       " inside of a guarded one, which may repeat updates");
                } else if (c.graph.functions[f].is_output && !exact && stores_beyond(tail)) {
                    c.broken(f, s, "is an output, and the tail of " + dims[d].label +
                                       " would store beyond it");
                }
                guarded_outside = guarded_outside || guarded;
                whole = split.factor;
            }
        }
    });
}

// A loop is parallel, unrolled, or a vector, and nothing is parallel within a vector.
void check_loop_marks(const RuleContext &c) {
    c.each_nest([&](int f, int s, const LoopNest &nest, const std::vector<StageDim> &dims) {
        const std::vector<LoopRef> order = loop_order(nest, dims);
        for (const LoopRef loop : nest.parallel) {
            const std::string name = loop_name(dims, loop);
            if (nest.vector == loop || std::ranges::count(nest.unrolled, loop) > 0) {
                c.broken(f, s, name + " is parallel and something else");
            } else if (nest.vector && position(order, loop) < position(order, *nest.vector)) {
                c.broken(f, s, name + " is parallel inside of a vector");
            }
            // Blending reads, changes and writes what a neighbouring task may be writing.
            if (std::ranges::any_of(splits_of(nest, loop.dim), [](const Split &split) {
                    return split.tail == Tail::ShiftInwardsAndBlend ||
                           split.tail == Tail::RoundUpAndBlend;
                })) {
                c.broken(f, s, name + " is parallel along a dimension with a blended tail");
            }
        }
        if (nest.vector && std::ranges::count(nest.unrolled, *nest.vector) > 0) {
            c.broken(f, s, loop_name(dims, *nest.vector) + " is a vector and unrolled");
        }
    });
}

// Iterations that depend on each other are neither parallel nor a vector, unless the update may be
// reordered and is atomic. Unrolling keeps the order and is free.
void check_races(const RuleContext &c) {
    c.each_nest([&](int f, int s, const LoopNest &nest, const std::vector<StageDim> &dims) {
        const bool allowed = nest.atomic && may_reorder(c.graph.functions[f].stages[s]);
        const auto check = [&](LoopRef loop, const char *what) {
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
    });
}

void check_constant_extents(const RuleContext &c) {
    c.each_nest([&](int f, int s, const LoopNest &nest, const std::vector<StageDim> &dims) {
        std::vector<LoopRef> loops = nest.unrolled;
        if (nest.vector) {
            loops.push_back(*nest.vector);
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

void check_atomic(const RuleContext &c) {
    c.each_nest([&](int f, int s, const LoopNest &nest, const std::vector<StageDim> & /*dims*/) {
        if (nest.atomic && (s == 0 || !may_reorder(c.graph.functions[f].stages[s]))) {
            c.broken(f, s, "is atomic, but not an associative and commutative update");
        }
    });
}

}  // namespace nestor
