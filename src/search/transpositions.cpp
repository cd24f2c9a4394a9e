#include "search/transpositions.h"

#include <algorithm>
#include <array>
#include <vector>

#include "search/nests.h"
#include "search/pointwise.h"

namespace nestor {

namespace {

constexpr int kShortest = 4;         // points along a side for which blocks pay
constexpr int kMostElements = 1024;  // of a block, so that it can be registers

bool may_be_copied(const Function& f) {
    return may_be_arranged(f) && f.stages.size() > 1;
}

// The stage reads a function along its memory by a loop that is not the one along its own.
bool reads_across(const Function& reader, const Stage& stage, const Load& load) {
    if (has_reduction(stage) || reader.dimensions() == 0) {
        return false;
    }
    const int own = loop_along(stage, 0);
    if (own < 0 || load.coords.empty() || stage.loops[own].range.extent < kShortest) {
        return false;
    }
    const Coordinate& memory = load.coords[0];
    if (!memory.affine || memory.rates[own] != 0) {
        return false;
    }
    const auto moves_with = [&](const Coordinate& each) {
        return each.affine && each.rates[own] == 1;
    };
    for (std::size_t l = 0; l < memory.rates.size(); l++) {
        if (memory.rates[l] == 1 && stage.loops[l].range.extent >= kShortest) {
            return std::ranges::any_of(load.coords, moves_with);
        }
    }
    return false;
}

// Blocks of a function and its reader.
class Blocks {
  public:
    Blocks(const PipelineDag& graph, const Machine& machine, const Plan& plan, int function)
        : graph_(graph),
          machine_(machine),
          plan_(plan),
          f_(graph.functions[function]),
          function_(function) {}

    void for_each(const std::function<void(const Plan&)>& visit) {
        if (!find_reader()) {
            return;
        }
        const int widest = machine_.lanes(widest_bytes(f_));
        for (int along = 0; along < f_.dimensions(); along++) {
            if (along == across_ || !loads_along(along)) {
                continue;
            }
            for (const int lanes : {widest / 2, widest, widest / 4}) {
                for (const int rows : {widest / 2, widest, widest / 4}) {
                    const bool fits = extent(across_) >= lanes && extent(along) >= rows &&
                                      lanes * rows <= kMostElements;
                    if (fits && lanes >= kShortest && rows >= kShortest) {
                        visit(with(along, lanes, rows));
                    }
                }
            }
        }
    }

  private:
    [[nodiscard]] std::int64_t extent(int dim) const { return f_.region[dim].extent; }

    // Nothing but one definition, and one that reads it in vectors along one of its dimensions.
    [[nodiscard]] bool find_reader() {
        if (f_.stages.size() != 1 || !may_be_arranged(f_)) {
            return false;
        }
        reading_ = sole_reading(graph_, function_);
        if (!reading_) {
            return false;
        }
        const int theirs = plan_.functions[reading_->reader].stages[reading_->stage].vector_dim;
        const auto across = std::ranges::find(reading_->loops, theirs);
        across_ = static_cast<int>(across - reading_->loops.begin());
        return across != reading_->loops.end();
    }

    // Whether neighbours along that dimension, and not those along the reader's vectors, are
    // neighbours in memory in what it loads.
    [[nodiscard]] bool loads_along(int dim) const {
        const int loop = loop_along(f_.stages[0], dim);
        const int other = loop_along(f_.stages[0], across_);
        return std::ranges::any_of(f_.stages[0].loads, [&](const Load& load) {
            const int dense = load.source == Source::Input ? graph_.inputs[load.index].dense_dim
                                                           : plan_.functions[load.index].dense;
            if (dense < 0 || dense >= std::ssize(load.coords)) {
                return false;
            }
            const Coordinate& each = load.coords[dense];
            return each.affine && each.rates[loop] == 1 && each.rates[other] == 0;
        });
    }

    [[nodiscard]] Plan with(int along, int lanes, int rows) const {
        Plan changed = plan_;
        FunctionPlan& mine = changed.functions[function_];
        compute_at({reading_->reader, reading_->stage, SiteKind::Inner}, mine);
        mine.dense = across_;  // half the time of loading columns of a block (bytes, Zen 5)
        set(mine.stages[0], loop_along(f_.stages[0], along), rows,
            loop_along(f_.stages[0], across_), lanes);
        FunctionPlan& reader = changed.functions[reading_->reader];
        if (reader.place == Place::Inlined) {
            reader.place = Place::Root;
        }
        set(reader.stages[reading_->stage], reading_->loops[across_], lanes, reading_->loops[along],
            rows);
        return changed;
    }

    static void set(NestPlan& nest, int vector, int lanes, int rows, int copies) {
        std::ranges::fill(nest.block, 1);
        nest.vector_dim = vector;
        nest.lanes = lanes;
        nest.block[rows] = copies;
    }

    const PipelineDag& graph_;
    const Machine& machine_;
    const Plan& plan_;
    const Function& f_;
    const int function_;
    std::optional<Reading> reading_;
    int across_ = -1;  // the dimension of the reader's vectors
};

}  // namespace

std::optional<Variant> transposed_copies(const PipelineDag& dag) {
    std::vector<Derivation> derivations;
    for (int f = 0; f < std::ssize(dag.functions); f++) {
        const Function& reader = dag.functions[f];
        if (reader.pinned || reader.is_extern) {
            continue;
        }
        std::vector<int> sources;
        for (const Stage& stage : reader.stages) {
            for (const Load& load : stage.loads) {
                if (load.source == Source::Function && load.index != f &&
                    may_be_copied(dag.functions[load.index]) && reads_across(reader, stage, load) &&
                    std::ranges::count(sources, load.index) == 0) {
                    sources.push_back(load.index);
                }
            }
        }
        for (const int source : sources) {
            Derivation derivation;
            derivation.kind = Derivation::Kind::Wrapper;
            derivation.parent = source;
            derivation.consumers = {f};
            derivations.push_back(std::move(derivation));
        }
    }
    return derivations.empty() ? std::nullopt : std::optional(Variant(dag, derivations));
}

void for_each_transposition(const PipelineDag& graph, const Machine& machine, const Plan& plan,
                            int function, const std::function<void(const Plan&)>& visit) {
    Blocks(graph, machine, plan, function).for_each(visit);
}

void place_transpositions(const PipelineDag& graph, const Machine& machine, Plan& plan) {
    for (int f = 0; f < std::ssize(graph.functions); f++) {
        std::optional<Plan> first;
        for_each_transposition(graph, machine, plan, f, [&](const Plan& changed) {
            first = first ? std::move(first) : std::optional(changed);
        });
        if (first) {
            plan = std::move(*first);
        }
    }
}

}  // namespace nestor
