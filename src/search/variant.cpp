#include "search/variant.h"

#include <algorithm>
#include <optional>

#include "base/divide.h"
#include "schedule/loops.h"
#include "schedule/rfactor.h"
#include "schedule/scheduled_dag.h"
#include "search/inlining.h"
#include "search/nests.h"
#include "search/part_tiles.h"

namespace nestor {

namespace {

constexpr std::int64_t kTasks = 16;     // at least: more than are taken for channels
constexpr std::int64_t kPerThread = 4;  // tasks, so that uneven ones even out
constexpr int kFewestThreads = 2;    // for which sums are few: one thread makes copies of as many
constexpr std::int64_t kCopies = 4;  // of a histogram, as many as hide a store that is read next
// Neighbours that an element of a vector combines where order counts: so many that combining the
// elements afterwards is little work, and so few that the cache lines of all elements stay in the
// first cache.
constexpr std::int64_t kLongestRun = 256;
constexpr std::int64_t kShortestRun = 32;
constexpr std::int64_t kFewestLanes = 8;  // of parts, or as many as the machine has

// A schedule that derives functions and does nothing else.
Schedule with(const PipelineDag& dag, const std::vector<Derivation>& derivations) {
    Schedule schedule = empty_schedule(dag);
    for (const Derivation& derivation : derivations) {
        FunctionSchedule f;
        f.derivation = derivation;
        f.stages.resize(derivation.kind == Derivation::Kind::Rfactor ? 2 : 1);
        schedule.functions.push_back(std::move(f));
    }
    return schedule;
}

std::vector<int> inverse(const std::vector<int>& order) {
    std::vector<int> places(order.size());
    for (std::size_t i = 0; i < order.size(); i++) {
        places[order[i]] = static_cast<int>(i);
    }
    return places;
}

// The functions of a graph in another order.
PipelineDag reordered(const PipelineDag& graph, const std::vector<int>& order,
                      const std::vector<int>& places) {
    PipelineDag result = graph;
    const auto renumber = [&](int& function) {
        function = function >= 0 ? places[function] : function;
    };
    for (std::size_t i = 0; i < order.size(); i++) {
        Function& f = result.functions[i];
        f = graph.functions[order[i]];
        renumber(f.pinned_inside);
        std::ranges::for_each(f.consumers, renumber);
        std::ranges::sort(f.consumers);
        std::ranges::for_each(f.extern_inputs, renumber);
        for (Stage& stage : f.stages) {
            if (stage.selector) {
                renumber(stage.selector->function);
            }
            for (std::vector<Load>* loads : {&stage.loads, &stage.own_loads}) {
                for (Load& load : *loads) {
                    if (load.source == Source::Function) {
                        renumber(load.index);
                    }
                }
            }
        }
    }
    std::ranges::for_each(result.outputs, renumber);
    for (Assumption& assumption : result.assumptions) {
        renumber(assumption.output);
    }
    for (std::vector<BufferStride>& layout : result.layouts) {
        for (BufferStride& each : layout) {
            if (each.source == Source::Function) {
                renumber(each.index);
            }
        }
    }
    return result;
}

// One update that is a long reduction into few points.
class LongSum {
  public:
    LongSum(const PipelineDag& graph, int function, int stage, const Machine& machine)
        : graph_(graph),
          f_(graph.functions[function]),
          stage_(f_.stages[stage]),
          function_(function),
          machine_(machine) {}

    [[nodiscard]] bool is_divisible() const {
        const bool reduces = std::ranges::any_of(
            stage_.loops, [](const Loop& loop) { return loop.kind == LoopKind::Reduction; });
        return stage_.index > 0 && reduces && stage_.associative && stage_.reads_itself &&
               !f_.pinned && iterations(stage_) >= kLeastWork;
    }

    // Whether each thing that is loaded is used by one point only.
    [[nodiscard]] bool uses_once() const {
        return std::ranges::all_of(stage_.loads, [&](const Load& load) {
            for (int l = 0; l < std::ssize(stage_.loops); l++) {
                if (!stage_.loops[l].is_reduction() && extent(l) > 1 &&
                    !change_with(load.coords, l)) {
                    return false;
                }
            }
            return true;
        });
    }

