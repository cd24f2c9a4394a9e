#include "cost/cost_model.h"

#include <algorithm>
#include <numeric>

#include "cost/correction.h"
#include "cost/features.h"
#include "cost/group_view.h"
#include "cost/terms.h"
#include "schedule/joined.h"

namespace nestor {

namespace {

// Of all threads together, for as many as run.
double dram_bandwidth(const Machine& machine, double threads) {
    constexpr Threads kKnown[] = {Threads::One,   Threads::Two,     Threads::Four,
                                  Threads::Eight, Threads::Sixteen, Threads::ThirtyTwo};
    double bandwidth = machine.dram[Threads::One].read.value;
    for (const Threads count : kKnown) {
        if (threads_of(count) <= threads && machine.dram[count].read.known()) {
            bandwidth = machine.dram[count].read.value;
        }
    }
    return bandwidth;
}

// Of two things that happen at the same time, the longer one takes its time and a part of the
// other's. Scales the terms of the shorter one to that part, so that the sum of all is right.
template <std::size_t N, std::size_t M>
void overlap(Cost& cost, const std::array<Term, N>& some, const std::array<Term, M>& others,
             double visible) {
    const auto sum = [&](const auto& terms) {
        double seconds = 0;
        for (const Term term : terms) {
            seconds += cost[term];
        }
        return seconds;
    };
    const auto shrink = [&](const auto& terms) {
        for (const Term term : terms) {
            cost[term] *= visible;
        }
    };
    if (sum(some) < sum(others)) {
        shrink(some);
    } else {
        shrink(others);
    }
}

// Processors prefetch and reorder around the second cache; memory further away waits for requests
// that the core makes.
void overlap(Cost& cost) {
    constexpr double kSecondCache = 0.3;
    constexpr double kMemory = 0.6;
    overlap(cost, std::array{Term::Compute, Term::Latency, Term::Loops}, std::array{Term::L2},
            kSecondCache);
    overlap(cost, std::array{Term::Compute, Term::Latency, Term::Loops, Term::L2},
            std::array{Term::L3, Term::Dram}, kMemory);
}

// Cycles of a translation that the first table does not have and the second does, as far as other
// work does not hide them (measured: docs/cost-model.md).
constexpr double kPageVisit = 2.4;
// Cycles of one that neither has: pages are walked, two at a time, through tables that the caches
// have (measured: docs/cost-model.md).
constexpr double kPageWalk = 15;

}  // namespace

double GroupExecution::least() const {
    // Of two things that overlap, no less than the longer one is left.
    return imbalance * (cost.total() - cost[Term::Launch]) + cost[Term::Launch];
}

GroupExecution group_execution(ScheduleFacts& facts, int root, GroupWork* work) {
    const double clock = facts.machine().clock.value;
    GroupExecution execution;
    double work_done = 0;
    double uneven = 0;
    for (const NestFacts& nest : facts.nests()) {
        if (nest.root != root) {
            continue;
        }
        const NestCycles cycles = nest_cycles(facts, nest);
        const double share = clock * nest.threads;
        const double working = cycles.total() - cycles.loops;
        const double waiting = std::max(0.0, cycles.latency - cycles.busiest());
        execution.cost[Term::Latency] += waiting / share;
        execution.cost[Term::Compute] += (working - waiting) / share;
        execution.cost[Term::Loops] += cycles.loops / share;
        execution.threads = std::max(execution.threads, nest.threads);
        if (work != nullptr) {
            work->nests.emplace_back(&nest, cycles);
        }
        execution.cost[Term::Launch] += launch_seconds(facts, nest, cycles.total() / clock);
        work_done += cycles.total() / nest.threads;
        uneven += nest.imbalance * cycles.total() / nest.threads;
    }
    // Of several parallel loops, each counts by its time.
    execution.imbalance = work_done > 0 ? uneven / work_done : 1;
    return execution;
}

Cost group_cost(ScheduleFacts& facts, int root, const GroupExecution& execution, GroupWork* work) {
    const Machine& machine = facts.machine();
    const double clock = machine.clock.value;
    Cost cost = execution.cost;
    double pages = 0;
    GroupFootprints footprints;
    for (const auto& [moved, threads] : group_traffic(facts, root, footprints)) {
        const double share = clock * threads;
        cost[Term::L2] += moved.l2 / machine.l2.read.value / share;
        cost[Term::L3] += moved.l3 / machine.l3.read.value / share;
        cost[Term::Dram] += moved.dram / dram_bandwidth(machine, threads);
        pages += (kPageVisit * moved.page_visits + kPageWalk * moved.page_walks) / share;
        if (work != nullptr) {
            work->traffic += moved;
        }
    }
    if (work != nullptr) {
        work->footprints = std::move(footprints);
        work->threads = execution.threads;
    }
    overlap(cost);
    cost[Term::Pages] = pages;
    cost[Term::Imbalance] = (execution.imbalance - 1) * (cost.total() - cost[Term::Launch]);
    cost[Term::Allocation] = allocation_seconds(facts, root) / execution.threads;
    return cost;
}

Cost group_cost(ScheduleFacts& facts, int root, GroupWork* work) {
    return group_cost(facts, root, group_execution(facts, root, work), work);
}

GroupCost corrected_group_cost(ScheduleFacts& facts, int root, const Correction* correction) {
    if (correction == nullptr) {
        return {root, group_cost(facts, root), 1};
    }
    GroupWork work;
    GroupCost group{root, group_cost(facts, root, &work), 1};
    group.factor = correction->factor(group_features(view_group(facts, root, group.cost, work)));
    group.cost *= group.factor;
    return group;
}

const char* name_of(Term term) {
    constexpr const char* kNames[] = {"compute", "latency", "loops",     "L2",     "L3",
                                      "DRAM",    "pages",   "imbalance", "launch", "allocation"};
    return kNames[static_cast<std::size_t>(term)];
}

double Cost::total() const {
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

Cost& Cost::operator+=(const Cost& other) {
    for (std::size_t i = 0; i < kTerms; i++) {
        seconds[i] += other.seconds[i];
    }
    return *this;
}

Cost& Cost::operator*=(double factor) {
    for (double& each : seconds) {
        each *= factor;
    }
    return *this;
}

Prediction predict(const PipelineDag& dag, const Schedule& schedule, const Machine& machine,
                   const Correction* correction, const Lowered& lowered) {
    if (const auto together = joined(dag, schedule)) {
        // The loops of its program have other names and counts than what is known of them.
        return predict(together->dag, together->schedule, machine, correction);
    }
    const PipelineDag usually = usual(dag);
    Expansions expansions;
    ScheduleFacts facts(usually, schedule, machine, expansions);
    // What is rounded otherwise makes no difference worth the steps of the model's functions.
    constexpr double kOtherwise = 1.25;
    const auto differ = [](double a, double b) { return a > kOtherwise * b || b > kOtherwise * a; };
    for (const auto& [function, bytes] : lowered.allocated) {
        const auto known = static_cast<double>(bytes);
        if (differ(known, facts.allocated_bytes(function))) {
            facts.set_allocated_bytes(function, known);
        }
    }
    for (const auto& [stage, runs] : lowered.runs) {
        const double expected = facts.innermost_runs(stage.first, stage.second);
        // Fewer are none: a loop of one iteration has become straight code.
        if (expected > 0 && runs > kOtherwise * expected) {
            facts.scale_executions(stage.first, stage.second, runs / expected);
        }
    }
    Prediction prediction;
    for (const int root : facts.roots()) {
        prediction.groups.push_back(corrected_group_cost(facts, root, correction));
        prediction.cost += prediction.groups.back().cost;
    }
    return prediction;
}

}  // namespace nestor
