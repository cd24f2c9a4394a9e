#include "search/pointwise.h"

#include <algorithm>
#include <utility>

#include "search/plan.h"

namespace nestor {

namespace {

// The loops of a definition along each dimension of what it loads; nothing if it does not load
// exactly one point in each of its own.
std::optional<std::vector<int>> loops_along(const Load& load, int dimensions) {
    std::vector<int> loops(dimensions, -1);
    for (int d = 0; d < dimensions; d++) {
        const Coordinate& coordinate = load.coords[d];
        if (!coordinate.affine || coordinate.clamped || coordinate.offset_min != 0 ||
            coordinate.offset_max != 0) {
            return std::nullopt;
        }
        for (std::size_t l = 0; l < coordinate.rates.size(); l++) {
            if (coordinate.rates[l] == 0) {
                continue;
            }
            if (coordinate.rates[l] != 1 || loops[d] >= 0 ||
                std::ranges::count(loops, static_cast<int>(l)) > 0) {
                return std::nullopt;
            }
            loops[d] = static_cast<int>(l);
        }
    }
    return std::ranges::count(loops, -1) > 0 ? std::nullopt : std::optional(std::move(loops));
}

// By one definition, of which each iteration reads one point.
std::optional<Reading> only_reading(const Function& reader, int read, int dimensions,
                                    bool reduces) {
    if (reader.pinned || reader.is_extern) {
        return std::nullopt;
    }
    std::optional<Reading> reading;
    for (const Stage& stage : reader.stages) {
        for (const Load& load : stage.loads) {
            if (load.source != Source::Function || load.index != read) {
                continue;
            }
            std::optional<std::vector<int>> loops = loops_along(load, dimensions);
            if (!loops || has_reduction(stage) != reduces ||
                (reading && (reading->stage != stage.index || reading->loops != *loops))) {
                return std::nullopt;
            }
            reading = Reading{-1, stage.index, std::move(*loops)};
        }
    }
    return reading;
}

std::optional<Reading> by_only_consumer(const PipelineDag& dag, int function, bool reduces) {
    const Function& f = dag.functions[function];
    if (f.consumers.size() != 1) {
        return std::nullopt;
    }
    std::optional<Reading> reading =
        only_reading(dag.functions[f.consumers[0]], function, f.dimensions(), reduces);
    if (reading) {
        reading->reader = f.consumers[0];
    }
    return reading;
}

}  // namespace

std::optional<Reading> pointwise_reading(const Function& reader, int read, int dimensions) {
    return only_reading(reader, read, dimensions, false);
}

std::optional<Reading> sole_reading(const PipelineDag& dag, int function) {
    return by_only_consumer(dag, function, false);
}

std::optional<Reading> sole_sum(const PipelineDag& dag, int function) {
    return by_only_consumer(dag, function, true);
}

bool stores_at_its_variables(const Function& f, const Stage& stage) {
    const std::vector<Coordinate> stores = stored_at(stage, f.dimensions());
    for (int d = 0; d < f.dimensions(); d++) {
        const Coordinate& coordinate = stores[d];
        if (!coordinate.affine || coordinate.offset_min != 0 || coordinate.offset_max != 0) {
            return false;
        }
        const int along = loop_along(stage, d);
        for (int l = 0; l < static_cast<int>(stage.loops.size()); l++) {
            if (coordinate.rates[l] != (l == along ? 1 : 0)) {
                return false;
            }
        }
        if (along < 0 || stage.loops[along].kind != LoopKind::Pure) {
            return false;
        }
    }
    return true;
}

}  // namespace nestor
