#include "schedule/trips.h"

#include <algorithm>

namespace nestor {

double trip_count(const LoopNest& nest, const std::vector<StageDim>& dims, LoopRef loop) {
    return trip_count(nest, dims[loop.dim].extent, loop);
}

double trip_count(const LoopNest& nest, std::int64_t extent, LoopRef loop) {
    const bool split = loop.dim < static_cast<int>(nest.splits.size());
    const int levels = split ? static_cast<int>(nest.splits[loop.dim].size()) : 0;
    const auto tile = [&](int level) {  // extent of what the loop at `level` covers
        return level == 0 ? extent : nest.splits[loop.dim][level - 1].factor;
    };
    const auto whole = static_cast<double>(std::min(tile(loop.level), extent));
    if (loop.level == levels) {
        return whole;
    }
    const auto inner = static_cast<double>(tile(loop.level + 1));
    return std::max(1.0,
                    static_cast<double>(static_cast<std::int64_t>((whole + inner - 1) / inner)));
}

double enclosing_trips(const LoopNest& nest, const std::vector<StageDim>& dims, LoopRef loop) {
    double trips = 1;
    bool inside = false;
    for (const LoopRef& each : loop_order(nest, dims)) {
        inside |= each == loop;
        trips *= inside ? trip_count(nest, dims, each) : 1;
    }
    return trips;
}

double parallel_tasks(const LoopNest& nest, const std::vector<StageDim>& dims) {
    double tasks = 1;
    for (const LoopRef& loop : nest.parallel) {
        tasks *= trip_count(nest, dims, loop);
    }
    return tasks;
}

}  // namespace nestor
