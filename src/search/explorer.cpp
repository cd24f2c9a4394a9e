#include "search/explorer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "schedule/placement.h"
#include "search/folds.h"
#include "search/guards.h"
#include "search/moves.h"
#include "search/single_blocks.h"
#include "search/storage.h"
#include "search/whole_tiles.h"

namespace nestor {

namespace {

// std::uniform_int_distribution differs between libraries.
std::size_t below(std::size_t n, std::mt19937_64& random) {
    return static_cast<std::size_t>(random() % n);
}

// Sets a decision to what another function's was changed to, if it is what that one's was.
template <class Decision>
void follow(const Decision& before, const Decision& after, Decision& mine) {
    if (mine == before) {
        mine = after;
    }
}

void follow(const NestPlan& before, const NestPlan& after, NestPlan& mine) {
    follow(before.tile, after.tile, mine.tile);
    follow(before.block, after.block, mine.block);
    if (mine.vector_dim == before.vector_dim && mine.lanes == before.lanes) {
        mine.vector_dim = after.vector_dim;
        mine.lanes = after.lanes;
    }
    follow(before.short_outside, after.short_outside, mine.short_outside);
    follow(before.in_slabs, after.in_slabs, mine.in_slabs);
    follow(before.task, after.task, mine.task);
    follow(before.inner, after.inner, mine.inner);
    if (mine.dot_dim == before.dot_dim && mine.dot == before.dot) {
        mine.dot_dim = after.dot_dim;
        mine.dot = after.dot;
    }
    follow(before.selected, after.selected, mine.selected);
}

Lineage child_of(const Lineage& parent, Plan plan) {
    return {parent.space, std::move(plan), parent.guards, parent.folded};
}

bool have_same_loops(const Function& a, const Function& b) {
    return a.args.size() == b.args.size() &&
           std::ranges::equal(
               a.stages, b.stages, {}, [](const Stage& stage) { return stage.loops.size(); },
               [](const Stage& stage) { return stage.loops.size(); });
}

}  // namespace

Explorer::Explorer(const PipelineDag& dag, const Machine& machine, const SearchOptions& options)
    : dag_(dag),
      machine_(machine),
      caps_(search_caps(dag, machine, options.caps)),
      spaces_(make_spaces(dag, machine, options.moves)) {
    for (const Space& space : spaces_) {
        tools_.push_back(
            {std::make_unique<Builder>(space.variant.graph(), machine_, options.moves), nullptr});
    }
    set_correction(options.correction);
}

void Explorer::set_correction(const Correction* correction) {
    for (std::size_t s = 0; s < spaces_.size(); s++) {
        // What it keeps is corrected already.
        tools_[s].evaluator =
            std::make_unique<Evaluator>(spaces_[s].variant.graph(), machine_, correction);
    }
}

std::vector<Plan> Explorer::changes(const Lineage& from, int function) {
    std::vector<Plan> plans;
    const auto keep = [&](const Plan& plan) { plans.push_back(plan); };
    for_each_neighbour(*tools_[from.space].builder, from.plan, function, keep);
    for_each_finishing_move(*tools_[from.space].builder, from.plan, function, keep);
    for_each_tall_tile(*tools_[from.space].builder, from.plan, function, keep);
    return plans;
}

Proposal Explorer::make(const Lineage& wanted, std::string name) {
    Lineage lineage = wanted;
    lineage.guards = lineage.guards == Guards::None ? least_ : lineage.guards;
    const Tools& tools = tools_[lineage.space];
    Schedule schedule = tools.builder->build(lineage.plan);
    const double seconds = tools.evaluator->seconds(schedule);
    schedule = spaces_[lineage.space].variant.of_pipeline(std::move(schedule));
    schedule = with_guards(dag_, std::move(schedule), lineage.guards);
    if (lineage.guards != Guards::ConstantEnds) {
        schedule =
            with_whole_tiles(dag_, std::move(schedule), caps_in(spaces_[lineage.space], caps_));
    }
    if (lineage.folded) {
        schedule = with_folds(dag_, std::move(schedule), machine_);
    }
    schedule = with_single_blocks(dag_, with_kept_storage(dag_, std::move(schedule)));
    return {std::move(name), std::move(schedule), seconds, false, std::move(lineage)};
}

std::optional<Proposal> Explorer::twin(const Lineage& lineage) {
    Lineage other = lineage;
    other.folded = !lineage.folded;
    Proposal made = make(other, lineage.folded ? "not folded" : "folded");
    const bool same = made.schedule == make(lineage, "").schedule;
    return same ? std::nullopt : std::optional(std::move(made));
}

bool Explorer::is_legal(const Proposal& proposal) {
    Caps caps = caps_;
    if (proposal.lineage) {
        const Lineage& lineage = *proposal.lineage;
        caps = caps_in(spaces_[lineage.space], caps_);
        // Of the graph, because it says more about what is derived.
        const Schedule& inner = tools_[lineage.space].builder->build(lineage.plan);
        if (!check_legality(spaces_[lineage.space].variant.graph(), inner, caps).empty()) {
            return false;
        }
        caps.code_size = lineage.guards != Guards::None ? -1 : caps.code_size;
    }
    return check_legality(dag_, proposal.schedule, caps).empty();
}

std::vector<Proposal> Explorer::neighbours(const Lineage& parent, const Limits& limits,
                                           std::mt19937_64& random) {
    std::vector<int> order(spaces_[parent.space].variant.graph().functions.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; i--) {
        std::swap(order[i - 1], order[below(i, random)]);
    }
    std::vector<Proposal> found;
    for (const int function : order) {
        if (limits.check() != StopReason::Finished) {
            break;
        }
        for (Plan& plan : changes(parent, function)) {
            found.push_back(make(child_of(parent, std::move(plan)), "neighbour"));
        }
    }
    if (std::optional<Proposal> twin = this->twin(parent)) {
        found.push_back(std::move(*twin));
    }
    return found;
}

std::optional<Proposal> Explorer::mutant(const Lineage& parent, int changes,
                                         std::mt19937_64& random) {
    const std::size_t functions = spaces_[parent.space].variant.graph().functions.size();
    Lineage child = parent;
    for (int tries = 4 * changes; changes > 0 && tries > 0; tries--) {
        std::vector<Plan> plans = this->changes(child, static_cast<int>(below(functions, random)));
        if (!plans.empty()) {
            child.plan = std::move(plans[below(plans.size(), random)]);
            changes--;
        }
    }
    Proposal made = make(child, "mutation");
    return is_legal(made) ? std::optional(std::move(made)) : std::nullopt;
}

std::optional<Proposal> Explorer::cross(const Lineage& first, const Lineage& second,
                                        std::mt19937_64& random) {
    if (first.space != second.space) {
        return std::nullopt;
    }
    const PipelineDag& graph = spaces_[first.space].variant.graph();
    const Schedule& schedule = tools_[first.space].builder->build(second.plan);
    const Placement placement(graph, schedule);
    const int root = placement.root(static_cast<int>(below(graph.functions.size(), random)));
    Lineage child = first;
    for (int f = 0; f < std::ssize(graph.functions); f++) {
        if (placement.root(f) == root) {
            child.plan.functions[f] = second.plan.functions[f];
        }
    }
    Proposal made = make(child, "crossing");
    return is_legal(made) ? std::optional(std::move(made)) : std::nullopt;
}

std::optional<Proposal> Explorer::joined(const Lineage& base, const Lineage& one,
                                         const Lineage& other) {
    if (base.space != one.space || base.space != other.space) {
        return std::nullopt;
    }
    Lineage child = one;
    for (std::size_t f = 0; f < base.plan.functions.size(); f++) {
        const FunctionPlan& changed = other.plan.functions[f];
        if (changed != base.plan.functions[f]) {
            if (one.plan.functions[f] != base.plan.functions[f]) {
                return std::nullopt;
            }
            child.plan.functions[f] = changed;
        }
    }
    return make(child, "joined");
}

std::optional<Proposal> Explorer::alike(const Lineage& base, const Lineage& changed) {
    const PipelineDag& graph = spaces_[base.space].variant.graph();
    Lineage child = changed;
    for (std::size_t f = 0; f < graph.functions.size(); f++) {
        const FunctionPlan& before = base.plan.functions[f];
        const FunctionPlan& after = changed.plan.functions[f];
        for (std::size_t g = 0; g < graph.functions.size() && before != after; g++) {
            FunctionPlan& mine = child.plan.functions[g];
            if (base.plan.functions[g] != changed.plan.functions[g] || mine.place != before.place ||
                !have_same_loops(graph.functions[f], graph.functions[g])) {
                continue;
            }
            // Where something is computed is said of one function only.
            if (after.place != Place::At) {
                mine.place = after.place;
            }
            follow(before.dense, after.dense, mine.dense);
            follow(before.modulus, after.modulus, mine.modulus);
            for (std::size_t s = 0; s < mine.stages.size(); s++) {
                follow(before.stages[s], after.stages[s], mine.stages[s]);
            }
        }
    }
    return child == changed ? std::nullopt : std::optional(make(child, "alike"));
}

std::optional<Proposal> Explorer::random_walk(int longest, std::mt19937_64& random) {
    const std::size_t space = below(spaces_.size(), random);
    const std::vector<Start>& starts = spaces_[space].starts;
    const std::size_t functions = spaces_[space].variant.graph().functions.size();
    Lineage at{static_cast<int>(space), starts[below(starts.size(), random)].plan};
    std::optional<Proposal> last;
    int steps = static_cast<int>(below(static_cast<std::size_t>(longest), random)) + 1;
    for (int tries = 4 * steps; steps > 0 && tries > 0; tries--) {
        std::vector<Plan> plans = changes(at, static_cast<int>(below(functions, random)));
        if (plans.empty()) {
            continue;
        }
        Proposal next =
            make({at.space, std::move(plans[below(plans.size(), random)])}, "random walk");
        if (is_legal(next)) {
            at = *next.lineage;
            last = std::move(next);
            steps--;
        }
    }
    return last;
}

std::optional<Proposal> Explorer::improved(const Lineage& parent, std::int64_t work,
                                           const Limits& limits, std::mt19937_64& random) {
    const Tools& tools = tools_[parent.space];
    const Caps caps = caps_in(spaces_[parent.space], caps_);
    Outcomes outcomes;
    const std::optional<Found> found =
        descend(*tools.builder, *tools.evaluator, {"measured", parent.plan}, caps, limits, {}, {},
                &outcomes);
    if (!found) {
        return std::nullopt;
    }
    const Found better = shake(*tools.builder, *tools.evaluator, *found, caps, limits, random(),
                               work, {}, &outcomes);
    Proposal made = make(child_of(parent, better.plan), "local search");
    return is_legal(made) ? std::optional(std::move(made)) : std::nullopt;
}

}  // namespace nestor
