#include <algorithm>
#include <map>

#include "cost/terms.h"

namespace nestor {

namespace {

// Halide puts smaller allocations of constant size on the stack, which costs nothing.
constexpr double kStackBytes = 16384;
// Whether the C library keeps memory depends on what else the process has freed: an image of some
// MiB before, and it does. Half of the processes are taken to be such.
constexpr double kFreshProcesses = 0.5;

// What one group allocates in loops and at root.
class Allocations {
  public:
    Allocations(ScheduleFacts& facts, int root) : facts_(facts) {
        double largest = facts.root_memory().largest;
        for (const NestFacts& nest : facts.nests()) {
            if (nest.root != root || nest.stage != 0) {
                continue;
            }
            const double bytes = facts.allocated_bytes(nest.function);
            if (bytes <= kStackBytes) {
                continue;
            }
            const Function& f = facts.graph().functions[nest.function];
            const double block = largest_block(f, bytes);
            const Level storage = facts.placement().storage(nest.function);
            if (storage.kind == Level::Kind::At) {
                Here& here = in_loops_[storage.site];
                here.count += static_cast<double>(f.types.size());
                if (block > RootMemory::kLargestKept) {
                    here.never_kept += bytes;
                } else {
                    here.bytes += bytes;
                    largest = std::max(largest, block);
                }
            } else {
                at_root_ = bytes;
                root_block_ = block;
                root_calls_ = static_cast<double>(f.types.size());
            }
        }
        threshold_ = trim_threshold(largest);
    }

    // Calls of the allocator.
    [[nodiscard]] double calls() const {
        double calls = root_calls_;
        for (const auto& [site, here] : in_loops_) {
            calls += here.count * iterations(site);
        }
        return calls;
    }

    // Bytes that the system hands out anew.
    [[nodiscard]] double fresh_bytes() {
        double fresh = 0;
        if (root_block_ > RootMemory::kLargestKept) {
            fresh = at_root_;
        } else if (facts_.root_memory().is_given_back()) {
            fresh = kFreshProcesses * at_root_;
        }
        for (const auto& [site, here] : in_loops_) {
            fresh +=
                iterations(site) * (here.never_kept + kFreshProcesses * fresh_in(site, here.bytes));
        }
        return fresh;
    }

  private:
    struct Here {
        double bytes = 0;
        double never_kept = 0;  // bytes of blocks that the C library hands back at once
        double count = 0;
    };

    [[nodiscard]] double iterations(const LoopSite& site) const {
        const NestFacts& around = facts_.nest(site.function, site.stage);
        std::size_t position = 0;
        while (position < around.loops.size() && around.loops[position].site.loop != site.loop) {
            position++;
        }
        return around.iterations(position);
    }

    // Of one iteration: all that was used since the last time, if it is given back at the end.
    [[nodiscard]] double fresh_in(const LoopSite& site, double bytes) const {
        const double used = bytes + used_inside(site);
        return used >= threshold_ ? used : 0;
    }

    // The most that is used at once in loops inside of it, and not given back there.
    [[nodiscard]] double used_inside(const LoopSite& site) const {
        double most = 0;
        for (const auto& [inner, here] : in_loops_) {
            if (inner != site && facts_.placement().is_inside(inner, site)) {
                const double used = here.bytes + used_inside(inner);
                most = std::max(most, used >= threshold_ ? 0 : used);
            }
        }
        return most;
    }

    ScheduleFacts& facts_;
    std::map<LoopSite, Here> in_loops_;
    double at_root_ = 0;     // bytes
    double root_block_ = 0;  // those of its largest block
    double root_calls_ = 0;
    double threshold_ = 0;
};

}  // namespace

double allocation_seconds(ScheduleFacts& facts, int root) {
    const Machine& machine = facts.machine();
    Allocations allocations(facts, root);
    return allocations.calls() * machine.allocation.value +
           allocations.fresh_bytes() / machine.page_bytes.value * machine.page_fault.value;
}

}  // namespace nestor
