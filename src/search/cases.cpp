#include "search/cases.h"

#include <algorithm>

namespace nestor {

namespace {

// Whether what is read changes along a loop in another way than by whole points: a border, or an
// index that is computed.
class BorderSearch {
  public:
    BorderSearch(const PipelineDag& dag, const Plan& plan)
        : dag_(dag), plan_(plan), seen_(dag.functions.size()) {}

    bool is_met(const Stage& stage, int loop) {
        return std::ranges::any_of(stage.loads, [&](const Load& load) {
            for (std::size_t d = 0; d < load.coords.size(); d++) {
                const Coordinate& at = load.coords[d];
                if (!at.affine || (at.rates[loop] != 0 && at.clamped)) {
                    return true;
                }
                if (at.rates[loop] != 0 && load.source == Source::Function &&
                    plan_.functions[load.index].place == Place::Inlined &&
                    is_met_inside(load.index, static_cast<int>(d))) {
                    return true;
                }
            }
            return false;
        });
    }

  private:
    bool is_met_inside(int function, int dim) {
        std::vector<bool>& seen = seen_[function];
        const Function& f = dag_.functions[function];
        seen.resize(f.args.size(), false);
        if (seen[dim]) {
            return false;
        }
        seen[dim] = true;
        return std::ranges::any_of(f.stages, [&](const Stage& stage) {
            for (std::size_t l = 0; l < stage.loops.size(); l++) {
                const Loop& loop = stage.loops[l];
                if (!loop.is_reduction() && loop.position == dim &&
                    is_met(stage, static_cast<int>(l))) {
                    return true;
                }
            }
            return false;
        });
    }

    const PipelineDag& dag_;
    const Plan& plan_;
    std::vector<std::vector<bool>> seen_;  // [function][dim]
};

void keep_whole(const std::vector<LoopRef>& loops, LoopNest& nest) {
    for (const LoopRef& loop : loops) {
        nest.partition.push_back({loop, PartitionPolicy::Never});
    }
    std::ranges::sort(nest.partition, {}, &LoopPartition::loop);
}

// Without unrolling: it is for small sizes.
LoopNest rolled(const LoopNest& nest) {
    LoopNest result = nest;
    result.unrolled.clear();
    keep_whole(nest.unrolled, result);
    return result;
}

// Tiles as wide as a vector, moved inwards at the end.
LoopNest narrow(const LoopNest& nest) {
    LoopNest result = rolled(nest);
    const int dim = nest.vector->dim;
    std::vector<Split>& splits = result.splits[dim];
    const std::int64_t lanes = splits.back().factor;
    for (std::size_t level = 0; level < splits.size(); level++) {
        splits[level] = {lanes, level == 0 ? Tail::ShiftInwards : Tail::RoundUp};
    }
    std::erase_if(result.partition,
                  [&](const LoopPartition& each) { return each.loop == LoopRef{dim, 0}; });
    return result;
}

// One point after the other.
LoopNest scalar(const LoopNest& nest) {
    LoopNest result = rolled(nest);
    result.vector.reset();
    result.partition.clear();
    keep_whole(nest.order, result);
    return result;
}

}  // namespace

void add_selected(const Stage& stage, const NestPlan& plan, StageSchedule& schedule) {
    if (stage.selector && plan.selected) {
        for (const std::int64_t value : stage.selector->values) {
            schedule.specializations.push_back({{}, schedule.nest, value});
        }
    }
}

void add_sizes(const PipelineDag& dag, const Plan& plan, int output, bool hosts,
               StageSchedule& schedule) {
    const Function& f = dag.functions[output];
    const Stage& stage = f.stages[0];
    const LoopNest nest = schedule.nest;
    Specialization large{{}, nest, {}};
    for (std::size_t d = 0; d < large.nest.splits.size(); d++) {
        std::vector<Split>& splits = large.nest.splits[d];
        const Loop& loop = stage.loops[d];
        if (!splits.empty() && splits[0].factor <= loop.range.extent) {
            splits[0].tail = Tail::ShiftInwards;
            large.when.push_back({loop.position, splits[0].factor});
        }
    }
    if (large.when.empty()) {
        return;
    }
    std::vector<Specialization> cases;
    const auto add = [&](const std::vector<ExtentCondition>& when, const LoopNest& with) {
        for (const Specialization& each : schedule.specializations) {
            cases.push_back({when, with, each.selected});
        }
        cases.push_back({when, with, {}});
    };
    add(large.when, large.nest);
    schedule.nest = rolled(nest);
    // A guard makes each element of a vector that is not next to the others a branch of its own,
    // for which LLVM takes minutes.
    if (nest.vector && BorderSearch(dag, plan).is_met(stage, nest.vector->dim)) {
        const Loop& along = stage.loops[nest.vector->dim];
        const std::int64_t lanes = nest.splits[nest.vector->dim].back().factor;
        const std::vector<ExtentCondition> when{{along.position, lanes}};
        if (!hosts && when != large.when && lanes <= along.range.extent) {
            add(when, narrow(nest));
        }
        schedule.nest = scalar(nest);
        schedule.specializations.clear();
    } else {
        for (Specialization& each : schedule.specializations) {
            each.nest = schedule.nest;
        }
    }
    schedule.specializations.insert(schedule.specializations.begin(), cases.begin(), cases.end());
}

}  // namespace nestor
