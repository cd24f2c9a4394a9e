#include "cost/evaluator.h"

#include "cost/schedule_facts.h"
#include "cost/terms.h"

namespace nestor {

namespace {

// Order matters; good enough for keys of a table.
class Mixer {
  public:
    void add(std::uint64_t value) {
        hash_ = (hash_ ^ (value + 0x9e3779b97f4a7c15U + (hash_ << 6U) + (hash_ >> 2U))) *
                0xbf58476d1ce4e5b9U;
        hash_ ^= hash_ >> 29U;
    }
    void add(const LoopRef& loop) {
        add(static_cast<std::uint64_t>(loop.dim) << 8U | static_cast<std::uint64_t>(loop.level));
    }
    void add(const Level& level) {
        add(static_cast<std::uint64_t>(level.kind));
        add(static_cast<std::uint64_t>(level.site.function) << 8U |
            static_cast<std::uint64_t>(level.site.stage));
        add(level.site.loop);
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
    [[nodiscard]] std::uint64_t hash() const { return hash_; }

  private:
    std::uint64_t hash_ = 0;
};

}  // namespace

Evaluator::Evaluator(const PipelineDag& dag, const Machine& machine, const Correction* correction)
    : machine_(machine), correction_(correction), usual_(usual(dag)) {
    const std::size_t count = dag.functions.size();
    ancestors_.assign(count, std::vector<bool>(count, false));
    for (std::size_t f = 0; f < count; f++) {  // producers first
        std::vector<bool>& mine = ancestors_[f];
        for (const Stage& stage : dag.functions[f].stages) {
            for (const Load& load : stage.loads) {
                if (load.source == Source::Function) {
                    const std::vector<bool>& theirs = ancestors_[load.index];
                    for (std::size_t i = 0; i < count; i++) {
                        mine[i] = mine[i] || theirs[i];
                    }
                    mine[load.index] = true;
                }
            }
        }
    }
}

double Evaluator::seconds(const Schedule& schedule) {
    const std::size_t count = usual_.functions.size();
    if (schedule.functions.size() != count) {
        return predict(usual_, schedule, machine_, correction_).cost.total();  // derived functions
    }
    const Placement placement(usual_, schedule);
    const Bounds bounds(placement);
    std::vector<Mixer> keys(count);
    std::vector<std::vector<bool>> reads(count);
    std::vector<bool> is_root(count, false);
    for (std::size_t f = 0; f < count; f++) {
        const auto i = static_cast<int>(f);
        if (placement.is_transparent(i)) {
            continue;
        }
        const auto root = static_cast<std::size_t>(placement.root(i));
        is_root[root] = true;
        Mixer& key = keys[root];
        key.add(f);
        const FunctionSchedule& mine = schedule.functions[f];
        key.add(mine.compute);
        key.add(mine.store);
        for (const Alignment& alignment : mine.region_alignment) {
            key.add(static_cast<std::uint64_t>(alignment.dim) << 32U |
                    static_cast<std::uint64_t>(alignment.elements));
        }
        key.add(static_cast<std::uint64_t>(placement.dense_dim(Source::Function, i)));
        for (std::size_t s = 0; s < mine.stages.size(); s++) {
            key.add(placement.running_nest(i, static_cast<int>(s)));
            key.add(has_selected(mine.stages[s]) ? 1 : 0);
        }
        if (reads[root].empty()) {
            reads[root].assign(count, false);
        }
        for (std::size_t a = 0; a < count; a++) {
            reads[root][a] = reads[root][a] || ancestors_[f][a];
        }
    }
    const double everything = bytes_at_root(bounds);
    const RootMemory memory = root_memory(bounds);
    double total = 0;
    std::vector<int> missing;
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
        keys[root].add(memory.bytes >= trim_threshold(memory.largest) ? 1 : 0);
        const auto known = groups_.find(keys[root].hash());
        if (known != groups_.end()) {
            total += known->second;
        } else {
            missing.push_back(static_cast<int>(root));
        }
    }
    if (!missing.empty()) {
        ScheduleFacts facts(usual_, schedule, machine_, expansions_, missing);
        for (const int root : missing) {
            const double cost = corrected_group_cost(facts, root, correction_).cost.total();
            groups_[keys[root].hash()] = cost;
            total += cost;
        }
    }
    return total;
}

}  // namespace nestor
