#include "search/schedule_maker.h"

#include <algorithm>
#include <utility>

#include "search/cases.h"

namespace nestor {

ScheduleMaker::ScheduleMaker(const PipelineDag& dag, const Machine& machine, const Reach& reach)
    : dag_(dag),
      machine_(machine),

      schedule_(empty_schedule(dag)),
      compute_(dag.functions.size()),
      sites_(dag.functions.size()),
      made_from_(dag.functions.size()) {
    for (int f = 0; f < std::ssize(dag.functions); f++) {
        std::vector<bool>& open = open_.emplace_back();
        for (int d = 0; d < dag.functions[f].dimensions(); d++) {
            open.push_back(reach.beyond(f, d));
        }
    }
}

const Schedule& ScheduleMaker::make(const Plan& plan, const Inlining& inlining) {
    plan_ = &plan;
    inlining_ = &inlining;
    place_consumers_of(-1);
    add_cases();
    return schedule_;
}

std::vector<Spot> ScheduleMaker::spots_of(const Plan& plan, const Inlining& inlining,
                                          int function) {
    plan_ = &plan;
    inlining_ = &inlining;
    place_consumers_of(function);
    return common_spots(function);
}

void ScheduleMaker::place_consumers_of(int function) {
    for (int i = static_cast<int>(dag_.functions.size()) - 1; i > function; i--) {
        if (dag_.functions[i].pinned) {
            continue;
        }
        leave(i);
        if (plan_->functions[i].place == Place::Inlined) {
            schedule_.functions[i].compute = Level::inlined();
        } else {
            place(i);
        }
    }
}

// Forgets where a function was; its loops only if they are not wanted again as they are.
void ScheduleMaker::leave(int function) {
    FunctionSchedule& schedule = schedule_.functions[function];
    const bool inlined = plan_->functions[function].place == Place::Inlined;
    if (inlined || has_cases(function)) {
        made_from_[function].reset();
        sites_[function].clear();
        std::ranges::fill(schedule.stages, StageSchedule{});
    }
    compute_[function].reset();
    schedule.store = {};
    schedule.storage_order.clear();
    schedule.region_alignment.clear();
    schedule.storage_bounds.clear();
}

// Whether there is more than one nest of a stage, or one that add_cases() may have changed.
bool ScheduleMaker::has_cases(int function) const {
    return dag_.functions[function].is_output ||
           std::ranges::any_of(
               schedule_.functions[function].stages,
               [](const StageSchedule& stage) { return !stage.specializations.empty(); });
}

void ScheduleMaker::place(int function) {
    const Function& f = dag_.functions[function];
    const FunctionPlan& plan = plan_->functions[function];
    FunctionSchedule& schedule = schedule_.functions[function];
    schedule.compute = Level::root();
    if (f.is_extern) {
        return;
    }
    if (plan.place == Place::At) {
        place_at_loop(function);
    }
    if (plan.dense != 0) {
        schedule.storage_order = {plan.dense};
        for (int d = 0; d < f.dimensions(); d++) {
            if (d != plan.dense) {
                schedule.storage_order.push_back(d);
            }
        }
    }
    for (int d = 0; d < f.dimensions(); d++) {
        if (plan.modulus[d] > 1 && !open_[function][d] && !f.is_output) {
            schedule.region_alignment.push_back({d, plan.modulus[d]});
        }
    }
    make_loops(function);
}

void ScheduleMaker::make_loops(int function) {
    const FunctionPlan& plan = plan_->functions[function];
    const std::vector<bool>& borders = inlining_->borders[function];
    const bool tasks = has_tasks(function);
    std::optional<Basis>& basis = made_from_[function];
    if (basis && basis->has_tasks == tasks && basis->stages == plan.stages &&
        basis->borders == borders) {
        return;
    }
    basis = {plan.stages, borders, tasks};
    sites_[function].clear();
    const Function& f = dag_.functions[function];
    for (const Stage& stage : f.stages) {
        const NestPlan& wanted = plan.stages[stage.index];
        StageSchedule& schedule = schedule_.functions[function].stages[stage.index];
        MadeNest made = make_nest(f, stage, wanted, open_[function], borders, tasks, machine_);
        schedule.nest = std::move(made.nest);
        sites_[function].push_back(made.sites);
        add_selected(stage, wanted, schedule);
    }
}

bool ScheduleMaker::has_tasks(int function) const {
    return !compute_[function] || compute_[function]->kind == SiteKind::Slab;
}

void ScheduleMaker::place_at_loop(int function) {
    const FunctionPlan& plan = plan_->functions[function];
    const std::vector<Spot> common = common_spots(function);
    const auto compute = find(common, common.begin(), plan.compute);
    if (compute == common.end()) {
        return;
    }
    compute_[function] = *compute;
    schedule_.functions[function].compute = Level::at(loop_site(*compute));
    if (!(plan.store == plan.compute)) {
        const auto store = find(common, compute, plan.store);
        if (store != common.end() && store != compute) {
            schedule_.functions[function].store = Level::at(loop_site(*store));
        }
    }
}

ScheduleMaker::Position ScheduleMaker::find(const std::vector<Spot>& common, Position from,
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

LoopSite ScheduleMaker::loop_site(const Spot& spot) const {
    return {spot.function, spot.stage,
            *sites_[spot.function][spot.stage][static_cast<std::size_t>(spot.kind)]};
}

std::vector<Spot> ScheduleMaker::common_spots(int function) const {
    const std::vector<StageRef>& uses = inlining_->uses[function];
    if (dag_.functions[function].is_output || uses.empty()) {
        return {};
    }
    std::optional<std::vector<Spot>> common;
    for (const StageRef& use : uses) {
        std::vector<Spot> around;
        if (use.stage >= 0) {
            add_around({use.function, use.stage, SiteKind::Step}, around);
        }
        if (!common) {
            common = std::move(around);
        } else {
            std::erase_if(*common,
                          [&](const Spot& spot) { return std::ranges::count(around, spot) == 0; });
        }
    }
    return *common;
}

// All spots around that one, itself included, innermost first.
void ScheduleMaker::add_around(const Spot& spot, std::vector<Spot>& spots) const {
    if (sites_[spot.function].empty()) {
        return;  // pinned, or an extern stage
    }
    if (dag_.functions[spot.function].joined) {
        // What several functions ask for together has no size that Halide knows, however few points
        // it is (docs/RESULTS.md, "Functions that are computed together").
        return;
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

void ScheduleMaker::add_cases() {
    for (const int output : dag_.outputs) {
        const Function& f = dag_.functions[output];
        if (f.joined) {
            continue;  // Halide has no cases of what is computed together
        }
        if (!f.pinned && f.stages.size() == 1) {
            add_sizes(dag_, output, plan_->functions[output].modulus, schedule_);
        }
        for (int s = 1; !f.pinned && s < static_cast<int>(f.stages.size()); s++) {
            if (adds_what_is_inside(output, s)) {
                add_update_sizes(dag_, output, s, schedule_);
            }
        }
    }
    add_assumed(dag_, schedule_);
    add_storage_of_sums(dag_, schedule_);
    add_layouts(dag_, schedule_);
}

// Whether something is computed in the loops of an update without a reduction.
bool ScheduleMaker::adds_what_is_inside(int function, int stage) const {
    return std::ranges::any_of(compute_,
                               [&](const std::optional<Spot>& spot) {
                                   return spot && spot->function == function &&
                                          spot->stage == stage;
                               }) &&
           !has_reduction(dag_.functions[function].stages[stage]);
}

}  // namespace nestor
