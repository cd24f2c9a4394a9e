#include "halide/pinned.h"

#include <algorithm>

namespace nestor {

using namespace Halide;
using namespace Halide::Internal;

namespace {

using Reason = std::optional<std::string>;

Reason reason_of_loops(const Definition& d) {
    const StageSchedule& s = d.schedule();
    if (!s.splits().empty()) {
        return "its loops are split, fused or renamed";
    }
    for (const Dim& dim : s.dims()) {
        if (dim.device_api != DeviceAPI::None && dim.device_api != DeviceAPI::Host) {
            return "it runs on a device";
        }
        if (dim.for_type != ForType::Serial) {
            return "its loop over " + variable_label(dim.var) + " is scheduled";
        }
        if (dim.partition_policy != Partition::Auto) {
            return "it has a partition policy";
        }
    }
    if (!d.specializations().empty()) {
        return "it is specialised";
    }
    if (!s.prefetches().empty()) {
        return "it prefetches";
    }
    if (!s.fuse_level().level.is_inlined() || !s.fused_pairs().empty()) {
        return "it is computed with another function";
    }
    if (s.atomic() || s.allow_race_conditions()) {
        return "its update is atomic or may race";
    }
    return std::nullopt;
}

// Halide's order before any reorder(): reduction variables in the order of the domain, then the
// pure variables in the order of the arguments.
bool is_reordered(const HalideFunction& f, const Definition& d) {
    std::vector<std::string> expected;
    for (const ReductionVariable& rvar : d.schedule().rvars()) {
        expected.push_back(rvar.var);
    }
    for (const std::string& arg : f.args()) {
        expected.push_back(arg);
    }
    std::size_t at = 0;
    for (const Dim& dim : d.schedule().dims()) {
        const auto it = std::find(expected.begin(), expected.end(), dim.var);
        if (it == expected.end()) {
            continue;  // __outermost
        }
        const auto position = static_cast<std::size_t>(it - expected.begin());
        if (position < at) {
            return true;
        }
        at = position;
    }
    return false;
}

Reason reason_of_storage(const HalideFunction& f) {
    const FuncSchedule& s = f.schedule();
    const std::vector<StorageDim>& dims = s.storage_dims();
    for (std::size_t i = 0; i < dims.size(); i++) {
        if (dims[i].alignment.defined() || dims[i].bound.defined() ||
            dims[i].fold_factor.defined()) {
            return "its storage is aligned, bounded or folded";
        }
        if (i < f.args().size() && dims[i].var != f.args()[i]) {
            return "its storage is reordered";
        }
    }
    if (s.memory_type() != MemoryType::Auto) {
        return "it is stored in a given type of memory";
    }
    if (s.memoized()) {
        return "it is memoised";
    }
    if (s.async() || s.ring_buffer().defined()) {
        return "it is asynchronous";
    }
    return s.wrappers().empty() ? Reason() : Reason("it has wrappers or clones");
}

Reason reason_of_levels(const PipelineParts& parts, const HalideFunction& f) {
    const bool is_output =
        std::any_of(parts.outputs.begin(), parts.outputs.end(),
                    [&](const HalideFunction& output) { return output.same_as(f); });
    const LoopLevel& compute = f.schedule().compute_level();
    if (!compute.defined() || !compute.is_inlined()) {
        if (!compute.defined() || !compute.is_root() || !is_output) {
            return "it has a compute level";
        }
    }
    const LoopLevel& store = f.schedule().store_level();
    if (store.defined() && !store.is_inlined() && !(is_output && store.is_root())) {
        return "it has a store level";
    }
    return std::nullopt;
}

Reason own_reason(const PipelineParts& parts, const HalideFunction& f) {
    if (Reason reason = reason_of_levels(parts, f)) {
        return reason;
    }
    if (Reason reason = reason_of_storage(f)) {
        return reason;
    }
    if (!f.has_pure_definition() || f.has_extern_definition()) {
        return std::nullopt;  // an extern stage has no loops to schedule
    }
    for (int stage = 0; stage <= static_cast<int>(f.updates().size()); stage++) {
        const Definition& d = stage == 0 ? f.definition() : f.update(stage - 1);
        if (Reason reason = reason_of_loops(d)) {
            return reason;
        }
        if (is_reordered(f, d)) {
            return "its loops are reordered";
        }
    }
    return std::nullopt;
}

bool names_loop_of(const LoopLevel& level, const HalideFunction& f) {
    return level.defined() && !level.is_inlined() && !level.is_root() && level.func() == f.name();
}

}  // namespace

std::optional<std::string> pinned_reason(const PipelineParts& parts, const HalideFunction& f) {
    if (Reason reason = own_reason(parts, f)) {
        return "scheduled by the user: " + *reason;
    }
    for (const HalideFunction& other : parts.order) {
        const FuncSchedule& s = other.schedule();
        if (names_loop_of(s.compute_level(), f) || names_loop_of(s.store_level(), f) ||
            names_loop_of(s.hoist_storage_level(), f)) {
            return "a loop of it is named in the schedule of " + parts.ids.at(other.name()).text();
        }
    }
    return std::nullopt;
}

int pinned_inside(const PipelineParts& parts, const HalideFunction& f) {
    for (int i = 0; i < static_cast<int>(parts.order.size()); i++) {
        if (names_loop_of(f.schedule().compute_level(), parts.order[i])) {
            return i;
        }
    }
    // Consumers read its wrapper.
    for (const auto& [consumer, wrapper] : f.schedule().wrappers()) {
        if (const int inside = pinned_inside(parts, HalideFunction(wrapper)); inside >= 0) {
            return inside;
        }
    }
    return -1;
}

}  // namespace nestor
