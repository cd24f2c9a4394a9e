// Limits that keep the compiler and the program within reason.

#include <algorithm>

#include "schedule/loops.h"
#include "schedule/rules/copies.h"
#include "schedule/rules/rules.h"

namespace nestor {

namespace {

std::string over(const std::string& what, std::int64_t is, std::int64_t cap) {
    return what + " is " + std::to_string(is) + ", over the cap of " + std::to_string(cap);
}

}  // namespace

void check_unrolled_bodies(const RuleContext& c) {
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& dims) {
        std::int64_t bodies = 1;
        for (const LoopRef loop : nest.unrolled) {
            bodies = times(bodies, loop_extent(nest, dims, loop));
        }
        if (c.placement.kind(f) == Placement::Kind::At) {
            bodies = times(bodies, copies_around(c, c.schedule.functions[f].compute.site));
        }
        if (bodies > c.caps.unrolled_bodies) {
            c.broken(f, s, over("the number of unrolled bodies", bodies, c.caps.unrolled_bodies));
        }
    });
}

void check_vector_lanes(const RuleContext& c) {
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& dims) {
        if (nest.vector) {
            const std::int64_t steps = nest.dot ? loop_extent(nest, dims, *nest.dot) : 1;
            const std::int64_t lanes = times(loop_extent(nest, dims, *nest.vector), steps);
            if (lanes > c.caps.vector_lanes) {
                c.broken(f, s, over("the number of lanes", lanes, c.caps.vector_lanes));
            }
        }
    });
}

// Memory in registers has a constant size; neither there nor on the stack it is large. What has no
// constant size Halide keeps on the heap, and allocates it once for a task.
void check_stack(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const Memory memory = c.schedule.functions[f].memory;
        if (memory != Memory::Stack && memory != Memory::Register) {
            continue;
        }
        const Level store = c.placement.store(f);
        std::vector<bool> constant(c.graph.functions[f].args.size(), false);
        if (store.kind == Level::Kind::At) {
            constant = c.bounds.within(store.site).constant(f);
        }
        if (const std::optional<Fold>& fold = c.schedule.functions[f].fold) {
            constant[fold->dim] = true;
        }
        const bool varies = std::ranges::count(constant, false) > 0;
        const bool may_vary = memory == Memory::Stack && store.kind == Level::Kind::At;
        // What an extern stage writes is in a buffer, whose size Halide does not take for a
        // constant.
        if (c.graph.functions[f].is_extern || (varies && !may_vary)) {
            c.broken(f, -1, "is on the stack or in registers, and its size is not constant");
        }
        const std::int64_t bytes = c.bounds.allocation_bytes(f);
        if (bytes > c.caps.stack_bytes) {
            c.broken(f, -1, over("its memory on the stack, in bytes,", bytes, c.caps.stack_bytes));
        }
    }
}

// A circular buffer holds at least what one computation makes.
void check_fold_factor(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const FunctionSchedule& function = c.schedule.functions[f];
        if (!function.fold || function.compute.kind != Level::Kind::At) {
            continue;
        }
        const std::vector<std::int64_t> made = c.bounds.within(function.compute.site).extents(f);
        if (!made.empty() && made[function.fold->dim] > function.fold->factor) {
            c.broken(f, -1,
                     "is folded to " + std::to_string(function.fold->factor) +
                         ", and one computation makes " + std::to_string(made[function.fold->dim]));
        }
    }
}

void check_peak_bytes(const RuleContext& c) {
    if (c.caps.peak_bytes < 0) {
        return;
    }
    const std::int64_t bytes = peak_bytes(c.dag, c.schedule, c.caps.threads);
    if (bytes > c.caps.peak_bytes) {
        c.violations.push_back({"the schedule", over("the memory of all allocations, in bytes,",
                                                     bytes, c.caps.peak_bytes)});
    }
}

namespace {

// A definition may always grow by half: nothing makes it smaller than it is written.
void check_expressions(const RuleContext& c, int Stage::* size, std::int64_t most,
                       const char* what) {
    InlinedSizes sizes(c, size);
    for (int f = 0; f < c.functions(); f++) {
        if (c.placement.kind(f) == Placement::Kind::Inlined) {
            continue;
        }
        for (const Stage& stage : c.graph.functions[f].stages) {
            const std::int64_t inlined = sizes.of(stage);
            const std::int64_t written = stage.*size;
            if (inlined > std::max(most, written + written / 2)) {
                c.broken(f, stage.index, over(what, inlined, most));
            }
        }
    }
}

}  // namespace

void check_inlined_size(const RuleContext& c) {
    check_expressions(c, &Stage::expression_size, c.caps.inlined_size,
                      "the size of its expression with what is inlined");
    if (c.caps.distinct_size >= 0) {
        check_expressions(c, &Stage::distinct_nodes, c.caps.distinct_size,
                          "the size of its expression with what is inlined, equal parts once,");
    }
}

}  // namespace nestor
