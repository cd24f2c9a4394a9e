#include "search/single_blocks.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "schedule/bounds.h"
#include "schedule/loops.h"
#include "schedule/tails.h"
#include "search/uses.h"

namespace nestor {

namespace {

// Times the work of tiles that blocks may have.
constexpr double kMostAgain = 2;

using SlidLoops = std::set<LoopRef, std::greater<>>;  // inner levels first

SlidLoops slid_loops(const Placement& placement, const StageRef& stage) {
    SlidLoops slid;
    for (int f = 0; f < std::ssize(placement.graph().functions); f++) {
        if (placement.slides(f)) {
            for (const LoopSite& loop : placement.slid_loops(f)) {
                if (loop.function == stage.function && loop.stage == stage.stage) {
                    slid.insert(loop.loop);
                }
            }
        }
    }
    return slid;
}

LoopNest single_blocks(LoopNest nest, const SlidLoops& slid) {
    for (const LoopRef& loop : slid) {
        if (loop.dim >= std::ssize(nest.splits) || (nest.vector && nest.vector->dim == loop.dim)) {
            continue;
        }
        std::vector<Split>& splits = nest.splits[loop.dim];
        if (std::ranges::none_of(splits, [](const Split& split) { return is_guard(split.tail); })) {
            continue;
        }
        if (loop.level > 0) {
            const bool has_blocks = loop.level < std::ssize(splits);
            splits[loop.level - 1].factor = has_blocks ? splits[loop.level].factor : 1;
        } else {
            for (Split& split : splits) {
                split.factor = 1;
            }
        }
    }
    return nest;
}

// Whether other nests than the general one are for large sizes: else that is for them, too.
bool has_case_of_large(const StageSchedule& stage) {
    return std::ranges::any_of(stage.specializations, [](const Specialization& each) {
        return std::ranges::any_of(each.when,
                                   [](const ExtentCondition& when) { return !when.min; });
    });
}

// Of all points of a function: nodes of its expressions, in each step of a reduction.
double work(const Function& f, double points) {
    double nodes = 0;
    for (const Stage& stage : f.stages) {
        double steps = 1;
        for (const Loop& loop : stage.loops) {
            steps *= loop.is_reduction() ? static_cast<double>(loop.range.extent) : 1;
        }
        nodes += steps * stage.expression_size;
    }
    return nodes * points;
}

// Of a stage with that nest only, at the estimates: its own points, and those of functions that are
// computed at its loops.
double work_of(const PipelineDag& graph, Schedule schedule, const StageRef& stage,
               const LoopNest& nest) {
    schedule.functions[stage.function].stages[stage.stage] = {{}, nest, {}};
    const Placement placement(graph, schedule);
    Bounds bounds(placement);
    const std::vector<StageDim> dims = placement.dims(stage.function, stage.stage);
    const std::vector<LoopRef> order = loop_order(nest, dims);
    const auto iterations = [&](std::size_t from) {
        double all = 1;
        for (std::size_t at = from; at < order.size(); at++) {
            all *= static_cast<double>(loop_extent(nest, dims, order[at]));
        }
        return all;
    };
    double all = work(graph.functions[stage.function], iterations(0));
    for (int f = 0; f < std::ssize(graph.functions); f++) {
        const Level& compute = schedule.functions[f].compute;
        if (placement.kind(f) == Placement::Kind::At && compute.site.function == stage.function &&
            compute.site.stage == stage.stage) {
            double points = iterations(position(order, compute.site.loop));
            for (const std::int64_t extent : bounds.within(compute.site).extents(f)) {
                points *= static_cast<double>(extent);
            }
            all += work(graph.functions[f], points);
        }
    }
    return all;
}

}  // namespace

Schedule with_single_blocks(const PipelineDag& dag, Schedule schedule) {
    const ScheduledDag derived(dag, schedule);
    const Placement placement(*derived, schedule);
    std::vector<std::pair<LoopNest*, LoopNest>> changed;
    for (int f = 0; f < std::ssize(schedule.functions); f++) {
        for (int s = 0; s < std::ssize(schedule.functions[f].stages); s++) {
            StageSchedule& stage = schedule.functions[f].stages[s];
            const StageRef ref{f, s};
            const SlidLoops slid =
                has_case_of_large(stage) ? slid_loops(placement, ref) : SlidLoops();
            if (slid.empty()) {
                continue;
            }
            // Cases of a selector have it, too.
            const LoopNest& running = placement.running_nest(f, s);
            const auto change = [&](LoopNest& nest) {
                LoopNest blocks = single_blocks(nest, slid);
                if (!(nest == running) && !(blocks == nest) &&
                    work_of(*derived, schedule, ref, blocks) <=
                        kMostAgain * work_of(*derived, schedule, ref, nest)) {
                    changed.emplace_back(&nest, std::move(blocks));
                }
            };
            change(stage.nest);
            for (Specialization& special : stage.specializations) {
                change(special.nest);
            }
        }
    }
    for (auto& [nest, blocks] : changed) {
        *nest = std::move(blocks);
    }
    return schedule;
}

}  // namespace nestor
