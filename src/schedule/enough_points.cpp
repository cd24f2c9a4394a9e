#include "schedule/enough_points.h"

#include <cmath>

namespace nestor {

namespace {

// The pure loop that a place that is read moves with; -1: none, or it is clamped.
int moving_loop(const Stage& stage, const Coordinate& place) {
    for (int l = 0; l < std::ssize(stage.loops) && place.affine && !place.clamped; l++) {
        if (!stage.loops[l].is_reduction() && place.rates[l] != 0) {
            return l;
        }
    }
    return -1;
}

}  // namespace

std::optional<ExtentCondition> enough_for(const PipelineDag& graph, int function, int dim,
                                          std::int64_t points) {
    const Function& f = graph.functions[function];
    if (f.is_output) {
        return ExtentCondition{dim, points, function};
    }
    for (const int reader : f.consumers) {
        for (const Stage& stage : graph.functions[reader].stages) {
            for (const Load& load : stage.loads) {
                const bool reads =
                    reader != function && load.source == Source::Function && load.index == function;
                const int loop = reads ? moving_loop(stage, load.coords[dim]) : -1;
                if (loop >= 0) {
                    const double rate = std::abs(load.coords[dim].rates[loop]);
                    const double more = std::ceil(static_cast<double>(points - 1) / rate);
                    return enough_for(graph, reader, stage.loops[loop].position,
                                      static_cast<std::int64_t>(more) + 1);
                }
            }
        }
    }
    return std::nullopt;
}

}  // namespace nestor
