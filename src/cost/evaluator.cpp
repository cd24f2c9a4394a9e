#include "cost/evaluator.h"

#include <algorithm>

#include "base/hash.h"
#include "cost/schedule_facts.h"
#include "cost/terms.h"
#include "schedule/joined.h"

namespace nestor {

namespace {

// Of all that decides what a group costs.
class GroupKey : public Mixer {
  public:
    using Mixer::add;
    void add(const LoopRef& loop) {
        add(static_cast<std::uint64_t>(loop.dim) << 8U | static_cast<std::uint64_t>(loop.level));
    }
    void add(const Level& level) {
        add(static_cast<std::uint64_t>(level.kind));
        add(static_cast<std::uint64_t>(level.site.function) << 8U |
            static_cast<std::uint64_t>(level.site.stage));
        add(level.site.loop);
    }
    void add(const Alignment& alignment) {
        add(static_cast<std::uint64_t>(alignment.dim) << 32U |
            static_cast<std::uint64_t>(alignment.elements));
    }
    // Where an output begins, which its case says, changes what its nest executes.
    void add(const Specialization& running) {
        for (const ExtentCondition& each : running.when) {
            if (each.multiple > 1) {
                add(Alignment{each.dim, each.multiple});
            }
        }
    }
    void add(const LoopNest& nest) {
        for (const std::vector<Split>& splits : nest.splits) {
            add(splits.size());
            for (const Split& split : splits) {
                add(static_cast<std::uint64_t>(split.factor) << 4U |
                    static_cast<std::uint64_t>(split.tail));
            }
        }
        for (const std::vector<LoopRef>* loops : {&nest.order, &nest.parallel, &nest.unrolled}) {
            add(loops->size());
            for (const LoopRef& loop : *loops) {
                add(loop);
            }
        }
        add(nest.partition.size());
        for (const LoopPartition& partition : nest.partition) {
            add(partition.loop);
            add(static_cast<std::uint64_t>(partition.policy));
        }
        for (const std::optional<LoopRef>& loop : {nest.vector, nest.dot}) {
            add(loop ? 1 : 0);
            if (loop) {
                add(*loop);
            }
        }
    }
};

}  // namespace

Evaluator::Evaluator(const PipelineDag& dag, const Machine& machine, const Correction* correction)
    : machine_(machine),
      correction_(correction),
      usual_(usual(dag)),
      loads_(usual_),
      consumers_first_(consumers_first(usual_)),
      memory_(kMemory),
      arena_(memory_.data(), memory_.size()) {
    for (const Function& f : dag.functions) {
        std::vector<int>& mine = producers_.emplace_back();
        for (const Stage& stage : f.stages) {
            for (const Load& load : stage.loads) {
                if (load.source == Source::Function && std::ranges::count(mine, load.index) == 0) {
                    mine.push_back(load.index);
                }
            }
        }
    }
}

// Marks what a function reads, and what it reads through what has no loops of its own.
void Evaluator::mark_reads(int function, const Placement& placement,
                           std::vector<bool>& reads) const {
    for (const int producer : producers_[function]) {
        if (!reads[producer]) {
            reads[producer] = true;
            if (placement.is_transparent(producer)) {
                mark_reads(producer, placement, reads);
            }
        }
    }
}

double Evaluator::seconds(const Schedule& schedule, double enough) {
    const std::size_t count = usual_.functions.size();
    if (schedule.functions.size() != count || has_fusion(schedule)) {
        return predict(usual_, schedule, machine_, correction_).cost.total();  // another graph
    }
    arena_.release();
    ScheduleFacts facts(usual_, schedule, machine_, expansions_,
                        {&arena_, &loads_, &consumers_first_});
    const Placement& placement = facts.placement();
    std::vector<GroupKey> keys(count);
    std::vector<std::vector<bool>> reads(count);
    std::vector<bool> is_root(count, false);
    for (std::size_t f = 0; f < count; f++) {
        const auto i = static_cast<int>(f);
        if (placement.is_transparent(i)) {
            continue;
        }
        const auto root = static_cast<std::size_t>(placement.root(i));
        is_root[root] = true;
        GroupKey& key = keys[root];
        key.add(f);
        const FunctionSchedule& mine = schedule.functions[f];
        key.add(mine.compute);
        key.add(mine.store);
        for (const Alignment& alignment : mine.region_alignment) {
            key.add(alignment);
        }
        key.add(static_cast<std::uint64_t>(placement.dense_dim(Source::Function, i)));
        for (std::size_t s = 0; s < mine.stages.size(); s++) {
            key.add(placement.running_nest(i, static_cast<int>(s)));
            if (const auto* running = placement.running_case(i, static_cast<int>(s))) {
                key.add(*running);
            }
            key.add(has_selected(mine.stages[s]) ? 1 : 0);
        }
        if (reads[root].empty()) {
            reads[root].assign(count, false);
        }
        mark_reads(i, placement, reads[root]);
    }
    const double everything = facts.everything();
    const RootMemory memory = facts.root_memory();
    double total = 0;
    std::vector<Missing> missing;
    for (std::size_t root = 0; root < count; root++) {
        if (!is_root[root]) {
            continue;
        }
        for (std::size_t a = 0; a < count; a++) {
            if (reads[root][a]) {
                const auto i = static_cast<int>(a);
                keys[root].add(placement.is_transparent(i) ? a : ~a);
                keys[root].add(
                    static_cast<std::uint64_t>(placement.dense_dim(Source::Function, i)));
            }
        }
        for (const CacheLevel* cache : {&machine_.l1, &machine_.l2, &machine_.l3}) {
            keys[root].add(stays_in(*cache, everything) ? 1 : 0);
        }
        keys[root].add(static_cast<std::uint64_t>(memory.largest));
        keys[root].add(memory.is_given_back() ? 1 : 0);
        const auto known = groups_.find(keys[root].hash());
        if (known != groups_.end()) {
            total += known->second;
        } else {
            missing.push_back({static_cast<int>(root), keys[root].hash()});
        }
    }
    return missing.empty() ? total : add_missing(total, enough, facts, missing);
}

double Evaluator::add_missing(double known, double enough, ScheduleFacts& facts,
                              const std::vector<Missing>& missing) {
    std::vector<int> roots;
    for (const Missing& each : missing) {
        roots.push_back(each.root);
    }
    facts.add_nests(roots);
    if (correction_ != nullptr) {
        for (const Missing& each : missing) {
            const double cost = corrected_group_cost(facts, each.root, correction_).cost.total();
            groups_[each.key] = cost;
            known += cost;
        }
        return known;
    }
    // What is executed takes less time to find than what memory adds, and is often too much
    // already.
    std::vector<GroupExecution> executions;
    double least = 0;
    for (const Missing& each : missing) {
        executions.push_back(group_execution(facts, each.root));
        least += executions.back().least();
    }
    for (std::size_t i = 0; i < missing.size(); i++) {
        if (known + least >= enough) {
            return known + least;
        }
        const double cost = group_cost(facts, missing[i].root, executions[i]).total();
        groups_[missing[i].key] = cost;
        known += cost;
        least -= executions[i].least();
    }
    return known;
}

}  // namespace nestor
