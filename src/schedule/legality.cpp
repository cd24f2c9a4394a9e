#include "schedule/legality.h"

#include <algorithm>

#include "schedule/bounds.h"
#include "schedule/joined.h"
#include "schedule/loops.h"
#include "schedule/rules/rules.h"

namespace nestor {

namespace {

using Rule = void (*)(const RuleContext&);

// Each group relies on the ones before: it is checked only if they found nothing.
const std::vector<std::vector<Rule>> kRules = {
    {check_algorithm},
    {check_derivations},
    {check_stage_counts},
    {check_nest_shapes, check_sites_exist, check_storage_dims},
    {
        check_pinned,
        check_pinned_inside,
        check_extern,
        check_outputs,
        check_order,
        check_tails,
        check_loop_marks,
        check_dots,
        check_races,
        check_constant_extents,
        check_atomic,
        check_inlined,
        check_read,
        check_sites_run,
        check_consumers_inside,
        check_storage_levels,
        check_sliding,
        check_slides_through,
        check_storage_directives,
        check_storage_bounds,
        check_specializations,
        check_compute_with,
        check_prefetch,
    },
    {
        check_still_slides,
        check_unrolled_bodies,
        check_vector_lanes,
        check_stack,
        check_fold_factor,
        check_peak_bytes,
        check_inlined_size,
        check_code_size,
    },
};

// With Caps::careful_reads.
using CarefulRule = void (*)(const RuleContext&, const Reach&);
const std::vector<CarefulRule> kCarefulRules = {check_careful_tails, check_careful_slides,
                                                check_careful_warm_ups};

// Iterations of the parallel loops around memory that is allocated at `level`.
std::int64_t parallel_iterations(const Placement& placement, const Level& level) {
    std::int64_t iterations = 1;
    if (level.kind != Level::Kind::At) {
        return iterations;
    }
    for (const LoopSite& site : placement.chain(level.site)) {
        const std::vector<StageDim> dims = placement.dims(site.function, site.stage);
        const LoopNest& nest = placement.running_nest(site.function, site.stage);
        const std::vector<LoopRef> order = loop_order(nest, dims);
        for (const LoopRef loop : nest.parallel) {
            if (position(order, loop) >= position(order, site.loop)) {
                iterations *= loop_extent(nest, dims, loop);
            }
        }
    }
    return iterations;
}

}  // namespace

std::vector<Violation> check_legality(const PipelineDag& dag, const Schedule& schedule,
                                      const Caps& caps) {
    std::vector<Violation> violations;
    if (schedule.functions.size() < dag.functions.size()) {
        return {{"the schedule", "has fewer functions than the pipeline"}};
    }
    const ScheduledDag derived(dag, schedule);
    const Placement placement(*derived, schedule);
    Bounds bounds(placement);
    const RuleContext context{dag,       schedule, derived, *derived,
                              placement, bounds,   caps,    violations};
    // What is computed together is one function, which all other rules are about.
    if (const auto together = joined(dag, schedule)) {
        violations = check_legality(together->dag, together->schedule, caps);
        if (violations.empty()) {
            check_compute_with(context);
        }
        return violations;
    }
    for (const std::vector<Rule>& group : kRules) {
        for (const Rule rule : group) {
            rule(context);
        }
        if (!violations.empty()) {
            return violations;
        }
    }
    if (caps.careful_reads) {
        const Reach reach(*derived);
        for (const CarefulRule rule : kCarefulRules) {
            rule(context, reach);
        }
        check_folds(context);
    }
    return violations;
}

std::string text(const std::vector<Violation>& violations) {
    std::string text;
    for (const Violation& v : violations) {
        text += (text.empty() ? "" : "; ") + v.where + ": " + v.what;
    }
    return text;
}

std::int64_t peak_bytes(const PipelineDag& dag, const Schedule& schedule, int threads) {
    if (const auto together = joined(dag, schedule)) {
        return peak_bytes(together->dag, together->schedule, threads);
    }
    const ScheduledDag graph(dag, schedule);
    const Placement placement(*graph, schedule);
    Bounds bounds(placement);
    std::int64_t bytes = 0;
    for (int f = 0; f < static_cast<int>(schedule.functions.size()); f++) {
        const std::int64_t copies =
            std::min<std::int64_t>(threads, parallel_iterations(placement, placement.storage(f)));
        bytes += bounds.allocation_bytes(f) * copies;
    }
    return bytes;
}

void RuleContext::broken(int function, int stage, std::string what) const {
    std::string where = name(function);
    if (stage >= 0) {
        where += ", stage " + std::to_string(stage);
    }
    violations.push_back({std::move(where), std::move(what)});
}

const Specialization* RuleContext::case_of(int function, int stage, const LoopNest& nest) const {
    const std::vector<Specialization>& cases =
        schedule.functions[function].stages[stage].specializations;
    const auto mine = std::ranges::find_if(
        cases, [&](const Specialization& each) { return &each.nest == &nest; });
    return mine == cases.end() ? nullptr : &*mine;
}

std::string RuleContext::name(int function) const {
    return function_text(dag, schedule, function);
}

}  // namespace nestor
