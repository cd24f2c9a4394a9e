#include "search/search.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "cost/evaluator.h"
#include "search/descent.h"
#include "search/guards.h"
#include "search/seeds.h"
#include "search/space.h"
#include "search/storage.h"

namespace nestor {

namespace {

// Schedules times functions that each thread looks at in each pass after its descent. Four passes
// take a second at most on two cores, which makes predicted times 0.95 of what they were (geometric
// mean over the corpus), and 0.77 of them at best. Each from its own descent: all from the best one
// find no more, and less where the model is wrong about which is best.
constexpr std::int64_t kWorkOfPass = 15'000;

// A start of a space.
struct Job {
    int space = 0;
    const Start* start = nullptr;
};

// The starts that are legal, as many as the beam is wide, in their own order.
std::vector<Job> chosen_jobs(const std::vector<Space>& spaces, const Machine& machine,
                             const Caps& caps, const SearchOptions& options) {
    std::vector<Job> jobs;
    std::vector<std::pair<double, std::size_t>> legal;  // seconds and index
    for (int s = 0; s < std::ssize(spaces); s++) {
        const Space& space = spaces[s];
        const PipelineDag& graph = space.variant.graph();
        Evaluator evaluator(graph, machine, options.correction);
        Builder builder(graph, machine, options.moves);
        for (const Start& start : space.starts) {
            const Schedule& schedule = builder.build(start.plan);
            if (check_legality(graph, schedule, caps).empty()) {
                legal.emplace_back(evaluator.seconds(schedule), jobs.size());
                jobs.push_back({s, &start});
            }
        }
    }
    std::ranges::sort(legal);
    legal.resize(std::min(legal.size(), static_cast<std::size_t>(options.beam)));
    std::ranges::sort(legal, {}, &std::pair<double, std::size_t>::second);
    std::vector<Job> chosen;
    for (const auto& [_, index] : legal) {
        chosen.push_back(jobs[index]);
    }
    return chosen;
}

// One thread for each job. They share nothing that changes, so that the result is the same on any
// number of cores. The schedules are the pipeline's.
std::vector<std::optional<Found>> descend_from(const std::vector<Space>& spaces,
                                               const std::vector<Job>& jobs, const Machine& machine,
                                               const SearchOptions& options, const Caps& caps,
                                               const Limits& limits) {
    const std::int64_t work = kWorkOfPass * (options.passes - 1);
    std::vector<std::optional<Found>> found(jobs.size());
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < jobs.size(); i++) {
        threads.emplace_back([&, i] {
            const Variant& variant = spaces[jobs[i].space].variant;
            Evaluator evaluator(variant.graph(), machine, options.correction);
            Builder builder(variant.graph(), machine, options.moves);
            std::optional<Found>& mine = found[i];
            mine = descend(builder, evaluator, *jobs[i].start, caps, limits, options.dropout);
            if (mine && work > 0) {
                mine = shake(builder, evaluator, std::move(*mine), caps, limits, i, work,
                             options.dropout);
            }
            if (mine) {
                mine = finish(builder, evaluator, std::move(*mine), caps, limits, options.dropout);
                mine->schedule = variant.of_pipeline(std::move(mine->schedule));
            }
        });
    }
    threads.clear();  // joins
    return found;
}

// See search_caps(): by the starts of the pipeline as it is.
Caps caps_by(const std::vector<Start>& starts, const PipelineDag& dag, const Machine& machine,
             Caps caps) {
    constexpr std::int64_t kLargestDefinition = 3000;  // nodes
    caps.inlined_size = std::min(caps.inlined_size, kLargestDefinition);
    caps.careful_reads = true;
    // From five seconds to lower and compile to half a minute, where the pipeline itself is large;
    // of the largest ones only so much more than there is in any case.
    constexpr double kCode = 20'000;
    constexpr double kMore = 450;
    constexpr double kAnyway = 1.2;
    std::int64_t smallest = -1;
    Builder builder(dag, machine);
    for (const Start& start : starts) {
        const Schedule& schedule = builder.build(start.plan);
        if (check_legality(dag, schedule, caps).empty()) {
            const std::int64_t size = code_size(dag, schedule);
            smallest = smallest < 0 ? size : std::min(smallest, size);
        }
    }
    if (smallest >= 0) {
        const auto least = static_cast<double>(smallest);
        caps.code_size =
            static_cast<std::int64_t>(std::max(kCode + kMore * std::sqrt(least), kAnyway * least));
    }
    return caps;
}

}  // namespace

Caps search_caps(const PipelineDag& dag, const Machine& machine, Caps caps) {
    return caps_by(make_starts(dag, machine), dag, machine, caps);
}

SearchResult search(const PipelineDag& dag, const Machine& machine, const SearchOptions& options,
                    const Limits& limits) {
    SearchResult result;
    Evaluator evaluator(dag, machine, options.correction);
    const auto add = [&](Proposal proposal) {
        const bool known = std::ranges::any_of(result.proposals, [&](const Proposal& each) {
            return each.schedule == proposal.schedule;
        });
        if (!known) {
            result.proposals.push_back(std::move(proposal));
        }
    };
    for (Seed& seed : make_seeds(dag, machine, options.caps)) {
        const double seconds = evaluator.seconds(seed.schedule);
        add({seed.name, std::move(seed.schedule), seconds, true, {}});
        result.states++;
    }
    if (options.passes > 0 && limits.check() == StopReason::Finished) {
        const std::vector<Space> spaces = make_spaces(dag, machine, options.moves);
        const Caps caps = caps_by(spaces.front().starts, dag, machine, options.caps);
        Caps any_size = caps;
        any_size.code_size = -1;
        const std::vector<Job> jobs = chosen_jobs(spaces, machine, caps, options);
        std::vector<std::optional<Found>> all =
            descend_from(spaces, jobs, machine, options, caps, limits);
        for (std::size_t i = 0; i < jobs.size(); i++) {
            std::optional<Found>& found = all[i];
            if (!found) {
                continue;
            }
            result.states += found->states;
            if (!check_legality(dag, found->schedule, caps).empty()) {
                continue;  // what only derived functions may not do
            }
            Schedule guarded = with_guarded_blocks(found->schedule);
            Lineage lineage{jobs[i].space, std::move(found->plan), false};
            add({"from " + found->name, with_kept_storage(dag, std::move(found->schedule)),
                 found->seconds, false, lineage});
            lineage.guarded = true;
            if (check_legality(dag, guarded, any_size).empty()) {
                add({"from " + found->name + ", guarded",
                     with_kept_storage(dag, std::move(guarded)), found->seconds, false,
                     std::move(lineage)});
            }
        }
    }
    std::ranges::stable_sort(result.proposals, {}, &Proposal::seconds);
    return result;
}

}  // namespace nestor
