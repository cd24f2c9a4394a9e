#include "search/inlining.h"

#include <algorithm>
#include <set>

#include "search/uses.h"

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

class InliningChoice {
  public:
    explicit InliningChoice(const PipelineDag& dag)
        : dag_(dag), inlined_(dag.functions.size(), false) {}

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
        inline_what_has_no_place();
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
    // Some functions have no place of their own, whatever it costs: what only unread elements of
    // inlined tuples need (check_read), and what reads a function that the user computes at a loop
    // of another one (check_pinned_inside). They are inlined too, or, if they can't be, the tuples
    // are not.
    void inline_what_has_no_place() {
        for (bool changed = true; changed;) {
            changed = false;
            const auto uses = real_uses(dag_, inlined_);
            for (int i = 0; i < static_cast<int>(inlined_.size()) && !changed; i++) {
                const Function& f = dag_.functions[i];
                if (!inlined_[i] && !f.is_output && !f.pinned && uses[i].empty()) {
                    changed = inline_once(i) || keep_consumers(i);
                }
                for (const StageRef& use : uses[i]) {
                    const Function& reader = dag_.functions[use.function];
                    if (f.pinned_inside >= 0 && use.function != f.pinned_inside && !reader.pinned) {
                        changed = changed || inline_once(use.function);
                    }
                }
            }
        }
    }

    bool inline_once(int i) {
        if (!dag_.functions[i].can_inline || !decided_.insert(i).second) {
            return false;
        }
        inlined_[i] = true;
        return true;
    }

    bool keep_consumers(int i) {
        bool changed = false;
        for (const int consumer : dag_.functions[i].consumers) {
            changed = changed || inlined_[consumer];
            decided_.insert(consumer);
            inlined_[consumer] = false;
        }
        return changed;
    }

    static int sites(const Stage& stage, int function) {
        return static_cast<int>(
            std::count_if(stage.loads.begin(), stage.loads.end(), [&](const Load& load) {
                return load.source == Source::Function && load.index == function;
            }));
    }

    void expand(int i, const Stage& stage) {
        double work = stage.ops.work();
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
    std::set<int> decided_;  // by inline_what_has_no_place(), which inlines each at most once
    std::vector<double> work_, nodes_;  // of one evaluation, inlined calls expanded
};

bool is_cheap_to_repeat(int i, const InliningChoice& inlining) {
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
    return InliningChoice(dag).decide(is_cheap_to_repeat);
}

std::vector<bool> inline_all(const PipelineDag& dag, double largest) {
    return InliningChoice(dag).decide([&](int i, const InliningChoice& inlining) {
        return inlining.consumer_nodes(i) <= largest;
    });
}

}  // namespace nestor
