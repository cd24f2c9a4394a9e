#include "cost/conditions.h"

#include <algorithm>
#include <cmath>

#include "schedule/loops.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

bool may_be_partitioned(const LoopNest& nest, LoopRef loop) {
    return std::ranges::none_of(nest.partition, [&](const LoopPartition& each) {
        return each.loop == loop && each.policy == PartitionPolicy::Never;
    });
}

// How far the loops around a stage that may be partitioned move it along a dimension of its
// function, at most; 0: there is none.
double step_around(ScheduleFacts& facts, int function, int dim) {
    const Placement& placement = facts.placement();
    double step = 0;
    if (placement.kind(function) != Placement::Kind::At) {
        return step;
    }
    for (const LoopSite& site :
         placement.chain(placement.schedule().functions[function].compute.site)) {
        const NestFacts& around = facts.nest(site.function, site.stage);
        bool outside = false;
        for (const LoopFacts& loop : around.loops) {
            outside = outside || loop.site.loop == site.loop;
            const bool rolled = loop.run == LoopRun::Serial || loop.run == LoopRun::Parallel;
            if (!outside || !rolled || loop.trips <= 1 ||
                !may_be_partitioned(*around.nest, loop.site.loop)) {
                continue;
            }
            const Regions& regions = facts.bounds().within(loop.site);
            if (regions.touches(Source::Function, function)) {
                step = std::max(step, std::abs(regions.advance(Source::Function, function, dim)));
            }
        }
    }
    return step;
}

}  // namespace

double border_share(ScheduleFacts& facts, const NestFacts& nest, int loop_dim) {
    const Function& f = facts.graph().functions[nest.function];
    const Loop& loop = f.stages[nest.stage].loops[loop_dim];
    if (loop.is_reduction()) {
        return 0;
    }
    double step = step_around(facts, nest.function, loop.position);
    for (std::size_t i = nest.innermost_rolled(); i < nest.loops.size(); i++) {
        const LoopFacts& each = nest.loops[i];
        if (each.site.loop.dim == loop_dim && each.trips > 1 &&
            may_be_partitioned(*nest.nest, each.site.loop)) {
            step = std::max(step, each.stride);
        }
    }
    const auto whole = static_cast<double>(f.region[loop.position].extent);
    return step > 0 ? std::min(1.0, 2 * step / std::max(whole, 1.0)) : 1;
}

bool copies_are_guarded(ScheduleFacts& facts, const NestFacts& nest, int loop_dim) {
    const bool divided = std::any_of(
        nest.loops.begin() + static_cast<std::ptrdiff_t>(nest.innermost_rolled()), nest.loops.end(),
        [&](const LoopFacts& loop) {
            return loop.site.loop.dim == loop_dim && may_be_partitioned(*nest.nest, loop.site.loop);
        });
    if (divided) {
        return false;
    }
    const Function& f = facts.graph().functions[nest.function];
    const Loop& loop = f.stages[nest.stage].loops[loop_dim];
    std::vector<StageDim> dims = facts.bounds().dims(nest.function, nest.stage);
    if (!loop.is_reduction() && f.constant[loop.position] &&
        dims[loop_dim].extent == f.region[loop.position].extent) {
        dims[loop_dim].constant_extent = true;
    }
    return has_guard(*nest.nest, dims, nest.stage, loop_dim);
}

}  // namespace nestor
