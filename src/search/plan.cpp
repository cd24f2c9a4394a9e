#include "search/plan.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/hash.h"
#include "schedule/phases.h"
#include "search/cases.h"
#include "search/channel_vectors.h"
#include "search/make_nest.h"
#include "search/nests.h"
#include "search/scans.h"

namespace nestor {

namespace {

class ScheduleMaker {
  public:
    ScheduleMaker(const PipelineDag& dag, const Plan& plan, const Machine& machine,
                  const Reach& reach, const Inlining& inlining)
        : dag_(dag),
          plan_(plan),
          machine_(machine),
          reach_(reach),
          inlining_(inlining),
          schedule_(empty_schedule(dag)),
          compute_(dag.functions.size()),
          sites_(dag.functions.size()) {}

    Schedule run() {
        place_consumers_of(-1);
        for (const int output : dag_.outputs) {
            const Function& f = dag_.functions[output];
            if (!f.pinned && f.stages.size() == 1) {
                add_sizes(dag_, output, schedule_);
            }
            for (int s = 1; !f.pinned && s < static_cast<int>(f.stages.size()); s++) {
                if (adds_what_is_inside(output, s)) {
                    add_update_sizes(dag_, output, s, schedule_);
                }
            }
        }
        add_assumed(dag_, schedule_);
        return std::move(schedule_);
    }

    std::vector<Spot> spots_of(int function) {
        place_consumers_of(function);
        return common_spots(function);
    }

  private:
    // Whether something is computed in the loops of an update without a reduction.
    [[nodiscard]] bool adds_what_is_inside(int function, int stage) const {
        return std::ranges::any_of(compute_,
                                   [&](const std::optional<Spot>& spot) {
                                       return spot && spot->function == function &&
                                              spot->stage == stage;
                                   }) &&
               !has_reduction(dag_.functions[function].stages[stage]);
    }

    void place_consumers_of(int function) {
        for (int i = static_cast<int>(dag_.functions.size()) - 1; i > function; i--) {
            if (dag_.functions[i].pinned) {
                continue;
            }
            if (plan_.functions[i].place == Place::Inlined) {
                schedule_.functions[i].compute = Level::inlined();
            } else {
                place(i);
            }
        }
    }

    void place(int i) {
        const Function& f = dag_.functions[i];
        const FunctionPlan& plan = plan_.functions[i];
        FunctionSchedule& schedule = schedule_.functions[i];
        schedule.compute = Level::root();
        if (f.is_extern) {
            return;
        }
        if (plan.place == Place::At) {
            place_at_loop(i);
        }
        if (plan.dense != 0) {
            schedule.storage_order = {plan.dense};
            for (int d = 0; d < f.dimensions(); d++) {
                if (d != plan.dense) {
                    schedule.storage_order.push_back(d);
                }
            }
        }
        std::vector<bool> open;
        for (int d = 0; d < f.dimensions(); d++) {
            open.push_back(reach_.beyond(i, d));
            if (plan.modulus[d] > 1 && !open[d] && !f.is_output) {
                schedule.region_alignment.push_back({d, plan.modulus[d]});
            }
        }
        for (const Stage& stage : f.stages) {
            MadeNest made = make_nest(f, stage, plan.stages[stage.index], open,
                                      inlining_.borders[i], has_tasks(i), machine_);
            schedule_.functions[i].stages[stage.index].nest = std::move(made.nest);
            sites_[i].push_back(made.sites);
            add_selected(stage, plan.stages[stage.index], schedule.stages[stage.index]);
        }
    }

    [[nodiscard]] bool has_tasks(int i) const {
        return !compute_[i] || compute_[i]->kind == SiteKind::Slab;
    }

    void place_at_loop(int i) {
        const FunctionPlan& plan = plan_.functions[i];
        const std::vector<Spot> common = common_spots(i);
        const auto compute = find(common, common.begin(), plan.compute);
        if (compute == common.end()) {
            return;
        }
        compute_[i] = *compute;
        schedule_.functions[i].compute = Level::at(loop_site(*compute));
        if (!(plan.store == plan.compute)) {
            const auto store = find(common, compute, plan.store);
            if (store != common.end() && store != compute) {
                schedule_.functions[i].store = Level::at(loop_site(*store));
            }
        }
    }

    using Position = std::vector<Spot>::const_iterator;

