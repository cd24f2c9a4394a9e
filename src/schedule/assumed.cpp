#include "schedule/assumed.h"

#include <algorithm>

namespace nestor {

namespace {

// Whether an iteration of the loop may need a part only of what is known when assumptions hold.
bool may_divide(const Function& f, const Loop& loop) {
    return loop.range.extent > 1 && (loop.is_reduction() || is_assumed(f, loop));
}

}  // namespace

bool is_assumed(const Function& f, const Loop& loop) {
    return !loop.is_reduction() && f.assumed[loop.position];
}

std::vector<ExtentCondition> all_assumptions(const PipelineDag& dag, int function) {
    std::vector<ExtentCondition> when;
    for (const Assumption& each : dag.assumptions) {
        when.push_back({each.dim, each.range.extent, each.output == function ? -1 : each.output,
                        each.range.min});
    }
    return when;
}

bool needs_assumptions(const PipelineDag& dag, int function, const Specialization& special) {
    return !dag.assumptions.empty() &&
           std::ranges::all_of(all_assumptions(dag, function), [&](const ExtentCondition& each) {
               return std::ranges::count(special.when, each) > 0;
           });
}

bool is_whole_along_assumed(const Placement& placement, int function) {
    if (placement.kind(function) != Placement::Kind::At) {
        return placement.kind(function) == Placement::Kind::Root;
    }
    for (const LoopSite& site :
         placement.chain(placement.schedule().functions[function].compute.site)) {
        const Function& f = placement.graph().functions[site.function];
        for (const LoopNest* nest : placement.nests(site.function, site.stage)) {
            const std::vector<LoopRef> order =
                loop_order(*nest, placement.dims(site.function, site.stage));
            const auto first = std::ranges::find(order, site.loop);
            if (std::any_of(first, order.end(), [&](const LoopRef& ref) {
                    return may_divide(f, f.stages[site.stage].loops[ref.dim]);
                })) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace nestor
