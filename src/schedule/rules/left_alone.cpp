// Rules on what is not Nestor's to schedule.

#include <algorithm>

#include "schedule/rules/rules.h"

namespace nestor {

// What the user scheduled stays exactly as it is. Where its loops are is not known, so that nothing
// is computed at them.
void check_pinned(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const std::optional<std::string>& reason = c.graph.functions[f].pinned;
        if (!reason) {
            continue;
        }
        FunctionSchedule untouched;
        untouched.derivation = c.schedule.functions[f].derivation;
        untouched.stages.resize(c.schedule.functions[f].stages.size());
        if (c.schedule.functions[f] != untouched) {
            c.broken(f, -1, "is left as it is (" + *reason + "), but has a schedule");
        }
    }
}

// What reads a function that the user computes at a loop has to be inside of that loop; of what is
// not the user's, only inlined functions surely are.
void check_pinned_inside(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const int around = c.graph.functions[f].pinned_inside;
        if (around < 0) {
            continue;
        }
        for (const Placement::Use& use : c.placement.uses(f)) {
            if (use.function != around && !c.graph.functions[use.function].pinned) {
                c.broken(use.function, use.stage,
                         "reads " + c.name(f) + ", which the program computes at a loop of " +
                             c.name(around) + ", and is not inlined there");
            }
        }
    }
}

// Halide cannot inline an extern stage, nor what one reads: those take whole buffers. Nor does it
// find the size of an extern stage's memory outside of where it is stored.
void check_extern(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const Function& function = c.graph.functions[f];
        for (const int input : function.extern_inputs) {
            if (c.placement.is_transparent(input)) {
                c.broken(input, -1,
                         "is read by the extern stage " + c.name(f) +
                             ": compute it at root or at a loop");
            }
        }
        if (function.is_extern && c.placement.storage(f) != c.placement.store(f)) {
            c.broken(f, -1, "is an extern stage, but its memory is hoisted");
        }
    }
}

// Outputs are computed at root, into memory that the caller gives.
void check_outputs(const RuleContext& c) {
    for (const int f : c.dag.outputs) {
        const FunctionSchedule& function = c.schedule.functions[f];
        const auto at_root = [](const Level& level) {
            return level.kind == Level::Kind::Default || level.kind == Level::Kind::Root;
        };
        if (!at_root(function.compute) || !at_root(function.store) || !at_root(function.hoist)) {
            c.broken(f, -1, "is an output: it is computed and stored at root");
        }
        if (function.memory != Memory::Auto || function.fold || !function.alignment.empty() ||
            !function.storage_order.empty() || !function.storage_bounds.empty()) {
            c.broken(f, -1, "is an output: the caller decides on its memory");
        }
        if (!function.region_alignment.empty()) {
            c.broken(f, -1, "is an output: the caller decides on what is computed");
        }
    }
}

}  // namespace nestor
