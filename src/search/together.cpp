#include "search/together.h"

#include <algorithm>
#include <set>
#include <utility>

#include "search/inlining.h"

namespace nestor {

namespace {

constexpr std::size_t kMostTogether = 8;

using Buffer = std::pair<Source, int>;

// What a function loads, itself or through what is inlined.
void add_reads(const PipelineDag& dag, const std::vector<bool>& inlined, int function,
               std::set<Buffer>& reads) {
    for (const Load& load : dag.functions[function].stages[0].loads) {
        if (!reads.emplace(load.source, load.index).second) {
            continue;
        }
        if (load.source == Source::Function && inlined[load.index] &&
            !dag.functions[load.index].stages.empty()) {
            add_reads(dag, inlined, load.index, reads);
        }
    }
}

class Sets {
  public:
    explicit Sets(const PipelineDag& dag) : dag_(dag), inlined_(choose_inlined(dag)) {}

    std::vector<Joined> find() {
        std::vector<bool> taken(dag_.functions.size(), false);
        for (int f = static_cast<int>(dag_.functions.size()) - 1; f >= 0; f--) {
            if (!taken[f] && may_join(f)) {
                add_set(f, taken);
            }
        }
        return std::move(all_);
    }

  private:
    [[nodiscard]] bool may_join(int f) const {
        return dag_.functions[f].is_output && !dag_.functions[f].stages.empty();
    }

    void add_set(int leader, std::vector<bool>& taken) {
        Joined set{leader, {}};
        std::set<Buffer> reads;
        add_reads(dag_, inlined_, leader, reads);
        for (int f = leader - 1; f >= 0 && set.followers.size() + 1 < kMostTogether; f--) {
            if (taken[f] || !may_join(f) || !can_join(dag_.functions[leader], dag_.functions[f])) {
                continue;
            }
            std::set<Buffer> mine;
            add_reads(dag_, inlined_, f, mine);
            if (std::ranges::none_of(mine,
                                     [&](const Buffer& each) { return reads.contains(each); })) {
                continue;
            }
            Joined larger = set;
            larger.followers.insert(larger.followers.begin(), f);
            std::vector<Joined> with = all_;
            with.push_back(larger);
            if (join(dag_, with)) {
                set = std::move(larger);
                reads.merge(mine);
                taken[f] = true;
            }
        }
        if (!set.followers.empty()) {
            all_.push_back(std::move(set));
        }
    }

    const PipelineDag& dag_;
    const std::vector<bool> inlined_;
    std::vector<Joined> all_;
};

}  // namespace

std::vector<Joined> computed_together(const PipelineDag& dag) {
    // Buffers that may be laid out in several ways have cases, which Halide refuses for these.
    return dag.layouts.empty() ? Sets(dag).find() : std::vector<Joined>{};
}

Plan carry_over(const Variant& variant, const std::vector<Joined>& together, const Plan& plan,
                const Plan& start) {
    Plan result = variant.in_graph(plan, start);
    for (const Joined& each : together) {
        const int leader = variant.in_graph(each.leader);
        // Blocks of one may be too much code for all, with guards as there are no cases; and tiles
        // have guards that cut others off.
        for (NestPlan& nest : result.functions[leader].stages) {
            std::ranges::fill(nest.block, 1);
            std::ranges::fill(nest.tile, 0);
        }
        for (const int f : each.followers) {
            const int follower = variant.in_graph(f);
            result.functions[follower] = start.functions[follower];
        }
    }
    return result;
}

}  // namespace nestor
