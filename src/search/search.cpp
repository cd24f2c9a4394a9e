#include "search/search.h"

#include <algorithm>

#include "cost/evaluator.h"
#include "search/descent.h"
#include "search/seeds.h"

namespace nestor {

Caps search_caps(const PipelineDag& dag, const Machine& machine, Caps caps) {
    constexpr std::int64_t kLargestDefinition = 3000;  // nodes
    caps.inlined_size = std::min(caps.inlined_size, kLargestDefinition);
    caps.careful_reads = true;
    // About two seconds to compile; more where the pipeline itself is large.
    constexpr std::int64_t kCode = 20'000;
    constexpr std::int64_t kCopies = 8;
    std::int64_t smallest = -1;
    Builder builder(dag, machine);
    for (const Start& start : make_starts(dag, machine)) {
        const Schedule schedule = builder.build(start.plan);
        if (check_legality(dag, schedule, caps).empty()) {
            const std::int64_t size = code_size(dag, schedule);
            smallest = smallest < 0 ? size : std::min(smallest, size);
        }
    }
    if (smallest >= 0) {
        caps.code_size = kCode + kCopies * smallest;
    }
    return caps;
}

SearchResult search(const PipelineDag& dag, const Machine& machine, const SearchOptions& options,
                    const Limits& limits) {
    SearchResult result;
    Evaluator evaluator(dag, machine);
    const auto add = [&](std::string name, Schedule schedule, double seconds) {
        const bool known = std::ranges::any_of(
            result.proposals, [&](const Proposal& each) { return each.schedule == schedule; });
        if (!known) {
            result.proposals.push_back({std::move(name), std::move(schedule), seconds});
        }
    };
    for (Seed& seed : make_seeds(dag, machine, options.caps)) {
        const double seconds = evaluator.seconds(seed.schedule);
        add(seed.name, std::move(seed.schedule), seconds);
        result.states++;
    }
    if (options.improve) {
        const Caps caps = search_caps(dag, machine, options.caps);
        Builder builder(dag, machine);
        for (const Start& start : make_starts(dag, machine)) {
            if (limits.check() != StopReason::Finished) {
                break;
            }
            if (auto found = descend(builder, evaluator, start, caps, limits)) {
                result.states += found->states;
                add("from " + found->name, std::move(found->schedule), found->seconds);
            }
        }
    }
    std::ranges::stable_sort(result.proposals, {}, &Proposal::seconds);
    return result;
}

}  // namespace nestor
