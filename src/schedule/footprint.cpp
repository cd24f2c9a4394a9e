#include "schedule/footprint.h"

#include <algorithm>

#include "schedule/bounds.h"

namespace nestor {

namespace {

// A function that is computed anew for each point that a consumer loads.
std::int64_t points_at_each_use(const Function& f) {
    std::int64_t points = 1;
    for (int d = 0; d < f.dimensions(); d++) {
        const bool pure = std::ranges::all_of(f.stages, [&](const Stage& stage) {
            return std::ranges::any_of(stage.loops, [&](const Loop& loop) {
                return !loop.is_reduction() && loop.position == d;
            });
        });
        points *= pure ? 1 : f.region[d].extent;
    }
    return points;
}

}  // namespace

std::vector<std::int64_t> footprint(const PipelineDag& graph, const Schedule& schedule,
                                    int function, const LoopSite& site) {
    const Placement placement(graph, schedule);
    return Bounds(placement).within(site).extents(function);
}

std::vector<bool> has_constant_footprint(const PipelineDag& graph, const Schedule& schedule,
                                         int function, const LoopSite& site) {
    const Placement placement(graph, schedule);
    Bounds bounds(placement);
    const Regions& regions = bounds.within(site);
    std::vector<bool> constant;
    for (int d = 0; d < graph.functions[function].dimensions(); d++) {
        constant.push_back(regions.touches(Source::Function, function) &&
                           !regions.span(Source::Function, function, d).varies);
    }
    return constant;
}

std::vector<std::int64_t> whole_region(const PipelineDag& graph, const Schedule& schedule,
                                       int function) {
    const Placement placement(graph, schedule);
    return Bounds(placement).whole_region(function);
}

std::int64_t allocation_bytes(const PipelineDag& graph, const Schedule& schedule, int function) {
    const Function& f = graph.functions[function];
    const Placement placement(graph, schedule);
    const Placement::Kind kind = placement.kind(function);
    if (f.is_output || kind == Placement::Kind::Inlined) {
        return 0;
    }
    if (kind == Placement::Kind::AtEachUse) {
        return points_at_each_use(f) * f.bytes_per_point();
    }
    const Level level = placement.store(function);
    std::vector<std::int64_t> extents = level.kind == Level::Kind::At
                                            ? footprint(graph, schedule, function, level.site)
                                            : whole_region(graph, schedule, function);
    if (extents.empty() && f.dimensions() > 0) {
        return 0;
    }
    const FunctionSchedule& s = schedule.functions[function];
    if (s.fold) {
        extents[s.fold->dim] = s.fold->factor;
    }
    for (const Alignment& a : s.alignment) {
        extents[a.dim] = (extents[a.dim] + a.elements - 1) / a.elements * a.elements;
    }
    std::int64_t bytes = f.bytes_per_point();
    for (const std::int64_t extent : extents) {
        bytes *= extent;
    }
    return bytes;
}

}  // namespace nestor
