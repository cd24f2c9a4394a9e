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

// A loop of one iteration is none to Halide.
bool is_divided(const NestFacts& nest, int loop_dim, std::size_t from) {
    return std::any_of(nest.loops.begin() + static_cast<std::ptrdiff_t>(from), nest.loops.end(),
                       [&](const LoopFacts& loop) {
                           return loop.site.loop.dim == loop_dim && loop.trips > 1 &&
                                  may_be_partitioned(*nest.nest, loop.site.loop);
                       });
}

bool keeps_guard(ScheduleFacts& facts, const NestFacts& nest, int loop_dim);

// Whether less of a function is computed in some iterations of the loop where it is, because of a
// guard around the last of what reads it, which no loop takes out; or of what reads that, and so
// on.
bool is_cut_by_readers(ScheduleFacts& facts, int function, int dim) {
    if (facts.placement().kind(function) != Placement::Kind::At) {
        return false;
    }
    const LoopSite& site = facts.placement().schedule().functions[function].compute.site;
    const NestFacts& around = facts.nest(site.function, site.stage);
    const Regions& regions = facts.bounds().within(site);
    if (!regions.touches(Source::Function, function)) {
        return false;
    }
    const auto from = static_cast<std::size_t>(
        std::ranges::find(around.loops, site, &LoopFacts::site) - around.loops.begin());
    const Span span = regions.span(Source::Function, function, dim);
    for (int d = 0; d < std::ssize(span.rates); d++) {
        if (span.rates[d] != 0 && !is_divided(around, d, from) && keeps_guard(facts, around, d)) {
            return true;
        }
    }
    return false;
}

// A loop of a stage, with what Halide knows of its extent.
StageDim known_dim(ScheduleFacts& facts, const NestFacts& nest, int loop_dim) {
    const Function& f = facts.graph().functions[nest.function];
    const Loop& loop = f.stages[nest.stage].loops[loop_dim];
    StageDim dim = facts.bounds().dims(nest.function, nest.stage)[loop_dim];
    if (!loop.is_reduction()) {
        const bool all = f.constant[loop.position] && dim.extent == f.region[loop.position].extent;
        dim.constant_extent =
            (dim.constant_extent || all) && !is_cut_by_readers(facts, nest.function, loop.position);
    }
    return dim;
}

// Whether the tail of a loop is a guard, and Halide does not know that it always holds.
bool keeps_guard(ScheduleFacts& facts, const NestFacts& nest, int loop_dim) {
    const std::vector<Split>& splits = splits_of(*nest.nest, loop_dim);
    StageDim dim = facts.bounds().dims(nest.function, nest.stage)[loop_dim];
    dim.constant_extent = false;  // whatever is known, which takes longer to find out
    return has_guard(splits, dim, nest.stage) &&
           has_guard(splits, known_dim(facts, nest, loop_dim), nest.stage);
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
    const Function& f = facts.graph().functions[nest.function];
    if (f.joined) {
        return true;
    }
    return !is_divided(nest, loop_dim, nest.innermost_rolled()) &&
           keeps_guard(facts, nest, loop_dim);
}

double masked_share(ScheduleFacts& facts, const NestFacts& nest, int loop_dim) {
    if (!keeps_guard(facts, nest, loop_dim)) {
        return 0;
    }
    double block = 1;  // points that the loops of the dimension go over, all together
    double iterations = 1;
    bool divided = false;
    for (std::size_t i = 0; i < nest.loops.size(); i++) {
        const LoopFacts& loop = nest.loops[i];
        if (loop.site.loop.dim != loop_dim) {
            continue;
        }
        if (i < nest.innermost_rolled() || loop.trips <= 1) {
            block = std::max(block, loop.stride * std::ceil(loop.trips));
        } else {
            iterations *= loop.trips;
            divided = divided || may_be_partitioned(*nest.nest, loop.site.loop);
        }
    }
    if (!divided) {
        return 1;
    }
    const std::int64_t extent = facts.bounds().dims(nest.function, nest.stage)[loop_dim].extent;
    const bool comes_out_even = std::fmod(static_cast<double>(extent), block) == 0;
    return comes_out_even ? 0 : 1 / std::max(iterations, 1.0);
}

}  // namespace nestor
