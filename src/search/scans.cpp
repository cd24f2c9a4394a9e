#include "search/scans.h"

#include <algorithm>

namespace nestor {

bool is_scan(const Stage& stage) {
    const auto moves_in_order = [&](const Coordinate& coordinate) {
        for (std::size_t l = 0; l < coordinate.rates.size(); l++) {
            if (stage.loops[l].kind == LoopKind::Reduction && coordinate.rates[l] != 0) {
                return coordinate.affine;
            }
        }
        return false;
    };
    return stage.reads_itself && std::ranges::any_of(stage.stores, moves_in_order);
}

bool has_scans(const PipelineDag& dag) {
    return std::ranges::any_of(
        dag.functions, [](const Function& f) { return std::ranges::any_of(f.stages, is_scan); });
}

}  // namespace nestor