    [[nodiscard]] Position find(const std::vector<Spot>& common, Position from,
                                const Spot& wanted) const {
        Position outermost = common.end();
        for (Position each = from; each != common.end(); ++each) {
            // One loop may be of two kinds: the rows are the innermost where there are no vectors.
            const Sites& sites = sites_[each->function][each->stage];
            const bool is_kind = sites[static_cast<std::size_t>(each->kind)] ==
                                 sites[static_cast<std::size_t>(wanted.kind)];
            if (is_kind && each->function == wanted.function && each->stage == wanted.stage) {
                return each;
            }
            outermost = is_kind ? each : outermost;
        }
        return outermost;
    }

    [[nodiscard]] LoopSite loop_site(const Spot& spot) const {
        return {spot.function, spot.stage,
                *sites_[spot.function][spot.stage][static_cast<std::size_t>(spot.kind)]};
    }

    [[nodiscard]] std::vector<Spot> common_spots(int i) const {
        if (dag_.functions[i].is_output || inlining_.uses[i].empty()) {
            return {};
        }
        std::optional<std::vector<Spot>> common;
        for (const StageRef& use : inlining_.uses[i]) {
            std::vector<Spot> around;
            if (use.stage >= 0) {
                add_around({use.function, use.stage, SiteKind::Step}, around);
            }
            if (!common) {
                common = std::move(around);
            } else {
                std::erase_if(*common, [&](const Spot& spot) {
                    return std::ranges::count(around, spot) == 0;
                });
            }
        }
        return *common;
    }

    // All spots around that one, itself included, innermost first.
    void add_around(const Spot& spot, std::vector<Spot>& spots) const {
        if (sites_[spot.function].empty()) {
            return;  // pinned, or an extern stage
        }
        const Sites& sites = sites_[spot.function][spot.stage];
        std::optional<LoopRef> last;
        for (const SiteKind kind : kSiteKinds) {
            const std::optional<LoopRef>& loop = sites[static_cast<std::size_t>(kind)];
            if (kind >= spot.kind && loop && loop != last) {
                spots.push_back({spot.function, spot.stage, kind});
            }
            last = loop ? loop : last;
        }
        if (compute_[spot.function]) {
            add_around(*compute_[spot.function], spots);
        }
    }

    const PipelineDag& dag_;
    const Plan& plan_;
    const Machine& machine_;
    const Reach& reach_;
    const Inlining& inlining_;
    Schedule schedule_;
    std::vector<std::optional<Spot>> compute_;  // of functions that are computed at a loop
    std::vector<std::vector<Sites>> sites_;     // [function][stage]
};

}  // namespace

bool is_free(const Function& f, const Loop& loop) {
    // The memory of an undefined pure definition is only as large as the updates make it, and
    // Halide 21 gets the bounds of such an update wrong when its reduction loops are split.
    return loop.kind == LoopKind::Pure ||
           (loop.kind == LoopKind::RaceFree && !f.stages[0].undefined);
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
    std::string words;
    const auto add = [&](const auto&... values) {
        ((words += std::to_string(static_cast<std::int64_t>(values)) + ' '), ...);
    };
    const auto add_all = [&](const auto& values) {
        for (const auto value : values) {
            add(value);
        }
        words += ';';
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
    return hash_bytes(words);
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
                const Loop& along = stage.loops[nest.vector_dim];
                if (!along.is_reduction()) {
                    int& modulus = function.modulus[along.position];
                    const std::vector<int> all = periods(dag, static_cast<int>(i), stage.index,
                                                         [&](int g) { return inlined[g]; });
                    modulus = std::max(modulus, all[nest.vector_dim]);
                }
            }
            function.stages.push_back(std::move(nest));
        }
        plan.functions.push_back(std::move(function));
    }
    return plan;
}

Builder::Builder(const PipelineDag& dag, const Machine& machine)
    : dag_(dag),
      machine_(machine),
      reach_(dag),
      has_scans_(nestor::has_scans(dag)),
      reads_channels_(reads_channels_by_data(dag)) {}

Schedule Builder::build(const Plan& plan) {
    return ScheduleMaker(dag_, plan, machine_, reach_, inlining(plan)).run();
}

std::vector<Spot> Builder::possible_spots(const Plan& plan, int function) {
    return ScheduleMaker(dag_, plan, machine_, reach_, inlining(plan)).spots_of(function);
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
