#include "search/inlining.h"

#include <algorithm>

namespace nestor {

namespace {

constexpr double kStoreAndLoop = 3;         // operations: a store, and the loop around it
constexpr double kLargestExpansion = 2000;  // nodes of a definition with inlined calls expanded

// Evaluations of each function if it is inlined: over all uses, by stages that are not inlined
// themselves.
struct Use {
    double evaluations = 0;
    int sites = 0;
};

class Inlining {
  public:
    explicit Inlining(const PipelineDag& dag) : dag_(dag), inlined_(dag.functions.size(), false) {}

    // Producers first, so that the expanded work of what a function reads is known.
    template <class Rule>
    std::vector<bool> decide(const Rule& rule) {
        work_.assign(dag_.functions.size(), 0);
        nodes_.assign(dag_.functions.size(), 0);
        for (int i = 0; i < static_cast<int>(dag_.functions.size()); i++) {
            const Function& f = dag_.functions[i];
            for (const Stage& stage : f.stages) {
                expand(i, stage);
            }
            inlined_[i] = f.can_inline && !f.pinned && !f.consumers.empty() && rule(i, *this);
        }
        return inlined_;
    }

    [[nodiscard]] double work(int i) const { return work_[i]; }
    [[nodiscard]] double nodes(int i) const { return nodes_[i]; }
    [[nodiscard]] const PipelineDag& dag() const { return dag_; }

    // Nodes of the largest consumer once this function is expanded in it.
    [[nodiscard]] double consumer_nodes(int i) const {
        double largest = 0;
        for (const int consumer : dag_.functions[i].consumers) {
            for (const Stage& stage : dag_.functions[consumer].stages) {
                largest = std::max(largest, stage.expression_size + nodes_[i] * sites(stage, i));
            }
        }
        return largest;
    }

    [[nodiscard]] Use use(int i) const {
        Use use;
        for (const int consumer : dag_.functions[i].consumers) {
            for (const Stage& stage : dag_.functions[consumer].stages) {
                const int count = sites(stage, i);
                use.sites += count;
                use.evaluations += count * iterations(stage);
            }
        }
        return use;
    }

  private:
    static int sites(const Stage& stage, int function) {
        return static_cast<int>(
            std::count_if(stage.loads.begin(), stage.loads.end(), [&](const Load& load) {
                return load.source == Source::Function && load.index == function;
            }));
    }

    void expand(int i, const Stage& stage) {
        double work = stage.ops.arithmetic() + stage.ops.load + 5.0 * stage.ops.divide +
                      15.0 * stage.ops.transcendental;
        double nodes = stage.expression_size;
        for (const Load& load : stage.loads) {
            if (load.source == Source::Function && inlined_[load.index]) {
                work += work_[load.index] - 1;
                nodes += nodes_[load.index];
            }
        }
        work_[i] = std::max(work_[i], work);
        nodes_[i] = std::max(nodes_[i], nodes);
    }

    const PipelineDag& dag_;
    std::vector<bool> inlined_;
    std::vector<double> work_, nodes_;  // of one evaluation, inlined calls expanded
};

bool is_cheap_to_repeat(int i, const Inlining& inlining) {
    const Function& f = inlining.dag().functions[i];
    if (f.only_wraps_input) {
        return true;
    }
    if (inlining.consumer_nodes(i) > kLargestExpansion) {
        return false;
    }
    const Use use = inlining.use(i);
    const double repeats = use.evaluations / std::max<double>(1, static_cast<double>(f.points()));
    const double work = inlining.work(i);
    return repeats * (work - 1) <= work + kStoreAndLoop;
}

}  // namespace

double iterations(const Stage& stage) {
    double count = 1;
    for (const Loop& loop : stage.loops) {
        count *= static_cast<double>(loop.range.extent);
    }
    return count;
}

std::vector<bool> choose_inlined(const PipelineDag& dag) {
    return Inlining(dag).decide(is_cheap_to_repeat);
}

std::vector<bool> inline_all(const PipelineDag& dag, double largest) {
    return Inlining(dag).decide(
        [&](int i, const Inlining& inlining) { return inlining.consumer_nodes(i) <= largest; });
}

}  // namespace nestor
