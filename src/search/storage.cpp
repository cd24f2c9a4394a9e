#include "search/storage.h"

#include <algorithm>

#include "schedule/bounds.h"
#include "schedule/legality.h"

namespace nestor {

namespace {

// What Halide 21 puts on the stack by itself, if it knows that it is no larger.
constexpr std::int64_t kSmall = 16 * 1024;

bool is_parallel(const Schedule& schedule, const LoopSite& site) {
    const LoopNest& nest = schedule.functions[site.function].stages[site.stage].nest;
    return std::ranges::count(nest.parallel, site.loop) > 0;
}

}  // namespace

Schedule with_kept_storage(const PipelineDag& dag, Schedule schedule) {
    const ScheduledDag derived(dag, schedule);
    const Placement placement(*derived, schedule);
    Bounds bounds(placement);
    const Caps caps;
    std::vector<int> kept;
    for (int f = 0; f < std::ssize(schedule.functions); f++) {
        const FunctionSchedule& function = schedule.functions[f];
        if (placement.kind(f) != Placement::Kind::At || placement.is_transparent(f) ||
            placement.graph().functions[f].is_extern || function.memory != Memory::Auto) {
            continue;
        }
        const Level storage = placement.storage(f);
        if (storage.kind != Level::Kind::At || is_parallel(schedule, storage.site)) {
            continue;
        }
        const std::vector<bool> constant = bounds.within(storage.site).constant(f);
        const std::int64_t bytes = bounds.allocation_bytes(f);
        const bool unknown = std::ranges::count(constant, false) > 0;
        if (bytes > 0 && bytes <= (unknown ? caps.stack_bytes : kSmall)) {
            kept.push_back(f);
        }
    }
    for (const int f : kept) {
        schedule.functions[f].memory = Memory::Stack;
    }
    return schedule;
}

}  // namespace nestor
