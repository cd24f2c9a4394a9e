#include "search/search.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "cost/evaluator.h"
#include "search/descent.h"
#include "search/seeds.h"

namespace nestor {

namespace {

Caps search_caps(Builder& builder, const std::vector<Start>& starts, Caps caps) {
    constexpr std::int64_t kLargestDefinition = 3000;  // nodes
    caps.inlined_size = std::min(caps.inlined_size, kLargestDefinition);
    caps.careful_reads = true;
    // From five seconds to lower and compile to half a minute, where the pipeline itself is large.
    constexpr double kCode = 20'000;
    constexpr double kMore = 450;
    std::int64_t smallest = -1;
    for (const Start& start : starts) {
        const Schedule schedule = builder.build(start.plan);
        if (check_legality(builder.dag(), schedule, caps).empty()) {
            const std::int64_t size = code_size(builder.dag(), schedule);
            smallest = smallest < 0 ? size : std::min(smallest, size);
        }
    }
    if (smallest >= 0) {
        caps.code_size =
            static_cast<std::int64_t>(kCode + kMore * std::sqrt(static_cast<double>(smallest)));
    }
    return caps;
}

// The same with guards around the last rows of blocks in what is computed at loops. Where many
// functions read one whose region is rounded up in such a way, Halide's simplifier may not come to
// an end (max_filter); with guards, regions stay as they are.
Schedule with_guarded_blocks(Schedule schedule) {
    for (FunctionSchedule& f : schedule.functions) {
        if (f.compute.kind != Level::Kind::At) {
            continue;
        }
        const auto guard = [](LoopNest& nest) {
            for (std::size_t d = 0; d < nest.splits.size(); d++) {
                const bool along = nest.vector && nest.vector->dim == static_cast<int>(d);
                for (Split& split : nest.splits[d]) {
                    split.tail = along ? split.tail : Tail::GuardWithIf;
                }
            }
        };
        for (StageSchedule& stage : f.stages) {
            guard(stage.nest);
            for (Specialization& special : stage.specializations) {
                guard(special.nest);
            }
        }
    }
    return schedule;
}

// Schedules times functions that each thread looks at in each pass after its descent. Four passes
// take a second at most on two cores, which makes predicted times 0.95 of what they were (geometric
// mean over the corpus), and 0.77 of them at best. Each from its own descent: all from the best one
// find no more, and less where the model is wrong about which is best.
constexpr std::int64_t kWorkOfPass = 15'000;

// Indices of the starts that are legal, as many as the beam is wide, in their own order.
std::vector<std::size_t> chosen_starts(Builder& builder, Evaluator& evaluator,
                                       const std::vector<Start>& starts, const Caps& caps,
                                       int beam) {
    std::vector<std::pair<double, std::size_t>> legal;
    for (std::size_t i = 0; i < starts.size(); i++) {
        const Schedule schedule = builder.build(starts[i].plan);
        if (check_legality(builder.dag(), schedule, caps).empty()) {
            legal.emplace_back(evaluator.seconds(schedule), i);
        }
    }
    std::ranges::sort(legal);
    legal.resize(std::min(legal.size(), static_cast<std::size_t>(beam)));
    std::vector<std::size_t> chosen;
    for (const auto& [_, start] : legal) {
        chosen.push_back(start);
    }
    std::ranges::sort(chosen);
    return chosen;
}

// One thread for each start. They share nothing that changes, so that the result is the same on any
// number of cores.
std::vector<std::optional<Found>> descend_from(const std::vector<std::size_t>& chosen,
                                               const PipelineDag& dag, const Machine& machine,
                                               const std::vector<Start>& starts,
                                               const SearchOptions& options, const Caps& caps,
                                               const Limits& limits) {
    const std::int64_t work = kWorkOfPass * (options.passes - 1);
    std::vector<std::optional<Found>> found(starts.size());
    std::vector<std::jthread> threads;
    for (const std::size_t i : chosen) {
        threads.emplace_back([&, i] {
            Evaluator evaluator(dag, machine);
            Builder builder(dag, machine);
            found[i] = descend(builder, evaluator, starts[i], caps, limits, options.dropout);
            if (found[i] && work > 0) {
                found[i] = shake(builder, evaluator, std::move(*found[i]), caps, limits, i, work,
                                 options.dropout);
            }
        });
    }
    threads.clear();  // joins
    return found;
}

}  // namespace

Caps search_caps(const PipelineDag& dag, const Machine& machine, Caps caps) {
    Builder builder(dag, machine);
    return search_caps(builder, make_starts(dag, machine), caps);
}

SearchResult search(const PipelineDag& dag, const Machine& machine, const SearchOptions& options,
                    const Limits& limits) {
    SearchResult result;
    Evaluator evaluator(dag, machine);
    const auto add = [&](std::string name, Schedule schedule, double seconds, bool is_seed) {
        const bool known = std::ranges::any_of(
            result.proposals, [&](const Proposal& each) { return each.schedule == schedule; });
        if (!known) {
            result.proposals.push_back({std::move(name), std::move(schedule), seconds, is_seed});
        }
    };
    for (Seed& seed : make_seeds(dag, machine, options.caps)) {
        const double seconds = evaluator.seconds(seed.schedule);
        add(seed.name, std::move(seed.schedule), seconds, true);
        result.states++;
    }
    if (options.passes > 0 && limits.check() == StopReason::Finished) {
        Builder builder(dag, machine);
        const std::vector<Start> starts = make_starts(dag, machine);
        const Caps caps = search_caps(builder, starts, options.caps);
        Caps any_size = caps;
        any_size.code_size = -1;
        const std::vector<std::size_t> chosen =
            chosen_starts(builder, evaluator, starts, caps, options.beam);
        for (auto& found : descend_from(chosen, dag, machine, starts, options, caps, limits)) {
            if (!found) {
                continue;
            }
            result.states += found->states;
            Schedule guarded = with_guarded_blocks(found->schedule);
            add("from " + found->name, std::move(found->schedule), found->seconds, false);
            if (check_legality(dag, guarded, any_size).empty()) {
                add("from " + found->name + ", guarded", std::move(guarded), found->seconds, false);
            }
        }
    }
    std::ranges::stable_sort(result.proposals, {}, &Proposal::seconds);
    return result;
}

}  // namespace nestor
