#include "schedule/reach.h"

#include "schedule/scheduled_dag.h"

namespace nestor {

Reach::Reach(const PipelineDag& graph, Ends ends) : ends_(ends), beyond_(graph.functions.size()) {
    for (const int i : topological_order(graph)) {
        const Function& f = graph.functions[i];
        beyond_[i].assign(f.args.size(), f.is_extern);
        for (const Stage& stage : f.stages) {
            for (std::size_t l = 0; l < stage.loops.size(); l++) {
                const Loop& loop = stage.loops[l];
                if (!loop.is_reduction() && goes_on(stage, static_cast<int>(l))) {
                    beyond_[i][loop.position] = true;
                }
            }
        }
    }
}

bool Reach::goes_on(const Stage& stage, int loop) const {
    for (const Load& load : stage.loads) {
        for (std::size_t c = 0; c < load.coords.size(); c++) {
            const Coordinate& coordinate = load.coords[c];
            const bool moves = coordinate.changes_with(loop);
            const bool open =
                load.source == Source::Input || beyond_[load.index][static_cast<int>(c)];
            const bool stops =
                coordinate.clamped && !(ends_ == Ends::OfInputsOnly && coordinate.constant_end);
            if (moves && open && !stops) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace nestor
