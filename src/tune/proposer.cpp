#include "tune/proposer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_set>
#include <utility>

#include "tune/doubted_machine.h"

namespace nestor {

namespace {

constexpr int kSeeds = 2;         // of the first batch: the others are rarely any good
constexpr int kParents = 6;       // the best trials
constexpr int kOtherParents = 2;  // of those that take up to kOther times as long
constexpr double kOther = 1.5;
constexpr std::size_t kNeighbours = 200;  // of each parent, the best by prediction
constexpr int kMutants = 4;               // likewise
constexpr int kMostChanges = 4;
constexpr std::size_t kJoined = 12;  // changes of a parent that are tried together
constexpr int kCrossings = 8;
constexpr int kSearches = 2;
constexpr std::int64_t kSearchWork = 3'000;  // see shake()
constexpr int kWalks = 4;
constexpr int kLongestWalk = 16;
constexpr int kTriesOfWalk = 4;       // a small space has few
constexpr std::size_t kExpanded = 4;  // ideas whose neighbours are looked at, too
// Of each batch, one in so many is of another structure.
constexpr int kSampledShare = 8;
// A search for samples in each batch until so many trials, then only where none are left.
constexpr int kSampledTrials = 96;
// What the process learns from: that many, the fastest, and none that takes more than so many times
// as long as the best one; what failed counts as that slow.
constexpr std::size_t kExamples = 512;
constexpr double kSlowest = 8;
// Trials before the first fit of the correction, and how many times as many before the next.
constexpr int kFirstFit = 24;
constexpr double kNextFit = 1.4;
constexpr double kSlowestOfFit = 4;
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
    : task_(task),
      dag_(dag),
      explorer_(dag, task.machine, task.search),
      coordinates_(explorer_.spaces()),
      random_(seed) {}

std::vector<Proposal> Proposer::found() const {
    return search(dag_, task_.machine, task_.search,
                  Limits(task_.search_seconds, task_.search_memory))
        .proposals;
}

std::vector<Proposal> Proposer::first(const std::vector<Proposal>& found, int most,
                                      const Trials& trials) {
    std::vector<Proposal> chosen;
    int seeds = 0;
    const auto take = [&](Proposal proposal) {
        if (std::ssize(chosen) < most && !trials.knows(hash(proposal.schedule, dag_))) {
            chosen.push_back(std::move(proposal));
            return true;
        }
        return false;
    };
    for (const Proposal& each : found) {
        if (!each.lineage) {
            seeds += each.is_seed ? 1 : 0;
            if (chosen.empty() || seeds <= kSeeds) {
                take(each);
            }
            continue;
        }
        if (each.lineage->guards != Guards::None ||
            !take(explorer_.make(*each.lineage, each.name))) {
            continue;
        }
        std::optional<Proposal> twin = explorer_.twin(*each.lineage);
        if (twin && explorer_.is_legal(*twin)) {
            take(*std::move(twin));
        }
    }
    return chosen;
}

std::vector<Proposal> Proposer::sampled(std::uint64_t seed, const Trials& trials) {
    std::mt19937_64 random(seed);
    SearchOptions options = task_.search;
    options.beam = kSampledBeam;
    options.passes = 1;
    if (random() % 2 == 0) {
        options.dropout.chance =
            kLeastChance + static_cast<int>(random() % (kMostChance - kLeastChance + 1));
    }
    options.dropout.seed = random();
    const Machine machine = doubted(task_.machine, random);
    SearchResult found =
        search(dag_, machine, options, Limits(kSecondsOfSample, task_.search_memory));
    // Seeds are the same each time, and what is guarded is another's twin.
    std::vector<Proposal>& all = found.proposals;
    std::erase_if(all, [&](const Proposal& each) {
        return each.is_seed || (each.lineage && each.lineage->guards != Guards::None) ||
               trials.knows(hash(each.schedule, dag_));
    });
    for (std::size_t i = all.size(); i > 1; i--) {
        std::swap(all[i - 1], all[random() % i]);
    }
    // With the predictions of the machine itself, as all other trials have them.
    for (Proposal& each : all) {
        each = explorer_.make(*each.lineage, each.name + ", sampled");
    }
    return std::move(all);
}

std::vector<Proposal> Proposer::next(int count, const Trials& trials) {
    const std::optional<GaussianProcess> process = learn(trials);
    if (!process) {
        return walks(count, trials);
    }
    // 1. Ideas; those of other structures first.
    Ideas ideas;
    add_sampled(trials, ideas);
    for (Proposal& walk : walks(kWalks, trials)) {
        ideas.push_back(idea(std::move(walk)));
    }
    const std::size_t others = ideas.size();
    const std::vector<int> parents = this->parents(*process, trials);
    std::erase_if(neighbours_,
                  [&](const auto& each) { return std::ranges::count(parents, each.first) == 0; });
    for (const int parent : parents) {
        const Ideas& changes = neighbours_of(parent, trials);
        ideas.insert(ideas.end(), changes.begin(), changes.end());
        add_joined(*process, trials[parent].proposal, changes, ideas);
    }
    add_bolder(parents, trials, ideas);
    // 2. What is measured; `from` what, so many.
    std::unordered_set<std::uint64_t> taken;
    const auto choose = [&](std::size_t most, std::size_t from) {
        std::vector<ProcessPoint> points;
        for (std::size_t i = 0; i < from; i++) {
            points.push_back(ideas[i].point);
        }
        return process->choose(points, most, [&](std::size_t i) {
            const std::uint64_t key = hash(ideas[i].proposal.schedule, dag_);
            return !taken.contains(key) && !trials.knows(key) &&
                   explorer_.is_legal(ideas[i].proposal) && taken.insert(key).second;
        });
    };
    for (const std::size_t i : choose(kExpanded, ideas.size())) {
        for (Idea& more : neighbours(ideas[i].proposal)) {
            ideas.push_back(std::move(more));
        }
    }
    taken.clear();
    std::vector<Proposal> chosen;
    for (const std::size_t i : choose(static_cast<std::size_t>(count / kSampledShare), others)) {
        chosen.push_back(ideas[i].proposal);
    }
    const std::size_t left = static_cast<std::size_t>(count) - chosen.size();
    for (const std::size_t i : choose(left, ideas.size())) {
        chosen.push_back(std::move(ideas[i].proposal));
    }
    return chosen;
}

void Proposer::refit(const Trials& trials) {
    if (trials.count() < kFirstFit || trials.count() < kNextFit * fitted_) {
        return;
    }
    fitted_ = trials.count();
    std::vector<Example> examples;
    for (int i = 0; i < trials.count(); i++) {
        const Trial& trial = trials[i];
        if (trial.seconds > 0 && trial.seconds <= kSlowestOfFit * trials.best_seconds()) {
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
    predict_by(&*correction_);
}

void Proposer::use_weights_of_task() {
    predict_by(task_.search.correction);
}

// Trials keep what was predicted when they were chosen: what was fitted to their own times says
// nothing about how good predictions of others are.
void Proposer::predict_by(const Correction* correction) {
    explorer_.set_correction(correction);
    neighbours_.clear();
    samples_.clear();
}

Proposer::Idea Proposer::idea(Proposal proposal) {
    ProcessPoint point{coordinates_.of(*proposal.lineage), std::log(proposal.seconds)};
    return {std::move(proposal), std::move(point)};
}

// Nothing if no trial that has a plan was timed.
std::optional<GaussianProcess> Proposer::learn(const Trials& trials) {
    const double slowest = kSlowest * trials.best_seconds();
    std::vector<std::pair<double, int>> order;
    bool timed = false;
    for (int i = 0; i < trials.count(); i++) {
        const double seconds = trials[i].seconds;
        if (trials[i].proposal.lineage && seconds <= slowest) {
            timed = timed || seconds > 0;
            order.emplace_back(seconds > 0 ? seconds : slowest, i);
        }
    }
    if (!timed) {
        return std::nullopt;
    }
    std::ranges::sort(order);
    order.resize(std::min(order.size(), kExamples));
    std::vector<ProcessPoint> points;
    std::vector<double> values;
    for (const auto& [seconds, i] : order) {
        points.push_back(
            {coordinates_.of(*trials[i].proposal.lineage), std::log(trials[i].proposal.seconds)});
        values.push_back(std::log(seconds));
    }
    return GaussianProcess(points, values);
}

// The best of those that the search can go on from, by what all trials say about each, and a few
// others.
std::vector<int> Proposer::parents(const GaussianProcess& process, const Trials& trials) {
    std::vector<int> some;
    std::vector<ProcessPoint> points;
    for (const int i : trials.fastest(trials.count())) {
        if (trials[i].proposal.lineage && trials[i].seconds <= kOther * trials.best_seconds()) {
            some.push_back(i);
            points.push_back({coordinates_.of(*trials[i].proposal.lineage),
                              std::log(trials[i].proposal.seconds)});
        }
    }
    if (some.empty()) {
        return some;
    }
    const std::vector<Belief> beliefs = process.beliefs(points);
    std::vector<std::size_t> order(some.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return beliefs[i].mean; });
    std::vector<int> chosen;
    for (std::size_t i = 0; i < order.size() && i < kParents; i++) {
        chosen.push_back(some[order[i]]);
    }
    order.erase(order.begin(), order.begin() + std::ssize(chosen));
    for (int n = 0; n < kOtherParents && !order.empty(); n++) {
        const auto at = static_cast<std::ptrdiff_t>(random_() % order.size());
        chosen.push_back(some[order[at]]);
        order.erase(order.begin() + at);
    }
    return chosen;
}

Proposer::Ideas Proposer::neighbours(const Proposal& of) {
    const Limits limits(kSecondsOfParent, task_.search_memory);
    std::vector<Proposal> all = explorer_.neighbours(*of.lineage, limits, random_);
    std::ranges::stable_sort(all, {}, &Proposal::seconds);
    all.resize(std::min(all.size(), kNeighbours));
    Ideas ideas;
    for (Proposal& each : all) {
        if (std::optional<Proposal> more = explorer_.alike(*of.lineage, *each.lineage)) {
            ideas.push_back(idea(*std::move(more)));
        }
        ideas.push_back(idea(std::move(each)));
    }
    return ideas;
}

const Proposer::Ideas& Proposer::neighbours_of(int parent, const Trials& trials) {
    auto known = neighbours_.find(parent);
    if (known == neighbours_.end()) {
        known = neighbours_.emplace(parent, neighbours(trials[parent].proposal)).first;
    }
    std::erase_if(known->second, [&](const Idea& each) {
        return trials.knows(hash(each.proposal.schedule, dag_));
    });
    return known->second;
}

// The changes that promise most, one after the other, as long as they help together.
void Proposer::add_joined(const GaussianProcess& process, const Proposal& parent,
                          const Ideas& changes, Ideas& ideas) {
    if (changes.empty()) {
        return;
    }
    std::vector<ProcessPoint> points;
    for (const Idea& each : changes) {
        points.push_back(each.point);
    }
    const std::vector<Belief> beliefs = process.beliefs(points);
    std::vector<std::size_t> order(changes.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return beliefs[i].mean; });
    order.resize(std::min(order.size(), kJoined));
    Lineage at = *changes[order.front()].proposal.lineage;
    double mean = beliefs[order.front()].mean;
    for (const std::size_t i : order) {
        std::optional<Proposal> both =
            explorer_.joined(*parent.lineage, at, *changes[i].proposal.lineage);
        if (!both) {
            continue;
        }
        Idea made = idea(*std::move(both));
        const double here = process.beliefs({&made.point, 1}).front().mean;
        if (here < mean && explorer_.is_legal(made.proposal)) {
            mean = here;
            at = *made.proposal.lineage;
        }
        ideas.push_back(std::move(made));
    }
}

void Proposer::add_bolder(const std::vector<int>& parents, const Trials& trials, Ideas& ideas) {
    if (parents.empty()) {
        return;
    }
    const auto add = [&](std::optional<Proposal> made) {
        if (made) {
            ideas.push_back(idea(*std::move(made)));
        }
    };
    const auto lineage = [&](int parent) -> const Lineage& {
        return *trials[parent].proposal.lineage;
    };
    const auto any = [&] { return parents[random_() % parents.size()]; };
    for (const int parent : parents) {
        for (int n = 0; n < kMutants; n++) {
            const int changes = 2 + static_cast<int>(random_() % (kMostChanges - 1));
            add(explorer_.mutant(lineage(parent), changes, random_));
        }
    }
    for (int n = 0; n < kCrossings; n++) {
        const int first = any();
        const int second = any();
        if (first != second) {
            add(explorer_.cross(lineage(first), lineage(second), random_));
        }
    }
    const Limits limits(kSecondsOfSearch, task_.search_memory);
    for (int n = 0; n < kSearches && limits.check() == StopReason::Finished; n++) {
        add(explorer_.improved(lineage(any()), kSearchWork, limits, random_));
    }
}

void Proposer::add_sampled(const Trials& trials, Ideas& ideas) {
    std::erase_if(samples_, [&](const Idea& each) {
        return trials.knows(hash(each.proposal.schedule, dag_));
    });
    if (samples_.empty() || trials.count() < kSampledTrials) {
        for (Proposal& each : sampled(random_(), trials)) {
            samples_.push_back(idea(std::move(each)));
        }
    }
    ideas.insert(ideas.end(), samples_.begin(), samples_.end());
}

std::vector<Proposal> Proposer::walks(int count, const Trials& trials) {
    std::vector<Proposal> chosen;
    std::unordered_set<std::uint64_t> taken;
    for (int n = 0; n < kTriesOfWalk * count && std::ssize(chosen) < count; n++) {
        if (std::optional<Proposal> made = explorer_.random_walk(kLongestWalk, random_)) {
            const std::uint64_t key = hash(made->schedule, dag_);
            if (!trials.knows(key) && taken.insert(key).second) {
                chosen.push_back(*std::move(made));
            }
        }
    }
    return chosen;
}

}  // namespace nestor
