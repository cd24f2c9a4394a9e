#include "search/search.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "cost/evaluator.h"
#include "search/clones.h"
#include "search/descent.h"
#include "search/guards.h"
#include "search/recombine.h"
#include "search/seeds.h"
#include "search/simplify.h"
#include "search/single_blocks.h"
#include "search/space.h"
#include "search/storage.h"
#include "search/sum_copies.h"
#include "search/together.h"
#include "search/whole_tiles.h"

namespace nestor {

namespace {

// Schedules times functions that local search looks at in each pass after the first, around what
// each descent found.
constexpr std::int64_t kWorkOfPass = 8'000;
// Then the two best go on, four times as long: three times as much around every descent takes
// longer and finds less (docs/RESULTS.md, "Parallel loops in slabs").
constexpr std::size_t kGoOn = 2;
constexpr int kMore = 4;
// Unless so many of a space have come to the same time, by different ways: they have found what
// there is.
constexpr std::ptrdiff_t kAgree = 3;
constexpr double kSameTime = 1.005;

// A start of a space.
struct Job {
    int space = 0;
    Start start;
};

// The starts that are legal, as many as the beam is wide, in their own order.
std::vector<Job> chosen_jobs(const std::vector<Space>& spaces, const Machine& machine,
                             const Caps& caps, const SearchOptions& options) {
    std::vector<Job> jobs;
    std::vector<std::pair<double, std::size_t>> legal;  // seconds and index
    for (int s = 0; s < std::ssize(spaces); s++) {
        const Space& space = spaces[s];
        if (space.only_carried_over) {
            continue;
        }
        const PipelineDag& graph = space.variant.graph();
        Evaluator evaluator(graph, machine, options.correction);
        Builder builder(graph, machine, options.moves);
        for (const Start& start : space.starts) {
            const Schedule& schedule = builder.build(start.plan);
            if (check_legality(graph, schedule, caps_in(space, caps)).empty()) {
                legal.emplace_back(evaluator.seconds(schedule), jobs.size());
                jobs.push_back({s, start});
            }
        }
    }
    std::ranges::sort(legal);
    legal.resize(std::min(legal.size(), static_cast<std::size_t>(options.beam)));
    std::ranges::sort(legal, {}, &std::pair<double, std::size_t>::second);
    std::vector<Job> chosen;
    for (const auto& [_, index] : legal) {
        chosen.push_back(std::move(jobs[index]));
    }
    return chosen;
}

// The best plans of the pipeline as it is, so many of them, with its sums of rows in parts.
// Descents from the starts of those spaces find worse ones where there are products, too
// (attention: 16 ms predicted, 8.1 without parts): what is good for these is found before.
// With copies of its sums only if the best plan of all is one of these: others would be compared by
// what the model says of gathers, say, which it knows less about (resample: a third of the speed).
std::vector<Job> carried_over(const std::vector<Space>& spaces, const std::vector<Job>& jobs,
                              const std::vector<std::optional<Found>>& all, const PipelineDag& dag,
                              const Machine& machine) {
    constexpr std::size_t kMost = 2;
    std::vector<std::pair<const Found*, int>> best;  // and its space
    for (std::size_t i = 0; i < jobs.size(); i++) {
        if (all[i]) {
            best.emplace_back(&*all[i], jobs[i].space);
        }
    }
    std::ranges::stable_sort(best, {}, [](const auto& each) { return each.first->seconds; });
    const bool unchanged_is_best = !best.empty() && best.front().second == 0;
    std::erase_if(best, [](const auto& each) { return each.second != 0; });
    best.resize(std::min(best.size(), kMost));
    std::vector<Job> further;
    for (int s = 0; s < std::ssize(spaces); s++) {
        const Space& space = spaces[s];
        for (const auto& [each, _] : best) {
            if (!space.rows.empty()) {
                further.push_back({s,
                                   {each->name + ", then rows in parts",
                                    carry_over(space.variant, space.rows, machine, each->plan,
                                               space.starts.front().plan)}});
            }
            if (!space.together.empty()) {
                further.push_back({s,
                                   {each->name + ", together",
                                    carry_over(space.variant, space.together, each->plan,
                                               space.starts.front().plan)}});
            }
            if (!space.cloned.empty()) {
                further.push_back({s,
                                   {each->name + ", then clones",
                                    carry_over_clones(dag, space.variant, space.cloned, each->plan,
                                                      space.starts.front().plan)}});
            }
            if (!space.copied.empty() && unchanged_is_best) {
                further.push_back({s,
                                   {each->name + ", then sums in registers",
                                    carry_over(dag, space.variant, space.copied, each->plan,
                                               space.starts.front().plan)}});
            }
        }
    }
    return further;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of the best time that is predicted without a further start, what counts: clearly less, since what
// is predicted a percent faster is as often slower (reductions: 0.78, predicted 0.998). Copies of
// sums are worth more than is predicted, and what is better now may be worse once it is lowered;
// what is computed together has conditions and masks that cost more (docs/RESULTS.md, "Sums that
// are stored", "Functions that are computed together").
double share_that_counts(const Space& space) {
    constexpr double kClearly = 0.95;
    constexpr double kNearly = 1.05;
    constexpr double kByFar = 0.8;
    if (!space.together.empty()) {
        return kByFar;
    }
    return space.copied.empty() ? kClearly : kNearly;
}

// A descent from a job's start, with what was found so far.
struct Run {
    Run(const Job& job, const Space& of, std::uint64_t number, const Machine& machine,
        const SearchOptions& options, const Caps& caps)
        : start(job.start),
          space(of),
          seed(number),
          allowed(caps_in(space, caps)),
          evaluator(space.variant.graph(), machine, options.correction),
          builder(space.variant.graph(), machine, options.moves) {}

    const Start& start;
    const Space& space;
    std::uint64_t seed;
    Caps allowed;
    Evaluator evaluator;
    Builder builder;
    Outcomes outcomes;
    std::optional<Found> found;
};

// One thread for each. They share nothing that changes, so that the result is the same on any
// number of cores.
void each_in_a_thread(const std::vector<Run*>& runs, const std::function<void(Run&)>& work) {
    std::vector<std::jthread> threads;
    for (Run* run : runs) {
        threads.emplace_back([&work, run] { work(*run); });
    }
}

// Of runs, the fastest first: whether as many as are needed took the same time in the first one's
// space.
bool agree(const std::vector<Run*>& runs) {
    const auto same = std::ranges::count_if(runs, [&](const Run* run) {
        return &run->space == &runs.front()->space &&
               run->found->seconds < kSameTime * runs.front()->found->seconds;
    });
    return same >= kAgree;
}

// The schedules are the pipeline's. What is no better than `best_before` seconds does not go on.
std::vector<std::optional<Found>> descend_from(const std::vector<Space>& spaces,
                                               const std::vector<Job>& jobs, const Machine& machine,
                                               const SearchOptions& options, const Caps& caps,
                                               const Limits& limits,
                                               double best_before = kInfinity) {
    const std::int64_t work = kWorkOfPass * (options.passes - 1);
    std::deque<Run> all;
    std::vector<Run*> runs;
    for (const Job& job : jobs) {
        runs.push_back(
            &all.emplace_back(job, spaces[job.space], all.size(), machine, options, caps));
    }
    const auto local_search = [&](Run& run, std::uint64_t seed, std::int64_t much) {
        if (run.found && much > 0) {
            run.found = shake(run.builder, run.evaluator, std::move(*run.found), run.allowed,
                              limits, seed, much, options.dropout, &run.outcomes);
        }
    };
    each_in_a_thread(runs, [&](Run& run) {
        run.found = descend(run.builder, run.evaluator, run.start, run.allowed, limits,
                            options.dropout, {}, &run.outcomes);
        local_search(run, run.seed, work);
    });
    std::vector<Run*> best;
    std::ranges::copy_if(runs, std::back_inserter(best),
                         [](const Run* run) { return run->found.has_value(); });
    std::ranges::stable_sort(best, {}, [](const Run* run) { return run->found->seconds; });
    for (std::size_t i = 1; i < best.size() && work > 0; i++) {
        Run& first = *best.front();
        if (&best[i]->space == &first.space) {
            first.found = recombine(first.builder, first.evaluator, std::move(*first.found),
                                    *best[i]->found, first.allowed);
        }
    }
    if (agree(best)) {
        best.clear();
    }
    const auto same = [](const Run* a, const Run* b) {  // found
        return &a->space == &b->space && a->found->schedule == b->found->schedule;
    };
    best.erase(std::unique(best.begin(), best.end(), same), best.end());
    best.resize(std::min(best.size(), kGoOn));
    std::erase_if(best, [&](const Run* run) {
        return run->found->seconds >= std::max(1.0, share_that_counts(run->space)) * best_before;
    });
    each_in_a_thread(best,
                     [&](Run& run) { local_search(run, jobs.size() + run.seed, kMore * work); });
    each_in_a_thread(runs, [&](Run& run) {
        if (run.found) {
            run.found = finish(run.builder, run.evaluator, std::move(*run.found), run.allowed,
                               limits, options.dropout);
            run.found =
                simplify(run.builder, run.evaluator, std::move(*run.found), run.allowed, limits);
            run.found->schedule = run.space.variant.of_pipeline(std::move(run.found->schedule));
        }
    });
    std::vector<std::optional<Found>> found;
    for (Run& run : all) {
        found.push_back(std::move(run.found));
    }
    return found;
}

// Descents from further starts, of which those count that find something better by enough.
void add_further(std::vector<Job> further, const std::vector<Space>& spaces, const Machine& machine,
                 const SearchOptions& options, const Caps& caps, const Limits& limits,
                 std::vector<Job>& jobs, std::vector<std::optional<Found>>& all) {
    double best = kInfinity;
    for (const std::optional<Found>& each : all) {
        best = each ? std::min(best, each->seconds) : best;
    }
    std::vector<std::optional<Found>> found =
        descend_from(spaces, further, machine, options, caps, limits, best);
    for (std::size_t i = 0; i < further.size(); i++) {
        const double enough = share_that_counts(spaces[further[i].space]) * best;
        if (found[i] && found[i]->seconds < enough) {
            jobs.push_back(std::move(further[i]));
            all.push_back(std::move(found[i]));
        }
    }
}

// See search_caps(): by the starts of the pipeline as it is.
Caps caps_by(const std::vector<Start>& starts, const PipelineDag& dag, const Machine& machine,
             Caps caps) {
    // Nodes. Halide takes apart what an inlined function repeats, so that trees may be larger.
    constexpr std::int64_t kLargestDefinition = 3000;
    constexpr std::int64_t kLargestTree = 10'000;
    caps.inlined_size = std::min(caps.inlined_size, kLargestTree);
    caps.distinct_size = kLargestDefinition;
    caps.careful_reads = true;
    caps.masked_bytes = machine.masked_bytes();
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
            const std::int64_t size = code_size(dag, schedule, caps);
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

bool has_constant_ends(const PipelineDag& dag) {
    const auto ends = [](const Coordinate& each) { return each.constant_end; };
    return std::ranges::any_of(dag.functions, [&](const Function& f) {
        return std::ranges::any_of(f.stages, [&](const Stage& stage) {
            return std::ranges::any_of(stage.loads, [&](const Load& load) {
                return std::ranges::any_of(load.coords, ends);
            });
        });
    });
}

// Of the names of proposals.
std::string suffix_of(Guards guards) {
    return guards == Guards::None     ? ""
           : guards == Guards::Blocks ? ", guarded"
                                      : ", guarded at constant ends";
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
        const bool constant_ends = has_constant_ends(dag);
        std::vector<Job> jobs = chosen_jobs(spaces, machine, caps, options);
        std::vector<std::optional<Found>> all =
            descend_from(spaces, jobs, machine, options, caps, limits);
        if (options.passes > 1) {
            std::vector<Job> further = carried_over(spaces, jobs, all, dag, machine);
            if (std::optional<Start> start = make_further_start(dag, machine)) {
                further.push_back({0, std::move(*start)});
            }
            add_further(std::move(further), spaces, machine, options, caps, limits, jobs, all);
        }
        for (std::size_t i = 0; i < jobs.size(); i++) {
            std::optional<Found>& found = all[i];
            if (!found) {
                continue;
            }
            result.states += found->states;
            if (!check_legality(dag, found->schedule, caps_in(spaces[jobs[i].space], caps))
                     .empty()) {
                continue;  // what only derived functions may not do
            }
            // With the same prediction they are tried in this order: what reads too much does so
            // with guards around blocks, too.
            for (const Guards guards : {Guards::None, Guards::ConstantEnds, Guards::Blocks}) {
                if (guards == Guards::ConstantEnds && !constant_ends) {
                    continue;
                }
                const Schedule guarded = with_guards(dag, found->schedule, guards);
                if (guards != Guards::None && !check_legality(dag, guarded, any_size).empty()) {
                    continue;
                }
                const auto propose = [&](Schedule schedule) {
                    add({"from " + found->name + suffix_of(guards),
                         with_single_blocks(dag, with_kept_storage(dag, std::move(schedule))),
                         found->seconds, false, Lineage{jobs[i].space, found->plan, guards}});
                };
                if (guards != Guards::ConstantEnds) {  // these have such cases
                    propose(with_whole_tiles(dag, guarded, caps_in(spaces[jobs[i].space], caps)));
                }
                propose(guarded);
            }
        }
    }
    std::ranges::stable_sort(result.proposals, {}, &Proposal::seconds);
    return result;
}

}  // namespace nestor
