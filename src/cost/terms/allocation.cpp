#include <algorithm>

#include "cost/terms.h"

namespace nestor {

namespace {

// Halide puts smaller allocations of constant size on the stack, which costs nothing.
constexpr double kStackBytes = 16384;
// The C library on Linux keeps freed memory of this size at most for the next allocation; what is
// larger goes back to the system and comes back as fresh pages (mallopt(3), M_MMAP_THRESHOLD).
constexpr double kKeptBytes = 32.0 * (1 << 20);

}  // namespace

double allocation_seconds(ScheduleFacts& facts, int root) {
    const Machine& machine = facts.machine();
    double seconds = 0;
    for (const NestFacts& nest : facts.nests()) {
        if (nest.root != root || nest.stage != 0) {
            continue;
        }
        const double bytes = facts.allocated_bytes(nest.function);
        if (bytes == 0) {
            continue;
        }
        const Level storage = facts.placement().storage(nest.function);
        double times = 1;
        if (storage.kind == Level::Kind::At) {
            const NestFacts& around = facts.nest(storage.site.function, storage.site.stage);
            std::size_t position = 0;
            while (position < around.loops.size() &&
                   around.loops[position].site.loop != storage.site.loop) {
                position++;
            }
            times = around.iterations(position);
        }
        if (bytes > kStackBytes) {
            seconds += times * machine.allocation.value;
        }
        if (bytes > kKeptBytes) {
            seconds += times * bytes / machine.page_bytes.value * machine.page_fault.value;
        }
    }
    return seconds;
}

}  // namespace nestor