    // Whether parts for tasks are little beside what they are made of, though the points would do
    // for all threads: tasks that go over all points read what the sums are made of once.
    [[nodiscard]] bool may_have_tasks() const {
        constexpr std::int64_t kFewPoints = 1024;
        constexpr double kLeastSteps = 4000;  // of each sum: adding up its parts is one per cent
        return points() <= kFewPoints && iterations(stage_) >= kLeastWork &&
               iterations(stage_) >= kLeastSteps * static_cast<double>(points());
    }

    // Sums for each of a number of tasks, where the points are not enough of them; and where it is
    // not known which sum a step adds to, for each of a few steps.
    [[nodiscard]] std::optional<Derivation> tasks(bool wherever_possible) const {
        const bool in_tasks = machine_.parallelism > 1;
        const std::int64_t wanted =
            std::max<std::int64_t>(kTasks, kPerThread * machine_.parallelism);
        const std::int64_t together = is_scattered() || along() >= 0 ? 1 : lanes();
        const bool needed =
            points() < 2 * together * std::max(machine_.parallelism, kFewestThreads) ||
            (in_tasks && wherever_possible && may_have_tasks());
        if (!needed) {
            return std::nullopt;
        }
        int innermost = -1;
        int outermost = -1;
        for (int d = 0; d < static_cast<int>(stage_.loops.size()); d++) {
            if (stage_.loops[d].is_reduction()) {
                innermost = innermost < 0 && extent(d) >= kCopies ? d : innermost;
                outermost = extent(d) >= kTasks || !stage_.commutative ? d : outermost;
            }
        }
        if (in_tasks && (outermost < 0 || extent(outermost) < kTasks)) {
            return std::nullopt;
        }
        Derivation result = derivation();
        if (in_tasks) {
            split(outermost, divide_up(extent(outermost), wanted), result);
        }
        if (is_scattered() && innermost >= 0 && stage_.commutative) {
            split(innermost, kCopies, result);
            result.preserved.push_back(
                {innermost, static_cast<int>(result.splits[innermost].size())});
        }
        if (in_tasks) {
            result.preserved.push_back({outermost, 0});
        }
        return result.preserved.empty() ? std::nullopt : std::optional(result);
    }

    // Sums for each element of a vector, along what is contiguous.
    [[nodiscard]] std::optional<Derivation> vectors() const {
        const int d = along();
        if (d < 0) {
            return std::nullopt;
        }
        Derivation result = derivation();
        if (!stage_.commutative) {
            if (extent(d) < lanes() * kShortestRun) {
                return std::nullopt;
            }
            split_into_runs(d, result);
            return result;
        }
        split(d, lanes_along(d) * vectors_at_once(), result);
        result.preserved.push_back({d, 1});
        return result;
    }

  private:
    [[nodiscard]] std::int64_t extent(int d) const { return stage_.loops[d].range.extent; }

    [[nodiscard]] std::int64_t points() const {
        std::int64_t points = 1;
        for (const Loop& loop : stage_.loops) {
            points *= loop.is_reduction() ? 1 : loop.range.extent;
        }
        return points;
    }

    [[nodiscard]] std::int64_t lanes() const { return machine_.lanes(widest_bytes(f_)); }

    // Of parts along a reduction loop, which has at least two vectors of them: a part of the
    // machine's vectors where it is short (24 taps of a filter: three of eight elements each).
    [[nodiscard]] std::int64_t lanes_along(int d) const {
        std::int64_t lanes = this->lanes();
        while (lanes > kFewestLanes && extent(d) < 2 * lanes * vectors_at_once()) {
            lanes /= 2;
        }
        return lanes;
    }

    // Enough for the latency of an addition, as long as all of them have registers.
    [[nodiscard]] std::int64_t vectors_at_once() const {
        const std::int64_t sums = points() * static_cast<std::int64_t>(f_.types.size());
        return sums <= 1 ? 4 : (sums <= 6 ? 2 : 1);
    }

    [[nodiscard]] bool is_scattered() const { return change(stage_.stores); }

    // From step to step of the reduction.
    [[nodiscard]] bool change(const std::vector<Coordinate>& coords) const {
        return std::ranges::any_of(coords, [&](const Coordinate& coordinate) {
            for (std::size_t l = 0; l < coordinate.rates.size(); l++) {
                if (stage_.loops[l].is_reduction() && coordinate.rates[l] != 0) {
                    return true;
                }
            }
            return !coordinate.affine;
        });
    }

