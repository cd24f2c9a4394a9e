#include "search/folds.h"

#include "cost/schedule_facts.h"

namespace nestor {

Schedule with_folds(const PipelineDag& dag, Schedule schedule, const Machine& machine,
                    const AllocatedBytes& allocated) {
    // Halide's own buffers have a row or so of other lengths.
    constexpr double kShorter = 0.8;
    std::map<int, Fold> folds;
    {
        Expansions expansions;
        ScheduleFacts facts(dag, schedule, machine, expansions);
        for (const auto& [function, bytes] : allocated) {
            const std::optional<Fold> fold = facts.circular_buffer(function);
            if (fold &&
                facts.folded_bytes(function, *fold) < kShorter * static_cast<double>(bytes)) {
                folds.emplace(function, *fold);
            }
        }
    }
    for (const auto& [function, fold] : folds) {
        schedule.functions[function].fold = fold;
    }
    return schedule;
}

}  // namespace nestor
