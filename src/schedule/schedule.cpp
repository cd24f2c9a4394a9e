#include "schedule/schedule.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "schedule/print.h"

namespace nestor {

namespace {

void normalize(std::vector<std::vector<Split>>& splits) {
    while (!splits.empty() && splits.back().empty()) {
        splits.pop_back();
    }
}

void normalize(LoopNest& nest) {
    normalize(nest.splits);
    std::ranges::sort(nest.parallel);
    std::ranges::sort(nest.unrolled);
    std::erase_if(nest.partition,
                  [](const LoopPartition& p) { return p.policy == PartitionPolicy::Auto; });
    std::ranges::sort(nest.partition, {},
                      [](const LoopPartition& p) { return std::pair(p.loop, p.policy); });
}

void normalize(Level& level) {
    if (level.kind != Level::Kind::At) {
        level.site = {};
    }
}

void normalize(FunctionSchedule& function) {
    normalize(function.compute);
    normalize(function.store);
    normalize(function.hoist);
    if (function.derivation) {
        if (function.derivation->kind != Derivation::Kind::Rfactor) {
            function.derivation->stage = Derivation{}.stage;
        }
        std::ranges::sort(function.derivation->consumers);
        normalize(function.derivation->splits);
    }
    for (std::vector<Alignment>* each :
         {&function.alignment, &function.region_alignment, &function.storage_bounds}) {
        std::ranges::sort(*each, {},
                          [](const Alignment& a) { return std::pair(a.dim, a.elements); });
    }
    for (StageSchedule& stage : function.stages) {
        for (Specialization& specialization : stage.specializations) {
            normalize(specialization.nest);
        }
        normalize(stage.nest);
    }
}

}  // namespace

Schedule empty_schedule(const PipelineDag& dag) {
    Schedule schedule;
    schedule.algorithm_hash = dag.algorithm_hash;
    schedule.functions.resize(dag.functions.size());
    for (std::size_t f = 0; f < dag.functions.size(); f++) {
        schedule.functions[f].stages.resize(dag.functions[f].stages.size());
    }
    return schedule;
}

bool has_selected(const StageSchedule& stage) {
    return std::ranges::any_of(stage.specializations, [](const Specialization& each) {
        return each.selected.has_value();
    });
}

Schedule normalized(Schedule schedule) {
    for (FunctionSchedule& function : schedule.functions) {
        normalize(function);
    }
    return schedule;
}

std::uint64_t hash(const Schedule& schedule, const PipelineDag& dag) {
    return hash_bytes(print_json(dag, schedule));
}

}  // namespace nestor
