#include "search/channel_inlining.h"

#include <cstdint>

namespace nestor {

namespace {

// Whether a stage reads the function, and at the same points all along a loop.
bool is_read_by_all(const Stage& stage, int function, int loop) {
    bool reads = false;
    for (const Load& load : stage.loads) {
        if (load.source == Source::Function && load.index == function) {
            if (change_with(load.coords, loop)) {
                return false;
            }
            reads = true;
        }
    }
    return reads;
}

// All channels of a stage that reads the function, as copies of the code; false if they are that
// already, or there are none.
bool unroll_channels(const Function& reader, const Stage& stage, int function, NestPlan& nest) {
    bool changed = false;
    for (int d = 0; d < std::ssize(stage.loops); d++) {
        const std::int64_t extent = stage.loops[d].range.extent;
        if (is_free(reader, stage.loops[d]) && d != nest.vector_dim && extent > 1 &&
            extent <= kLargestBlock && is_read_by_all(stage, function, d) &&
            (nest.block[d] < extent || nest.short_outside)) {
            nest.block[d] = static_cast<int>(extent);
            nest.short_outside = false;
            changed = true;
        }
    }
    return changed;
}

}  // namespace

void for_each_inlining_into_channels(const PipelineDag& dag, const Plan& plan, int function,
                                     const std::function<void(const Plan&)>& visit) {
    const Function& f = dag.functions[function];
    if (!f.can_inline || f.pinned || f.is_extern ||
        plan.functions[function].place == Place::Inlined) {
        return;
    }
    Plan changed = plan;
    bool any = false;
    for (const int consumer : f.consumers) {
        const Function& reader = dag.functions[consumer];
        if (reader.pinned || reader.is_extern) {
            continue;
        }
        for (const Stage& stage : reader.stages) {
            NestPlan& nest = changed.functions[consumer].stages[stage.index];
            any = unroll_channels(reader, stage, function, nest) || any;
        }
    }
    if (any) {
        changed.functions[function].place = Place::Inlined;
        visit(changed);
    }
}

}  // namespace nestor
