#include "dag/pipeline_dag.h"

#include <algorithm>
#include <numeric>

namespace nestor {

LoopSet Coordinate::changing_loops() const {
    const auto known = static_cast<int>(affine ? rates.size() : fixed_loops.size());
    LoopSet loops = affine || known > 0 ? 0 : kAllLoops;
    for (int l = 0; l < known; l++) {
        loops |= changes_with(l) ? loop_set(l) : 0;
    }
    return loops;
}

void OpCounts::add(std::optional<Arithmetic> operation, ElementType type, LoopSet loops,
                   float count) {
    for (OpCount& each : counts) {
        if (each.operation == operation && each.type == type && each.loops == loops) {
            each.count += count;
            return;
        }
    }
    counts.push_back({operation, type, loops, count});
}

void OpCounts::add(const OpCounts& others, float times) {
    for (const OpCount& each : others.counts) {
        add(each.operation, each.type, each.loops, times * each.count);
    }
    load += times * others.load;
}

float OpCounts::of(std::optional<Arithmetic> operation, std::optional<ElementType> type) const {
    float sum = 0;
    for (const OpCount& each : counts) {
        const bool is_of = each.operation == operation && (!type || each.type == *type);
        sum += is_of ? each.count : 0;
    }
    return sum;
}

float OpCounts::arithmetic() const {
    return std::accumulate(counts.begin(), counts.end(), 0.0F,
                           [](float sum, const OpCount& each) { return sum + each.count; });
}

float OpCounts::work() const {
    constexpr float kDivide = 5;  // operations more than an addition
    constexpr float kCall = 15;
    const float calls = of(Arithmetic::SquareRoot) + of(Arithmetic::Exponential) + of(std::nullopt);
    return arithmetic() + static_cast<float>(load) + kDivide * of(Arithmetic::Divide) +
           kCall * calls;
}

bool is_widened(const Selector& selector) {
    return selector.type.kind == TypeKind::Int && selector.type.bits < 32;
}

const OpCounts& ops_in(const Stage& stage, unsigned known_phases) {
    return known_phases == 0 ? stage.ops : stage.phase_ops[known_phases - 1];
}

std::vector<Coordinate> stored_at(const Stage& stage, int dimensions) {
    if (!stage.stores.empty()) {
        return stage.stores;
    }
    std::vector<Coordinate> coords(dimensions);
    for (Coordinate& coordinate : coords) {
        coordinate.affine = true;
        coordinate.rates.assign(stage.loops.size(), 0);
    }
    for (std::size_t l = 0; l < stage.loops.size(); l++) {
        if (!stage.loops[l].is_reduction()) {
            coords[stage.loops[l].position].rates[l] = 1;
        }
    }
    return coords;
}

bool change_with(const std::vector<Coordinate>& coords, int loop) {
    return std::ranges::any_of(coords,
                               [&](const Coordinate& each) { return each.changes_with(loop); });
}

std::int64_t Function::bytes_per_point() const {
    std::int64_t bytes = 0;
    for (const ScalarType& type : types) {
        bytes += type.bytes();
    }
    return bytes;
}

std::int64_t Function::points() const {
    std::int64_t points = 1;
    for (const Range& range : region) {
        points *= range.extent;
    }
    return points;
}

PipelineDag usual(PipelineDag dag) {
    for (Function& f : dag.functions) {
        for (Stage& stage : f.stages) {
            for (Load& load : stage.loads) {
                for (Coordinate& coordinate : load.coords) {
                    coordinate.affine = coordinate.affine || coordinate.usually_affine;
                }
            }
        }
    }
    return dag;
}

int PipelineDag::find(const FuncId& id) const {
    for (std::size_t i = 0; i < functions.size(); i++) {
        if (functions[i].id == id) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

}  // namespace nestor
