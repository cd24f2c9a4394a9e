#include "search/folds.h"

#include "cost/schedule_facts.h"

namespace nestor {

Schedule with_folds(const PipelineDag& dag, Schedule schedule, const Machine& machine,
                    const AllocatedBytes* allocated) {
    // Halide's own buffers have a row or so of other lengths.
    constexpr double kShorter = 0.8;
    std::map<int, Fold> folds;
    {
        Expansions expansions;
        ScheduleFacts facts(dag, schedule, machine, expansions);
        for (int f = 0; f < std::ssize(dag.functions); f++) {
            const std::optional<Fold> fold = facts.circular_buffer(f);
            if (!fold || dag.functions[f].pinned) {
                continue;
            }
            bool longer = allocated == nullptr;
            if (allocated != nullptr && allocated->contains(f)) {
                const auto bytes = static_cast<double>(allocated->at(f));
                longer = facts.folded_bytes(f, *fold) < kShorter * bytes;
            }
            if (longer) {
                folds.emplace(f, *fold);
            }
        }
    }
    for (const auto& [function, fold] : folds) {
        schedule.functions[function].fold = fold;
    }
    return schedule;
}

}  // namespace nestor
