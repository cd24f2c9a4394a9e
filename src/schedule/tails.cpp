#include "schedule/tails.h"

#include <algorithm>

#include "base/divide.h"
#include "schedule/loops.h"

namespace nestor {

Tail resolved(Tail tail, LoopKind kind, int stage, std::size_t level) {
    if (tail != Tail::Auto) {
        return tail;
    }
    if (kind != LoopKind::Pure || (stage > 0 && level > 0)) {
        return Tail::GuardWithIf;
    }
    return stage == 0 ? Tail::ShiftInwards : Tail::RoundUp;
}

bool is_guard(Tail tail) {
    return tail == Tail::GuardWithIf || tail == Tail::Predicate;
}

bool stores_beyond(Tail tail) {
    return tail == Tail::RoundUp || tail == Tail::PredicateLoads || tail == Tail::RoundUpAndBlend;
}

bool moves_inwards(Tail tail) {
    return tail == Tail::ShiftInwards || tail == Tail::ShiftInwardsAndBlend;
}

bool computes_more(const std::vector<Split>& splits, const StageDim& dim, int stage) {
    std::int64_t whole = dim.constant_extent ? dim.extent : 0;
    for (std::size_t level = 0; level < splits.size(); level++) {
        const Tail tail = resolved(splits[level].tail, dim.kind, stage, level);
        const bool exact = whole > 0 && whole % splits[level].factor == 0;
        const bool more =
            moves_inwards(tail) || (stores_beyond(tail) && tail != Tail::PredicateLoads);
        if (!exact && more) {
            return true;
        }
        whole = splits[level].factor;
    }
    return false;
}

bool has_guard(const LoopNest& nest, const std::vector<StageDim>& dims, int stage, int dim) {
    return has_guard(splits_of(nest, dim), dims[dim], stage);
}

bool has_guard(const std::vector<Split>& splits, const StageDim& dim, int stage) {
    std::int64_t whole = dim.constant_extent ? dim.extent : 0;
    for (std::size_t level = 0; level < splits.size(); level++) {
        const Tail tail = resolved(splits[level].tail, dim.kind, stage, level);
        const bool exact = whole > 0 && whole % splits[level].factor == 0;
        if (!exact && is_guard(tail)) {
            return true;
        }
        whole = splits[level].factor;
    }
    return false;
}

std::int64_t stored_extent(std::int64_t extent, const std::vector<Split>& splits, LoopKind kind,
                           int stage, std::size_t first) {
    if (first >= splits.size()) {
        return extent;
    }
    const std::int64_t factor = std::max<std::int64_t>(1, splits[first].factor);
    const Tail tail = resolved(splits[first].tail, kind, stage, first);
    const std::int64_t excess = stored_extent(factor, splits, kind, stage, first + 1) - factor;
    if (stores_beyond(tail) || tail == Tail::PredicateStores) {
        return divide_up(extent, factor) * factor + excess;
    }
    if (moves_inwards(tail)) {
        return std::max(extent, factor) + excess;
    }
    return extent;
}

}  // namespace nestor
