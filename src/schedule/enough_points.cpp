#include "schedule/enough_points.h"

#include <cmath>

namespace nestor {

std::optional<ExtentCondition> enough_for(const PipelineDag& graph, int function, int dim,
                                          std::int64_t points) {
    const Function& f = graph.functions[function];
    if (f.is_output) {
        return ExtentCondition{dim, points, function};
    }
    for (const int reader : f.consumers) {
        if (reader == function) {
            continue;
        }
        for (const Stage& stage : graph.functions[reader].stages) {
            for (const Load& load : stage.loads) {
                if (load.source != Source::Function || load.index != function ||
                    !load.coords[dim].affine || load.coords[dim].clamped) {
                    continue;
                }
                for (const Loop& loop : stage.loops) {
                    const double rate =
                        std::abs(load.coords[dim].rates[&loop - stage.loops.data()]);
                    if (loop.is_reduction() || rate == 0) {
                        continue;
                    }
                    const double more = std::ceil(static_cast<double>(points - 1) / rate);
                    return enough_for(graph, reader, loop.position,
                                      static_cast<std::int64_t>(more) + 1);
                }
            }
        }
    }
    return std::nullopt;
}

}  // namespace nestor
