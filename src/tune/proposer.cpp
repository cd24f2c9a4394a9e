#include "tune/proposer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace nestor {

namespace {

constexpr int kSeeds = 2;         // of the first batch: the others are rarely any good
constexpr int kParents = 6;       // the fastest trials
constexpr int kOtherParents = 2;  // of those that take up to kOther times as long
constexpr double kOther = 1.5;
constexpr std::size_t kNeighbours = 200;  // of each parent, the best by prediction
constexpr int kMutants = 4;               // likewise
constexpr int kMostChanges = 4;
constexpr int kCrossings = 8;
constexpr int kSearches = 2;
constexpr std::int64_t kSearchWork = 3'000;  // see shake()
constexpr int kWalks = 4;
constexpr int kLongestWalk = 16;
// Trials before the first fit; how many times as many before the next; and how many times as slow
// as the best one may be what is learned from.
constexpr int kFirstFit = 24;
constexpr double kNextFit = 1.4;
constexpr double kSlowest = 4;
// All of it while nothing is measured: little beside the ten seconds and more that a batch takes.
constexpr double kSecondsOfParent = 0.25;
constexpr double kSecondsOfSearch = 0.5;
// Of sampled(): descents, and the chance that a choice is left in, from and to.
constexpr int kSampledBeam = 4;
constexpr int kLeastChance = 30;
constexpr int kMostChance = 80;
constexpr double kSecondsOfSample = 2;

}  // namespace

Proposer::Proposer(const TuneTask& task, const PipelineDag& dag, std::uint64_t seed)
    : task_(task), dag_(dag), explorer_(dag, task.machine, task.search), random_(seed) {}

std::vector<Idea> Proposer::first(int most, const Trials& trials) {
    SearchResult found = search(dag_, task_.machine, task_.search,
                                Limits(task_.search_seconds, task_.search_memory));
    std::vector<Idea> ideas;
    int seeds = 0;
    for (Proposal& proposal : found.proposals) {
        const bool again = proposal.lineage && proposal.lineage->guarded;
        seeds += proposal.is_seed ? 1 : 0;
        const bool dull = proposal.is_seed && !ideas.empty() && seeds > kSeeds;
        if (static_cast<int>(ideas.size()) < most && !again && !dull &&
            !trials.knows(hash(proposal.schedule, dag_))) {
            const double estimate = proposal.seconds;
            ideas.push_back({std::move(proposal), IdeaKind::Search, -1, estimate});
        }
    }
    return ideas;
}

std::optional<Idea> Proposer::sampled(std::uint64_t seed, const Trials& trials) {
    std::mt19937_64 random(seed);
    SearchOptions options = task_.search;
    options.beam = kSampledBeam;
    options.passes = 1;
    options.dropout.chance =
        kLeastChance + static_cast<int>(random() % (kMostChance - kLeastChance + 1));
    options.dropout.seed = random();
    SearchResult found =
        search(dag_, task_.machine, options, Limits(kSecondsOfSample, task_.search_memory));
    // Seeds are the same each time, and what is guarded is another's twin.
    std::erase_if(found.proposals, [&](const Proposal& each) {
        return each.is_seed || (each.lineage && each.lineage->guarded) ||
               trials.knows(hash(each.schedule, dag_));
    });
    if (found.proposals.empty()) {
        return std::nullopt;
    }
    Proposal& chosen = found.proposals[random() % found.proposals.size()];
    chosen.name += ", sampled";
    const double estimate = chosen.seconds * trials.scale();
    return Idea{std::move(chosen), IdeaKind::RandomWalk, -1, estimate};
}

std::vector<Idea> Proposer::next(int count, const Trials& trials) {
    std::vector<Idea> ideas;
    const std::vector<int> parents = this->parents(trials);
    std::erase_if(neighbours_,
                  [&](const auto& each) { return std::ranges::count(parents, each.first) == 0; });
    for (const int parent : parents) {
        add_neighbours(parent, trials, ideas);
    }
    if (!parents.empty()) {
        add_bolder(parents, trials, ideas);
    }
    // Without parents there is nothing else.
    add_walks(parents.empty() ? count : kWalks, trials, ideas);
    return choose(ideas, count, trials);
}

void Proposer::refit(Trials& trials) {
    if (trials.count() < kFirstFit || trials.count() < kNextFit * fitted_) {
        return;
    }
    fitted_ = trials.count();
    std::vector<Example> examples;
    for (int i = 0; i < trials.count(); i++) {
        const Trial& trial = trials[i];
        if (trial.seconds > 0 && trial.seconds <= kSlowest * trials.best_seconds()) {
            auto known = rows_.find(i);
            if (known == rows_.end()) {
                known = rows_.emplace(i, group_rows(dag_, trial.proposal.schedule, task_.machine))
                            .first;
            }
            examples.push_back({known->second, trial.seconds, 1, 0});
        }
    }
    const Correction* prior = task_.search.correction;
    Result<Correction> fitted = fit(examples, {}, prior);
    if (!fitted || fitted.value().tree_count() == (prior != nullptr ? prior->tree_count() : 0)) {
        return;
    }
    correction_ = std::move(fitted).value();
    predict_by(&*correction_, trials);
}

void Proposer::use_weights_of_task(Trials& trials) {
    predict_by(task_.search.correction, trials);
}

