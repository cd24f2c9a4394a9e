#include "schedule/phases.h"

#include <cmath>
#include <map>
#include <numeric>

namespace nestor {

namespace {

class Periods {
  public:
    Periods(const PipelineDag& graph, const std::function<bool(int)>& is_inlined)
        : graph_(graph), is_inlined_(is_inlined) {}

    std::vector<int> of(const Stage& stage) {
        std::vector<int> result(stage.loops.size(), 1);
        for (const Phase& phase : stage.phases) {
            add(phase.whole ? 1 : phase.period, result[phase.loop]);
        }
        for (const Load& load : stage.loads) {
            if (load.source != Source::Function || !is_inlined_(load.index)) {
                continue;
            }
            const std::vector<int>& inner = of_inlined(load.index);
            for (std::size_t d = 0; d < load.coords.size(); d++) {
                for (std::size_t l = 0; inner[d] > 1 && l < result.size(); l++) {
                    add(period_through(load.coords[d], static_cast<int>(l), inner[d]), result[l]);
                }
            }
        }
        return result;
    }

  private:
    static void add(int period, int& all) {
        const int both = std::lcm(all, period);
        all = both <= kLongestPeriod ? both : all;
    }

    // By argument.
    const std::vector<int>& of_inlined(int function) {
        const auto known = inlined_.find(function);
        if (known != inlined_.end()) {
            return known->second;
        }
        const Function& f = graph_.functions[function];
        std::vector<int> result(f.args.size(), 1);
        inlined_.emplace(function, result);  // updates read their own function
        for (const Stage& stage : f.stages) {
            const std::vector<int> mine = of(stage);
            for (std::size_t l = 0; l < mine.size(); l++) {
                if (!stage.loops[l].is_reduction()) {
                    add(mine[l], result[stage.loops[l].position]);
                }
            }
        }
        return inlined_[function] = std::move(result);
    }

    const PipelineDag& graph_;
    const std::function<bool(int)>& is_inlined_;
    std::map<int, std::vector<int>> inlined_;
};

}  // namespace

std::vector<int> periods(const PipelineDag& graph, int function, int stage,
                         const std::function<bool(int)>& is_inlined) {
    return Periods(graph, is_inlined).of(graph.functions[function].stages[stage]);
}

int period_through(const Coordinate& coordinate, int loop, int period) {
    if (!coordinate.affine) {
        return 1;
    }
    const double rate = std::abs(coordinate.rates[loop]);
    const auto whole = static_cast<int>(rate);
    return whole > 0 && static_cast<double>(whole) == rate ? period / std::gcd(period, whole) : 1;
}

}  // namespace nestor