    // Whether vectors of so many points in a row have few elements that nobody asks for.
    [[nodiscard]] bool fills_vectors(std::int64_t points) const {
        return 4 * points >= 3 * lanes() * divide_up(points, lanes());
    }

    // The reduction loop along which loads are contiguous, if none that is free and fills vectors
    // is; -1: none.
    [[nodiscard]] int along() const {
        if (is_scattered()) {
            return -1;
        }
        std::vector<int> contiguous(stage_.loops.size(), 0);
        for (const Load& load : stage_.loads) {
            const int dense =
                load.source == Source::Input ? graph_.inputs[load.index].dense_dim : 0;
            if (dense >= static_cast<int>(load.coords.size()) || !load.coords[dense].affine ||
                !change(load.coords)) {
                continue;
            }
            const std::vector<double>& rates = load.coords[dense].rates;
            for (std::size_t l = 0; l < rates.size(); l++) {
                contiguous[l] += rates[l] == 1 ? 1 : 0;
            }
        }
        int best = -1;
        for (int d = 0; d < static_cast<int>(stage_.loops.size()); d++) {
            const Loop& loop = stage_.loops[d];
            if (contiguous[d] == 0) {
                continue;
            }
            if (!loop.is_reduction() && fills_vectors(extent(d))) {
                return -1;
            }
            if (loop.is_reduction() && extent(d) >= 2 * lanes_along(d) * vectors_at_once() &&
                (best < 0 || contiguous[d] > contiguous[best])) {
                best = d;
            }
        }
        return best;
    }

    [[nodiscard]] Derivation derivation() const {
        Derivation result;
        result.kind = Derivation::Kind::Rfactor;
        result.parent = function_;
        result.stage = stage_.index;
        return result;
    }

    // Where order counts, each element of a vector has a run of neighbours, and what these make is
    // combined in order: all loops around a run have parts of their own.
    void split_into_runs(int d, Derivation& result) const {
        std::int64_t run = kLongestRun;
        while (run > kShortestRun && extent(d) % (lanes() * run) != 0) {
            run /= 2;
        }
        split(d, lanes() * run, result);
        split(d, run, result);
        result.preserved = {{d, 1}, {d, 0}};
        for (int outer = d + 1; outer < static_cast<int>(stage_.loops.size()); outer++) {
            if (stage_.loops[outer].is_reduction()) {
                result.preserved.push_back({outer, 0});
            }
        }
    }

    static void split(int dim, std::int64_t factor, Derivation& derivation) {
        if (derivation.splits.size() <= static_cast<std::size_t>(dim)) {
            derivation.splits.resize(dim + 1);
        }
        derivation.splits[dim].push_back({factor, Tail::GuardWithIf});
    }

