#include "cost/features.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/hash.h"
#include "cost/group_view.h"

namespace nestor {

namespace {

// To be raised when what a row computes changes and its text does not.
constexpr std::uint64_t kRevision = 1;

using Group = const GroupView&;
using Nest = const NestView&;

// log2 of a ratio that may be 0: no less than -20.
double ratio(double of, double to) {
    constexpr double kLeast = 1e-6;
    return std::log2(std::max(of / std::max(to, 1e-30), kLeast));
}

double log_of(double count) {
    return std::log2(1 + std::max(count, 0.0));
}

double share(Group group, Term term) {
    const double total = group.cost.total();
    return total > 0 ? group.cost[term] / total : 0;
}

// Of the cycles that units are asked for.
template <class Value>
double cycle_share(Group group, const Value& value) {
    double sum = 0;
    double all = 0;
    for (const NestView& nest : group.nests) {
        const NestCycles& cycles = nest.cycles;
        sum += value(cycles);
        all += cycles.arithmetic + cycles.scalars + cycles.loads + cycles.stores + cycles.issue;
    }
    return all > 0 ? sum / all : 0;
}

double registers_used(Group group, Nest nest) {
    return ratio(nest.copies * nest.registers, group.machine->registers.value_or(16));
}

// The nest that takes most of the cycles.
Nest hottest(Group group) {
    static const NestView kNone;
    const auto most = std::ranges::max_element(group.nests, {}, &NestView::share);
    return most == group.nests.end() ? kNone : *most;
}

// clang-format off
constexpr Feature kFeatures[] = {
    // What the analytic model says.
    {"seconds", "log2", "seconds of the group by microseconds", [](Group g) { return ratio(g.cost.total(), 1e-6); }},
    {"compute_share", "share", "of the seconds", [](Group g) { return share(g, Term::Compute); }},
    {"latency_share", "share", "of the seconds", [](Group g) { return share(g, Term::Latency); }},
    {"loops_share", "share", "of the seconds", [](Group g) { return share(g, Term::Loops); }},
    {"l2_share", "share", "of the seconds", [](Group g) { return share(g, Term::L2); }},
    {"l3_share", "share", "of the seconds", [](Group g) { return share(g, Term::L3); }},
    {"dram_share", "share", "of the seconds", [](Group g) { return share(g, Term::Dram); }},
    {"pages_share", "share", "of the seconds", [](Group g) { return share(g, Term::Pages); }},
    {"imbalance_share", "share", "of the seconds", [](Group g) { return share(g, Term::Imbalance); }},
    {"launch_share", "share", "of the seconds", [](Group g) { return share(g, Term::Launch); }},
    {"allocation_share", "share", "of the seconds", [](Group g) { return share(g, Term::Allocation); }},
    {"arithmetic_cycles", "share", "of the cycles that units are asked for", [](Group g) { return cycle_share(g, [](const NestCycles& c) { return c.arithmetic; }); }},
    {"load_cycles", "share", "of the cycles that units are asked for", [](Group g) { return cycle_share(g, [](const NestCycles& c) { return c.loads; }); }},
    {"store_cycles", "share", "of the cycles that units are asked for", [](Group g) { return cycle_share(g, [](const NestCycles& c) { return c.stores; }); }},
    {"chain_cycles", "log2", "cycles of dependent operations by those of the busiest unit", [](Group g) { return g.mean([](Nest n) { return ratio(1 + n.cycles.latency, 1 + n.cycles.busiest()); }); }},
    {"cycles_of_byte", "log2", "cycles by bytes of the function at root", [](Group g) { return ratio(g.cycles, g.stored); }},
    {"l2_traffic", "log2", "bytes beyond the first cache by cycles", [](Group g) { return log_of(g.traffic.l2 / std::max(g.cycles, 1.0)); }},
    {"l3_traffic", "log2", "bytes beyond the second cache by cycles", [](Group g) { return log_of(g.traffic.l3 / std::max(g.cycles, 1.0)); }},
    {"dram_traffic", "log2", "bytes beyond the last cache by cycles", [](Group g) { return log_of(g.traffic.dram / std::max(g.cycles, 1.0)); }},
    {"page_visits", "log2", "pages come to by thousands of cycles", [](Group g) { return log_of(1e3 * g.traffic.page_visits / std::max(g.cycles, 1.0)); }},
    // Vectors and registers: means over the nests by their cycles.
    {"vector_width", "log2", "elements of a vector by those of a register", [](Group g) { return g.mean([](Nest n) { return ratio(n.lanes, n.natural_lanes); }); }},
    {"scalar_share", "share", "of the cycles, in nests without vectors", [](Group g) { return g.mean([](Nest n) { return n.lanes <= 1; }); }},
    {"hot_vector_width", "log2", "as vector_width, of the nest of most cycles", [](Group g) { return ratio(hottest(g).lanes, hottest(g).natural_lanes); }},
    {"element_bytes", "log2", "bytes of what is stored", [](Group g) { return g.mean([](Nest n) { return std::log2(n.element_bytes); }); }},
    {"float_share", "share", "of the cycles, in nests that store floats", [](Group g) { return g.mean([](Nest n) { return n.floats; }); }},
    {"unrolled", "log2", "copies of the body", [](Group g) { return g.mean([](Nest n) { return std::log2(n.copies); }); }},
    {"hot_unrolled", "log2", "as unrolled, of the nest of most cycles", [](Group g) { return std::log2(hottest(g).copies); }},
    {"register_tile", "log2", "vectors of results of all copies by registers", [](Group g) { return g.mean([&](Nest n) { return registers_used(g, n); }); }},
    {"sum_share", "share", "of the cycles, in updates", [](Group g) { return g.mean([](Nest n) { return n.sums; }); }},
    {"inner_reduction_share", "share", "of the cycles, in nests whose innermost loop is a reduction", [](Group g) { return g.mean([](Nest n) { return n.reduces; }); }},
    // Loops.
    {"inner_trips", "log2", "iterations of the innermost loop", [](Group g) { return g.mean([](Nest n) { return log_of(n.inner_trips); }); }},
    {"hot_inner_trips", "log2", "as inner_trips, of the nest of most cycles", [](Group g) { return log_of(hottest(g).inner_trips); }},
    {"inner_bytes", "log2", "bytes that the innermost loop stores in one run", [](Group g) { return g.mean([](Nest n) { return log_of(n.inner_bytes); }); }},
    {"outer_trips", "log2", "iterations of the loop around it", [](Group g) { return g.mean([](Nest n) { return log_of(n.outer_trips); }); }},
    {"depth", "loops", "that run more than once and are neither unrolled nor vectors", [](Group g) { return g.mean([](Nest n) { return n.depth; }); }},
    {"guarded_splits", "share", "of the splits, whose tail is a condition", [](Group g) { return g.mean([](Nest n) { return n.guarded_splits; }); }},
    {"partitioned_share", "share", "of the cycles, in nests all of whose loops Halide may partition", [](Group g) { return g.mean([](Nest n) { return n.partitioned; }); }},
    // What is done.
    {"operations", "log2", "arithmetic of an evaluation, inlined functions apart", [](Group g) { return g.mean([](Nest n) { return log_of(n.operations); }); }},
    {"loads", "log2", "loads of an evaluation", [](Group g) { return g.mean([](Nest n) { return log_of(n.loads); }); }},
    {"sources", "log2", "families of loads", [](Group g) { return g.mean([](Nest n) { return log_of(n.families); }); }},
    {"inlined", "log2", "evaluations of inlined functions, by evaluation", [](Group g) { return g.mean([](Nest n) { return log_of(n.inlined); }); }},
    {"shared_loads", "share", "of the loads, that copies of the body have in common", [](Group g) { return g.mean([](Nest n) { return n.shared; }); }},
    {"strided_loads", "share", "of the loads, of elements a few apart", [](Group g) { return g.mean([](Nest n) { return n.strided; }); }},
    {"gathered_loads", "share", "of the loads, of elements anywhere", [](Group g) { return g.mean([](Nest n) { return n.gathered; }); }},
    {"broadcast_loads", "share", "of the loads, of one element for a vector", [](Group g) { return g.mean([](Nest n) { return n.same; }); }},
    {"clamped_loads", "share", "of the loads, at clamped coordinates", [](Group g) { return g.mean([](Nest n) { return n.clamped; }); }},
    {"code", "log2", "nodes of the expressions, by copy and register", [](Group g) { return g.mean([](Nest n) { return log_of(n.code); }); }},
    {"most_code", "log2", "as code, of the nest that has most", [](Group g) { return log_of(g.most([](Nest n) { return n.code; })); }},
    // Working sets.
    {"body_bytes", "log2", "bytes touched by an iteration of the innermost loop by the first cache", [](Group g) { return g.mean([&](Nest n) { return ratio(n.body_bytes, g.machine->l1.bytes.value); }); }},
    {"inner_set", "log2", "bytes touched by the innermost loop by the first cache", [](Group g) { return g.mean([&](Nest n) { return ratio(n.inner_set, g.machine->l1.bytes.value); }); }},
    {"outer_set", "log2", "bytes touched by an iteration of the outermost loop by the second cache", [](Group g) { return g.mean([&](Nest n) { return ratio(n.outer_set, g.machine->l2.bytes.value); }); }},
    {"largest_set", "log2", "as outer_set, of the nest with the largest", [](Group g) { return ratio(g.most([](Nest n) { return n.outer_set; }), g.machine->l2.bytes.value); }},
    {"allocated", "log2", "bytes allocated inside by the second cache", [](Group g) { return ratio(g.allocated, g.machine->l2.bytes.value); }},
    {"stored", "log2", "bytes of the function at root by the second cache", [](Group g) { return ratio(g.stored, g.machine->l2.bytes.value); }},
    {"loaded", "log2", "bytes of what it loads of others by its own", [](Group g) { return ratio(g.loaded, g.stored); }},
    {"stays_in_l2", "0 or 1", "whether all of the pipeline does", [](Group g) { return double(g.stays_in_l2); }},
    {"stays_in_l3", "0 or 1", "whether all of the pipeline does", [](Group g) { return double(g.stays_in_l3); }},
    // The group.
    {"functions", "log2", "functions of the group", [](Group g) { return std::log2(g.functions); }},
    {"inside_share", "share", "of the cycles, in what is computed at loops", [](Group g) { return g.mean([](Nest n) { return n.inside; }); }},
    {"sliding_share", "share", "of the cycles, in what keeps what earlier iterations made", [](Group g) { return g.mean([](Nest n) { return n.slides; }); }},
    {"recomputation", "log2", "evaluations by points", [](Group g) { return g.mean([](Nest n) { return ratio(n.recomputation, 1); }); }},
    {"most_recomputation", "log2", "as recomputation, of the nest that has most", [](Group g) { return ratio(g.most([](Nest n) { return n.recomputation; }), 1); }},
    {"execution_cycles", "log2", "cycles of one execution of a nest", [](Group g) { return g.mean([](Nest n) { return log_of(n.cycles.total() / std::max(n.executions, 1.0)); }); }},
    {"tasks", "log2", "parallel tasks by threads", [](Group g) { return ratio(g.tasks, std::max(1, g.machine->parallelism)); }},
    {"task_cycles", "log2", "cycles of a task", [](Group g) { return log_of(g.cycles / g.tasks); }},
    {"threads", "share", "of the threads, that work on it", [](Group g) { return g.threads / std::max(1, g.machine->parallelism); }},
    {"parallel_starts", "log2", "parallel loops that begin", [](Group g) { return log_of(g.starts); }},
};
// clang-format on

}  // namespace

std::span<const Feature> features() {
    return kFeatures;
}

std::uint64_t schema_hash(std::span<const Feature> schema) {
    std::string text;
    for (const Feature& feature : schema) {
        for (const char* part : {feature.name, feature.unit, feature.meaning}) {
            text += part;
            text += '\n';
        }
    }
    return hash_bytes(text, kRevision);
}

std::vector<float> group_features(const GroupView& group) {
    constexpr double kMost = 1e6;
    std::vector<float> row;
    row.reserve(std::size(kFeatures));
    for (const Feature& feature : kFeatures) {
        const double value = feature.value(group);
        row.push_back(std::isnan(value) ? 0 : static_cast<float>(std::clamp(value, -kMost, kMost)));
    }
    return row;
}

GroupRows group_rows(const PipelineDag& dag, const Schedule& schedule, const Machine& machine) {
    const PipelineDag usually = usual(dag);
    Expansions expansions;
    ScheduleFacts facts(usually, schedule, machine, expansions);
    GroupRows result;
    for (const int root : facts.roots()) {
        GroupWork work;
        const Cost cost = group_cost(facts, root, &work);
        result.rows.add(group_features(view_group(facts, root, cost, work)));
        result.seconds.push_back(cost.total());
    }
    return result;
}

}  // namespace nestor
