#include "search/plan.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/hash.h"
#include "schedule/phases.h"
#include "search/channel_vectors.h"
#include "search/make_nest.h"
#include "search/nests.h"
#include "search/scans.h"
#include "search/schedule_maker.h"

namespace nestor {

bool is_free(const Function& f, const Loop& loop) {
    // The memory of an undefined pure definition is only as large as the updates make it, and
    // Halide 21 gets the bounds of such an update wrong when its reduction loops are split.
    return loop.kind == LoopKind::Pure ||
           (loop.kind == LoopKind::RaceFree && !f.stages[0].undefined);
}

void compute_at(const Spot& spot, FunctionPlan& plan) {
    plan.place = Place::At;
    plan.compute = plan.store = spot;
    plan.modulus.assign(plan.modulus.size(), 1);
}

void set_plain(NestPlan& nest) {
    nest.vector_dim = -1;
    nest.lanes = 1;
    std::ranges::fill(nest.block, 1);
}

bool may_be_arranged(const Function& f) {
    return !f.pinned && !f.is_extern && !f.is_output;
}

bool has_reduction(const Stage& stage) {
    return std::ranges::any_of(stage.loops, [](const Loop& loop) { return loop.is_reduction(); });
}

int loop_along(const Stage& stage, int dim) {
    for (std::size_t l = 0; l < stage.loops.size(); l++) {
        if (!stage.loops[l].is_reduction() && stage.loops[l].position == dim) {
            return static_cast<int>(l);
        }
    }
    return -1;
}

int moving_dim(const Load& load, int loop) {
    for (std::size_t d = 0; d < load.coords.size(); d++) {
        if (load.coords[d].affine && load.coords[d].rates[loop] != 0) {
            return static_cast<int>(d);
        }
    }
    return -1;
}

std::vector<int> free_dims(const Function& f, const Stage& stage, int vector_dim) {
    std::vector<int> dims;
    if (vector_dim >= 0) {
        dims.push_back(vector_dim);
    }
    for (const bool is_short : {true, false}) {
        for (int d = 0; d < static_cast<int>(stage.loops.size()); d++) {
            if (d != vector_dim && is_free(f, stage.loops[d]) &&
                (stage.loops[d].range.extent <= kShort) == is_short) {
                dims.push_back(d);
            }
        }
    }
    return dims;
}

std::uint64_t hash(const FunctionPlan& plan) {
    Mixer mixer;
    const auto add = [&](const auto&... values) {
        (mixer.add(static_cast<std::uint64_t>(values)), ...);
    };
    const auto add_all = [&](const auto& values) {
        for (const auto value : values) {
            add(value);
        }
    };
    add(plan.place, plan.dense);
    for (const Spot& spot : {plan.compute, plan.store}) {
        add(spot.function, spot.stage, spot.kind);
    }
    add_all(plan.modulus);
    for (const NestPlan& nest : plan.stages) {
        add_all(nest.tile);
        add_all(nest.block);
        add(nest.vector_dim, nest.lanes, nest.short_outside, nest.in_slabs, nest.task, nest.inner,
            nest.dot_dim, nest.dot, nest.selected);
    }
    return mixer.hash();
}

Plan plain_plan(const PipelineDag& dag, const std::vector<bool>& inlined, const Machine& machine) {
    Plan plan;
    for (std::size_t i = 0; i < dag.functions.size(); i++) {
        const Function& f = dag.functions[i];
        FunctionPlan function;
        function.place = inlined[i] ? Place::Inlined : Place::Root;
        function.modulus.assign(f.args.size(), 1);
        for (const Stage& stage : f.stages) {
            NestPlan nest;
            nest.tile.assign(stage.loops.size(), 0);
            nest.block.assign(stage.loops.size(), 1);
            const Roles roles = assign_roles(f, stage, estimated_extents(stage), machine);
            if (roles.vector && roles.lanes > 1) {
                nest.vector_dim = *roles.vector;
                nest.lanes = roles.lanes;
            }
            // Anything may be computed in an output's loops: its case is left out where nothing is.
            const std::vector<int> all = periods(dag, static_cast<int>(i), stage.index,
                                                 [&](int g) { return f.is_output || inlined[g]; });
            for (int l = 0; l < std::ssize(all); l++) {
                if (!stage.loops[l].is_reduction() && (f.is_output || l == nest.vector_dim)) {
                    int& modulus = function.modulus[stage.loops[l].position];
                    modulus = std::max(modulus, all[l]);
                }
            }
            function.stages.push_back(std::move(nest));
        }
        plan.functions.push_back(std::move(function));
    }
    return plan;
}

Builder::Builder(const PipelineDag& dag, const Machine& machine, const MoveSet& moves)
    : dag_(dag),
      machine_(machine),
      moves_(moves),
      reach_(dag),
      has_scans_(nestor::has_scans(dag)),
      reads_channels_(reads_channels_by_data(dag)),
      maker_(std::make_unique<ScheduleMaker>(dag_, machine_, reach_)) {}

Builder::~Builder() = default;

const Schedule& Builder::build(const Plan& plan) {
    return maker_->make(plan, inlining(plan));
}

std::vector<Spot> Builder::possible_spots(const Plan& plan, int function) {
    return maker_->spots_of(plan, inlining(plan), function);
}

const Inlining& Builder::inlining(const Plan& plan) {
    std::vector<bool> inlined;
    for (const FunctionPlan& f : plan.functions) {
        inlined.push_back(f.place == Place::Inlined);
    }
    const auto known = inlinings_.find(inlined);
    if (known != inlinings_.end()) {
        return known->second;
    }
    Inlining inlining{real_uses(dag_, inlined), real_borders(dag_, inlined)};
    return inlinings_.emplace(inlined, std::move(inlining)).first->second;
}

}  // namespace nestor
