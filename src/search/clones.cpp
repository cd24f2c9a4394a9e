#include "search/clones.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <utility>

#include "search/inlining.h"

namespace nestor {

namespace {

constexpr std::size_t kMostClones = 4;
// Of operations and loads: less is inlined everywhere, more is not computed twice.
constexpr float kLeastOperations = 3;
constexpr float kMostOperations = 64;

// How a function reads another one.
struct Way {
    bool by_data = false;
    bool reduces = false;
    std::vector<double> scale;  // by dimension, at least 1

    std::partial_ordering operator<=>(const Way&) const = default;
};

Way way_of_reading(const Function& reader, int read, int dimensions) {
    Way way{false, false, std::vector<double>(dimensions, 1)};
    for (const Stage& stage : reader.stages) {
        for (const Load& load : stage.loads) {
            if (load.source != Source::Function || load.index != read) {
                continue;
            }
            way.reduces = way.reduces || has_reduction(stage);
            for (std::size_t d = 0; d < load.coords.size(); d++) {
                const Coordinate& at = load.coords[d];
                way.by_data = way.by_data || (!at.affine && !at.usually_affine);
                for (const double rate : at.rates) {
                    way.scale[d] = std::max(way.scale[d], std::abs(rate));
                }
            }
        }
    }
    return way;
}

// Whether a definition reads few points, as they lie or by data, so that it is as little work for
// any of its readers.
bool reads_little(const Stage& stage) {
    constexpr std::ptrdiff_t kFew = 4;
    return std::ssize(stage.loads) <= kFew &&
           std::ranges::all_of(stage.loads, [](const Load& load) {
               return std::ranges::all_of(load.coords, [](const Coordinate& at) {
                   return std::ranges::all_of(
                       at.rates, [](double rate) { return rate == 0 || std::abs(rate) == 1; });
               });
           });
}

bool may_have_clones(const PipelineDag& dag, int function) {
    const Function& f = dag.functions[function];
    if (!may_be_arranged(f) || f.stages.size() != 1 || !f.can_inline || f.only_wraps_input ||
        f.joined || !may_be_replaced(dag, function)) {
        return false;
    }
    const Stage& stage = f.stages[0];
    return !stage.selector && !stage.undefined && stage.ops.work() >= kLeastOperations &&
           stage.ops.work() <= kMostOperations && reads_little(stage) &&
           iterations(stage) >= kLeastWork;
}

}  // namespace

std::optional<Replacements> clones_by_use(const PipelineDag& dag) {
    std::vector<Derivation> derivations;
    for (int f = static_cast<int>(dag.functions.size()) - 1; f >= 0; f--) {
        const Function& mine = dag.functions[f];
        // Halide has no clones of what a clone reads.
        const bool is_read_by_a_clone = std::ranges::any_of(mine.consumers, [&](int consumer) {
            return std::ranges::count(derivations, consumer, &Derivation::parent) > 0;
        });
        if (!may_have_clones(dag, f) || is_read_by_a_clone) {
            continue;
        }
        std::map<Way, std::vector<int>> readers;
        for (const int consumer : mine.consumers) {
            readers[way_of_reading(dag.functions[consumer], f, mine.dimensions())].push_back(
                consumer);
        }
        // The first way, as it lies if it is one of them, is left to the function itself.
        readers.erase(readers.begin());
        for (auto& [way, consumers] : readers) {
            if (derivations.size() < kMostClones) {
                Derivation derivation;
                derivation.kind = Derivation::Kind::Clone;
                derivation.parent = f;
                derivation.consumers = std::move(consumers);
                derivations.push_back(std::move(derivation));
            }
        }
    }
    return replaced(dag, derivations);
}

Plan carry_over_clones(const PipelineDag& dag, const Variant& variant,
                       const std::vector<int>& parents, const Plan& plan, const Plan& start) {
    Plan result = variant.in_graph(plan, start);
    for (std::size_t i = 0; i < parents.size(); i++) {
        const int clone = variant.in_graph(static_cast<int>(dag.functions.size() + i));
        result.functions[clone] = result.functions[variant.in_graph(parents[i])];
    }
    return result;
}

}  // namespace nestor
