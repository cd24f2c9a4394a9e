// Loops of a nest: how many, how long, in which order, by which names.

#include "schedule/loops.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/divide.h"

namespace nestor {

namespace {

std::string next_name(std::string name, const std::set<std::string>& taken) {
    while (taken.contains(name)) {
        name += '_';
    }
    return name;
}

}  // namespace

std::string loop_name(const std::vector<StageDim>& dims, LoopRef loop) {
    // Names are handed out level by level, so that a name does not depend on how deep other
    // dimensions are split, and the labels themselves are never taken away.
    std::set<std::string> taken;
    for (const StageDim& dim : dims) {
        taken.insert(dim.label);
    }
    std::string name = dims[loop.dim].label;
    for (int level = 1; level <= loop.level; level++) {
        for (int d = 0; d < static_cast<int>(dims.size()); d++) {
            const std::string made = next_name(dims[d].label + std::string(level, 'i'), taken);
            taken.insert(made);
            if (d == loop.dim) {
                name = made;
            }
        }
    }
    return name;
}

const std::vector<Split>& splits_of(const LoopNest& nest, int dim) {
    static const std::vector<Split> none;
    return dim < static_cast<int>(nest.splits.size()) ? nest.splits[dim] : none;
}

int split_count(const LoopNest& nest, int dim) {
    return static_cast<int>(splits_of(nest, dim).size());
}

bool has_loop(const LoopNest& nest, const std::vector<StageDim>& dims, LoopRef loop) {
    return loop.dim >= 0 && loop.dim < static_cast<int>(dims.size()) && loop.level >= 0 &&
           loop.level <= split_count(nest, loop.dim);
}

const std::vector<LoopRef>& loop_order(const LoopNest& nest, const std::vector<StageDim>& dims,
                                       std::vector<LoopRef>& usual) {
    if (!nest.order.empty()) {
        return nest.order;
    }
    usual.clear();
    for (const bool pure : {false, true}) {
        for (int d = 0; d < static_cast<int>(dims.size()); d++) {
            if ((dims[d].kind == LoopKind::Pure) != pure) {
                continue;
            }
            for (int level = split_count(nest, d); level >= 0; level--) {
                usual.push_back({d, level});
            }
        }
    }
    return usual;
}

std::vector<LoopRef> loop_order(const LoopNest& nest, const std::vector<StageDim>& dims) {
    std::vector<LoopRef> usual;
    return loop_order(nest, dims, usual);
}

std::int64_t loop_extent(const LoopNest& nest, const std::vector<StageDim>& dims, LoopRef loop) {
    const std::int64_t whole =
        loop.level == 0 ? dims[loop.dim].extent : nest.splits[loop.dim][loop.level - 1].factor;
    return divide_up(whole, loop_stride(nest, loop));
}

bool has_constant_extent(const std::vector<StageDim>& dims, LoopRef loop) {
    return loop.level > 0 || dims[loop.dim].constant_extent;
}

std::int64_t loop_stride(const LoopNest& nest, LoopRef loop) {
    return loop.level < split_count(nest, loop.dim) ? nest.splits[loop.dim][loop.level].factor : 1;
}

std::int64_t stride_around(const LoopNest& nest, const std::vector<StageDim>& dims, LoopRef loop,
                           int dim) {
    std::vector<LoopRef> usual;
    bool inside = true;
    std::int64_t apart = 0;
    for (const LoopRef& each : loop_order(nest, dims, usual)) {
        inside = inside && each != loop;
        apart = inside || each.dim != dim ? apart : std::gcd(apart, loop_stride(nest, each));
    }
    return apart;
}

bool makes_tasks(const LoopNest& nest, int dim) {
    const LoopRef tasks{dim, 0};
    const LoopRef within{dim, 1};
    const int at = position(nest.order, within);
    return split_count(nest, dim) == 1 && std::ranges::count(nest.parallel, tasks) > 0 && at >= 0 &&
           position(nest.order, tasks) == at + 1;
}

int position(const std::vector<LoopRef>& order, LoopRef loop) {
    const auto found = std::ranges::find(order, loop);
    return found == order.end() ? -1 : static_cast<int>(found - order.begin());
}

}  // namespace nestor
