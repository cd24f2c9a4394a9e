#include "search/resampling.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "search/make_nest.h"
#include "search/nests.h"
#include "search/pointwise.h"
#include "search/transpositions.h"

namespace nestor {

namespace {

constexpr std::int64_t kShortest = 16;  // rows for which columns of vectors pay

// The dimension that neighbours of a row follow each other in: the first one that is not over
// channels.
int row_dim(const Function& f) {
    for (int d = 0; d < f.dimensions(); d++) {
        if (f.region[d].extent > kShort) {
            return d;
        }
    }
    return -1;
}

bool is_uneven(const Coordinate& coordinate, int loop) {
    if (!coordinate.affine) {
        return false;
    }
    const double rate = std::abs(coordinate.rates[loop]);
    // Every second one, and each one twice, take shuffles of whole vectors.
    return rate != 0 && rate != std::round(rate) && 1 / rate != std::round(1 / rate);
}

// A function that resamples its rows. Dimensions are of the function, those of the source its own.
struct Resampling {
    int source = -1;
    int source_row = -1;
    int source_column = -1;
    int row = -1;
    int column = -1;
};

std::optional<Resampling> resampling(const PipelineDag& graph, const Stage& stage,
                                     const Load& load) {
    if (load.source != Source::Function || !may_be_arranged(graph.functions[load.index])) {
        return std::nullopt;
    }
    Resampling found;
    found.source = load.index;
    found.source_row = row_dim(graph.functions[load.index]);
    for (std::size_t l = 0; l < stage.loops.size() && found.source_row >= 0; l++) {
        const Loop& loop = stage.loops[l];
        if (loop.is_reduction() || loop.range.extent < kShortest) {
            continue;
        }
        if (is_uneven(load.coords[found.source_row], static_cast<int>(l))) {
            found.row = loop.position;
            continue;
        }
        for (int k = 0; k < std::ssize(load.coords); k++) {
            const Coordinate& each = load.coords[k];
            if (k != found.source_row && each.affine && each.rates[l] == 1) {
                found.column = loop.position;
                found.source_column = k;
            }
        }
    }
    return found.row >= 0 && found.column >= 0 ? std::optional(found) : std::nullopt;
}

// Only if all that it reads in this way is of one source.
std::optional<Resampling> resampling(const PipelineDag& graph, const Function& f) {
    if (!may_be_arranged(f)) {
        return std::nullopt;
    }
    std::optional<Resampling> found;
    for (const Stage& stage : f.stages) {
        for (const Load& load : stage.loads) {
            const std::optional<Resampling> here = resampling(graph, stage, load);
            if (here && found && here->source != found->source) {
                return std::nullopt;
            }
            found = here ? here : found;
        }
        if (loop_along(stage, found ? found->column : 0) < 0) {
            return std::nullopt;
        }
    }
    return found;
}

// What reads it can be transposed on the way, because it is computed anew in any case.
bool is_arranged_by_reader(const PipelineDag& graph, int function) {
    const Function& f = graph.functions[function];
    if (f.stages.size() == 1) {
        return true;
    }
    const std::optional<Reading> reading = sole_reading(graph, function);
    return reading && may_be_arranged(graph.functions[reading->reader]) &&
           graph.functions[reading->reader].stages.size() == 1;
}

Derivation copy_of(int function, std::vector<int> readers) {
    Derivation derivation;
    derivation.kind = Derivation::Kind::Wrapper;
    derivation.parent = function;
    derivation.consumers = std::move(readers);
    return derivation;
}

// Vectors along one dimension, as many next to each other along the other one, in which it is
// contiguous in memory: blocks that are transposed in registers.
void transpose(const Function& f, int along, int across, int lanes, FunctionPlan& plan) {
    const Stage& stage = f.stages[0];
    const int vector = loop_along(stage, along);
    const int rows = loop_along(stage, across);
    if (f.stages.size() != 1 || vector < 0 || rows < 0 || !may_be_arranged(f)) {
        return;
    }
    plan.place = plan.place == Place::Inlined ? Place::Root : plan.place;
    plan.dense = across;
    NestPlan& nest = plan.stages[0];
    std::ranges::fill(nest.block, 1);
    nest.vector_dim = vector;
    nest.lanes = lanes;
    nest.block[rows] = lanes;
}

void set_vectors(const Function& f, int dim, int lanes, FunctionPlan& plan) {
    plan.dense = f.is_output ? plan.dense : dim;
    for (const Stage& stage : f.stages) {
        const int loop = loop_along(stage, dim);
        if (loop >= 0 && is_free(f, stage.loops[loop])) {
            NestPlan& nest = plan.stages[stage.index];
            std::ranges::fill(nest.block, 1);
            nest.vector_dim = loop;
            nest.lanes = lanes;
        }
    }
}

}  // namespace

std::optional<Variant> resampled_by_columns(const PipelineDag& dag) {
    std::vector<Derivation> derivations;
    bool any = false;
    for (int f = 0; f < std::ssize(dag.functions); f++) {
        const std::optional<Resampling> found = resampling(dag, dag.functions[f]);
        if (!found) {
            continue;
        }
        any = true;
        if (dag.functions[found->source].stages.size() > 1) {
            derivations.push_back(copy_of(found->source, {f}));
        }
        if (!is_arranged_by_reader(dag, f)) {
            derivations.push_back(copy_of(f, dag.functions[f].consumers));
        }
    }
    return any ? std::optional(Variant(dag, derivations)) : std::nullopt;
}

void place_by_columns(const PipelineDag& graph, const Machine& machine, Plan& plan) {
    for (int i = 0; i < std::ssize(graph.functions); i++) {
        const Function& f = graph.functions[i];
        const std::optional<Resampling> found = resampling(graph, f);
        if (!found) {
            continue;
        }
        const int lanes = machine.lanes(widest_bytes(f));
        FunctionPlan& mine = plan.functions[i];
        mine.place = mine.place == Place::Inlined ? Place::Root : mine.place;
        // 1. What it reads, by columns; and what that is copied from, by rows.
        const Function& source = graph.functions[found->source];
        transpose(source, found->source_row, found->source_column, lanes,
                  plan.functions[found->source]);
        for (const Load& load : source.stages[0].loads) {
            if (load.source == Source::Function && source.stages.size() == 1 &&
                load.coords.size() == source.args.size() &&
                may_be_arranged(graph.functions[load.index])) {
                set_vectors(graph.functions[load.index], found->source_row, lanes,
                            plan.functions[load.index]);
            }
        }
        // 2. Itself.
        if (f.stages.size() == 1) {
            transpose(f, found->column, found->row, lanes, mine);
        } else {
            set_vectors(f, found->column, lanes, mine);
        }
        // 3. What reads it, by rows again.
        for (const int reader : f.consumers) {
            const Function& copy = graph.functions[reader];
            const auto reading = pointwise_reading(copy, i, f.dimensions());
            if (f.stages.size() > 1 && reading) {
                const auto dim = [&](int mine) {
                    return copy.stages[reading->stage].loops[reading->loops[mine]].position;
                };
                transpose(copy, dim(found->column), dim(found->row), lanes, plan.functions[reader]);
            }
        }
    }
    // In blocks of their readers where that can be.
    place_transpositions(graph, machine, plan);
}

}  // namespace nestor