    const PipelineDag& graph_;
    const Function& f_;
    const Stage& stage_;
    const int function_;
    const Machine& machine_;
};

}  // namespace

Variant::Variant(const PipelineDag& dag) : Variant(dag, std::vector<Derivation>{}) {}

Variant::Variant(const PipelineDag& dag, const std::vector<Derivation>& derivations)
    : dag_(&dag), derivations_(derivations) {
    const Schedule schedule = with(dag, derivations);
    set_graph(*ScheduledDag(dag, schedule));
}

Variant::Variant(const PipelineDag& dag, std::vector<Joined> together)
    : dag_(&dag), together_(std::move(together)) {
    set_graph(*join(dag, together_));
}

void Variant::set_graph(const PipelineDag& graph) {
    functions_ = topological_order(graph);
    places_ = inverse(functions_);
    graph_ = reordered(graph, functions_, places_);
}

Schedule Variant::of_pipeline(Schedule schedule) const {
    Schedule result = with(*dag_, derivations_);
    const auto renumber = [&](int& function) {
        function = function >= 0 ? functions_[function] : function;
    };
    const auto renumber_nest = [&](LoopNest& nest) {
        for (Prefetch& prefetch : nest.prefetch) {
            renumber(prefetch.function);
        }
    };
    for (std::size_t i = 0; i < functions_.size(); i++) {
        FunctionSchedule& mine = schedule.functions[i];
        for (Level* level : {&mine.compute, &mine.store, &mine.hoist}) {
            if (level->kind == Level::Kind::At) {
                renumber(level->site.function);
            }
        }
        for (StageSchedule& stage : mine.stages) {
            renumber_nest(stage.nest);
            for (Specialization& special : stage.specializations) {
                renumber_nest(special.nest);
                for (ExtentCondition& condition : special.when) {
                    renumber(condition.output);
                }
                for (BufferStride& stride : special.strides) {
                    if (stride.source == Source::Function) {
                        renumber(stride.index);
                    }
                }
            }
            if (stage.compute_with) {
                renumber(stage.compute_with->function);
            }
        }
        FunctionSchedule& target = result.functions[functions_[i]];
        mine.derivation = std::move(target.derivation);
        target = std::move(mine);
    }
    return with_followers(*dag_, std::move(result), together_);
}

Plan Variant::in_graph(const Plan& plan, const Plan& start) const {
    Plan result = start;
    for (std::size_t f = 0; f < plan.functions.size(); f++) {
        FunctionPlan mine = plan.functions[f];
        for (Spot* spot : {&mine.compute, &mine.store}) {
            spot->function = spot->function >= 0 ? places_[spot->function] : -1;
        }
        result.functions[places_[f]] = std::move(mine);
    }
    return result;
}

std::optional<Replacements> replaced(const PipelineDag& dag,
                                     const std::vector<Derivation>& derivations) {
    if (derivations.empty()) {
        return std::nullopt;
    }
    Replacements result{Variant(dag, derivations), {}};
    for (const Derivation& derivation : derivations) {
        result.parents.push_back(derivation.parent);
    }
    return result;
}

bool may_be_replaced(const PipelineDag& dag, int function) {
    return std::ranges::none_of(dag.functions[function].consumers, [&](int consumer) {
        return dag.functions[consumer].pinned || dag.functions[consumer].is_extern;
    });
}

namespace {

/** How all long sums of a pipeline are taken apart. */
struct Division {
    std::vector<Derivation> derivations;
    std::size_t of_tasks = 0;  // the first ones
};

Division divide(const PipelineDag& dag, const Machine& machine, bool tasks_wherever_possible) {
    Division division;
    std::vector<Derivation>& derivations = division.derivations;
    // Tasks first: vectors then are taken from what a task does.
    for (const bool tasks : {true, false}) {
        const Schedule schedule = with(dag, derivations);
        const ScheduledDag derived(dag, schedule);
        for (int f = 0; f < static_cast<int>(derived->functions.size()); f++) {
            for (const Stage& stage : derived->functions[f].stages) {
                const LongSum sum(*derived, f, stage.index, machine);
                if (sum.is_divisible()) {
                    const auto derivation =
                        tasks ? sum.tasks(tasks_wherever_possible) : sum.vectors();
                    if (derivation) {
                        derivations.push_back(*derivation);
                    }
                }
            }
        }
        division.of_tasks = tasks ? derivations.size() : division.of_tasks;
    }
    return division;
}

// Sums of rows only, in vectors.
Division divide_rows(const PipelineDag& dag, const Machine& machine) {
    Division division;
    for (int f = 0; f < static_cast<int>(dag.functions.size()); f++) {
        for (const Stage& stage : dag.functions[f].stages) {
            const LongSum sum(dag, f, stage.index, machine);
            const auto derivation =
                sum.is_divisible() && sum.uses_once() ? sum.vectors() : std::nullopt;
            if (derivation) {
                division.derivations.push_back(*derivation);
            }
        }
    }
    return division;
}

SumsInParts divided(const PipelineDag& dag, const Division& division) {
    const std::vector<Derivation>& derivations = division.derivations;
    SumsInParts sums{Variant(dag, derivations), {}};
    const PipelineDag& graph = sums.variant.graph();
    const int first = static_cast<int>(dag.functions.size());
    for (int i = 0; i < static_cast<int>(derivations.size()); i++) {
        const Derivation& derivation = derivations[i];
        Parts parts;
        parts.function = sums.variant.in_graph(first + i);
        parts.reader = sums.variant.in_graph(derivation.parent);
        parts.stage = derivation.stage;
        const int dimensions = graph.functions[parts.function].dimensions();
        const auto preserved = static_cast<int>(derivation.preserved.size());
        if (static_cast<std::size_t>(i) < division.of_tasks) {
            int next = dimensions - 1;
            parts.tasks = derivation.preserved.back().level == 0 ? next-- : -1;
            parts.copies = derivation.preserved.front().level > 0 ? next : -1;
        } else {
            parts.lanes = dimensions - preserved;
        }
        sums.parts.push_back(parts);
    }
    return sums;
}

}  // namespace

std::vector<SumsInParts> sums_in_parts(const PipelineDag& dag, const Machine& machine) {
    const Division needed = divide(dag, machine, false);
    const Division all = divide(dag, machine, true);
    const Division rows = divide_rows(dag, machine);
    std::vector<SumsInParts> found;
    if (!needed.derivations.empty()) {
        found.push_back(divided(dag, needed));
        found.back().of_rows = needed.derivations == rows.derivations;
    }
    if (all.derivations != needed.derivations) {
        found.push_back(divided(dag, all));
        found.back().in_tasks = true;
    }
    if (!rows.derivations.empty() && rows.derivations != needed.derivations) {
        found.push_back(divided(dag, rows));
        found.back().of_rows = found.back().of_rows_only = true;
    }
    return found;
}

namespace {

// Steps side by side, so that what is loaded from far apart need not wait.
void unroll_runs(const Stage& stage, NestPlan& nest) {
    constexpr int kSteps = 4;
    for (std::size_t l = 0; l < stage.loops.size(); l++) {
        const Loop& loop = stage.loops[l];
        const bool divides = loop.constant_extent && loop.range.extent % kSteps == 0;
        if (loop.is_reduction() && !stage.commutative && divides) {
            nest.block[l] = kSteps;
            return;
        }
    }
}

}  // namespace

void place_parts(const PipelineDag& graph, const std::vector<Parts>& all, const Machine& machine,
                 Plan& plan) {
    for (const Parts& parts : all) {
        const Function& f = graph.functions[parts.function];
        FunctionPlan& mine = plan.functions[parts.function];
        // Adding them up is little work.
        set_plain(plan.functions[parts.reader].stages[parts.stage]);
        const Stage& update = f.stages.back();
        NestPlan& nest = mine.stages.back();
        if (parts.tasks >= 0 || parts.copies >= 0) {
            mine.place = Place::Root;
            if (parts.copies >= 0) {
                const int loop = loop_along(update, parts.copies);
                set_plain(nest);
                nest.block[loop] = static_cast<int>(update.loops[loop].range.extent);
            }
            continue;
        }
        compute_at({parts.reader, parts.stage, SiteKind::Rows}, mine);
        mine.dense = parts.lanes;
        for (const Stage& stage : f.stages) {
            NestPlan& each = mine.stages[stage.index];
            const int loop = loop_along(stage, parts.lanes);
            set_plain(each);
            each.vector_dim = loop;
            const std::int64_t parts_in_all = stage.loops[loop].range.extent;
            each.lanes = static_cast<int>(
                std::min<std::int64_t>(machine.lanes(widest_bytes(f)), parts_in_all));
            each.block[loop] = static_cast<int>(parts_in_all / each.lanes);
        }
        unroll_runs(update, nest);
    }
}

bool place_in_tiles(const PipelineDag& graph, const std::vector<Parts>& all, const Machine& machine,
                    Plan& plan) {
    bool any = false;
    for (const Parts& parts : all) {
        const int update = graph.functions[parts.function].stages.back().index;
        if (parts.lanes < 0 || LongSum(graph, parts.function, update, machine).uses_once()) {
            continue;
        }
        std::optional<Plan> best;
        for_each_part_tile(graph, machine, plan, parts.function, [&](const Plan& tile) {
            if (!best) {
                best = tile;
            }
        });
        if (best) {
            plan = std::move(*best);
            any = true;
        }
    }
    return any;
}

Plan carry_over(const Variant& variant, const std::vector<Parts>& parts, const Machine& machine,
                const Plan& plan, const Plan& start) {
    Plan result = variant.in_graph(plan, start);
    for (const Parts& each : parts) {
        // The reader's loops are others.
        result.functions[each.reader].stages[each.stage] =
            start.functions[each.reader].stages[each.stage];
        // What the sum read is read by its parts.
        for (FunctionPlan& mine : result.functions) {
            for (Spot* spot : {&mine.compute, &mine.store}) {
                if (spot->function == each.reader && spot->stage == each.stage) {
                    spot->function = each.function;
                    spot->stage = variant.graph().functions[each.function].stages.back().index;
                }
            }
        }
    }
    place_parts(variant.graph(), parts, machine, result);
    return result;
}

}  // namespace nestor
