// Cheap functions inlined, everything else at root, one element after another: slow, and hardly
// anything that could go wrong.

#include "search/inlining.h"
#include "search/seeds/table.h"

namespace nestor {

Schedule serial_seed(const PipelineDag& dag, const Machine& /*machine*/) {
    const std::vector<bool> inlined = choose_inlined(dag);
    Schedule schedule = empty_schedule(dag);
    for (std::size_t i = 0; i < dag.functions.size(); i++) {
        if (!dag.functions[i].pinned) {
            schedule.functions[i].compute = inlined[i] ? Level::inlined() : Level::root();
        }
    }
    return schedule;
}

}  // namespace nestor