void Proposer::predict_by(const Correction* correction, Trials& trials) {
    explorer_.set_correction(correction);
    neighbours_.clear();
    for (int i = 0; i < trials.count(); i++) {
        if (const auto& lineage = trials[i].proposal.lineage) {
            trials.set_prediction(i, explorer_.make(*lineage, "").seconds);
        }
    }
}

// The fastest that the search can go on from, and a few others.
std::vector<int> Proposer::parents(const Trials& trials) {
    std::vector<int> chosen;
    std::vector<int> others;
    for (const int i : trials.fastest(trials.count())) {
        if (!trials[i].proposal.lineage) {
            continue;
        }
        if (std::ssize(chosen) < kParents) {
            chosen.push_back(i);
        } else if (trials[i].seconds <= kOther * trials.best_seconds()) {
            others.push_back(i);
        }
    }
    for (int n = 0; n < kOtherParents && !others.empty(); n++) {
        const auto at = static_cast<std::ptrdiff_t>(random_() % others.size());
        chosen.push_back(others[at]);
        others.erase(others.begin() + at);
    }
    return chosen;
}

void Proposer::add_neighbours(int parent, const Trials& trials, std::vector<Idea>& ideas) {
    const Trial& from = trials[parent];
    auto known = neighbours_.find(parent);
    if (known == neighbours_.end()) {
        const Limits limits(kSecondsOfParent, task_.search_memory);
        std::vector<Proposal> all = explorer_.neighbours(*from.proposal.lineage, limits, random_);
        std::ranges::stable_sort(all, {}, &Proposal::seconds);
        all.resize(std::min(all.size(), kNeighbours));
        known = neighbours_.emplace(parent, std::move(all)).first;
    }
    std::vector<Proposal>& left = known->second;
    std::erase_if(left,
                  [&](const Proposal& each) { return trials.knows(hash(each.schedule, dag_)); });
    for (const Proposal& each : left) {
        ideas.push_back({each, IdeaKind::Neighbour, parent,
                         from.seconds * each.seconds / from.proposal.seconds});
    }
}

void Proposer::add_bolder(const std::vector<int>& parents, const Trials& trials,
                          std::vector<Idea>& ideas) {
    const auto add = [&](std::optional<Proposal> made, IdeaKind kind, int parent) {
        if (made) {
            const Trial& from = trials[parent];
            const double ratio = made->seconds / from.proposal.seconds;
            ideas.push_back({std::move(*made), kind, parent, from.seconds * ratio});
        }
    };
    const auto any = [&] { return parents[random_() % parents.size()]; };
    for (const int parent : parents) {
        for (int n = 0; n < kMutants; n++) {
            const int changes = 2 + static_cast<int>(random_() % (kMostChanges - 1));
            add(explorer_.mutant(*trials[parent].proposal.lineage, changes, random_),
                IdeaKind::Mutation, parent);
        }
    }
    for (int n = 0; n < kCrossings; n++) {
        const int first = any();
        const int second = any();
        if (first != second) {
            add(explorer_.cross(*trials[first].proposal.lineage, *trials[second].proposal.lineage,
                                random_),
                IdeaKind::Crossing, first);
        }
    }
    const Limits limits(kSecondsOfSearch, task_.search_memory);
    for (int n = 0; n < kSearches && limits.check() == StopReason::Finished; n++) {
        const int parent = any();
        add(explorer_.improved(*trials[parent].proposal.lineage, kSearchWork, limits, random_),
            IdeaKind::LocalSearch, parent);
    }
}

void Proposer::add_walks(int count, const Trials& trials, std::vector<Idea>& ideas) {
    const double scale = trials.scale();
    for (int n = 0; n < count; n++) {
        if (std::optional<Proposal> made = explorer_.random_walk(kLongestWalk, random_)) {
            const double estimate = made->seconds * scale;
            ideas.push_back({std::move(*made), IdeaKind::RandomWalk, -1, estimate});
        }
    }
}

// Not more than a third from one parent; the last place is for something quite different.
std::vector<Idea> Proposer::choose(const std::vector<Idea>& ideas, int count,
                                   const Trials& trials) {
    std::vector<Idea> chosen;
    std::unordered_set<std::uint64_t> taken;
    std::map<int, int> of_parent;
    const int share = std::max(1, count / 3);
    const auto take = [&](const Idea& idea) {
        const std::uint64_t key = hash(idea.proposal.schedule, dag_);
        if (taken.contains(key) || trials.knows(key) || !explorer_.is_legal(idea.proposal)) {
            return false;
        }
        taken.insert(key);
        chosen.push_back(idea);
        return true;
    };
    const std::vector<std::size_t> order = by_draw(ideas, errors_, random_);
    for (const std::size_t i : order) {
        const Idea& idea = ideas[i];
        if (std::ssize(chosen) >= count - 1) {
            break;
        }
        if (idea.parent >= 0 && of_parent[idea.parent] >= share) {
            continue;
        }
        if (take(idea) && idea.parent >= 0) {
            of_parent[idea.parent]++;
        }
    }
    const auto fill = [&](bool only_walks) {
        for (const std::size_t i : order) {
            if (std::ssize(chosen) >= count) {
                return;
            }
            if (!only_walks || ideas[i].kind == IdeaKind::RandomWalk) {
                take(ideas[i]);
                if (only_walks && std::ssize(chosen) == count) {
                    return;
                }
            }
        }
    };
    fill(true);
    fill(false);
    return chosen;
}

}  // namespace nestor
