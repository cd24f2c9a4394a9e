#pragma once
// Chooses what a task measures next, from what it has measured.

#include <map>
#include <optional>
#include <random>
#include <unordered_set>
#include <vector>

#include "search/explorer.h"
#include "train/trainer.h"
#include "tune/ideas.h"
#include "tune/task.h"
#include "tune/trials.h"

namespace nestor {

class Proposer {
  public:
    /** Keeps references. */
    Proposer(const TuneTask& task, const PipelineDag& dag, std::uint64_t seed);

    [[nodiscard]] Explorer& explorer() { return explorer_; }

    /** What the search finds by predictions alone, best first: at most so many. */
    [[nodiscard]] std::vector<Idea> first(int most, const Trials& trials);

    /** Of what the search finds where much of the space is left out by a draw from this seed (see
     * Dropout), one that was not measured yet; nothing if all were. */
    [[nodiscard]] std::optional<Idea> sampled(std::uint64_t seed, const Trials& trials);

    /**
     * So many candidates that were not measured yet, legal and different; fewer if there are no
     * more. Made from the fastest trials (all single changes of each, a few mutations, crossings,
     * local searches) and at random; chosen by a draw from what they may take (EstimateErrors).
     */
    [[nodiscard]] std::vector<Idea> next(int count, const Trials& trials);

    /** Learns from all trials how far predictions are off (train/trainer.h), now and then, and
     * predicts the trials anew. Where nothing can be learned, predictions stay as they are. */
    void refit(Trials& trials);

    /** Predicts by the task's weights from now on, the trials too: they were replaced. */
    void use_weights_of_task(Trials& trials);

    /** What became of one of them. */
    void learn(const Idea& idea, double measured_seconds) {
        errors_.learn(idea.kind, idea.estimate, measured_seconds);
    }

  private:
    void predict_by(const Correction* correction, Trials& trials);
    [[nodiscard]] std::vector<int> parents(const Trials& trials);
    void add_neighbours(int parent, const Trials& trials, std::vector<Idea>& ideas);
    void add_bolder(const std::vector<int>& parents, const Trials& trials,
                    std::vector<Idea>& ideas);
    void add_walks(int count, const Trials& trials, std::vector<Idea>& ideas);
    [[nodiscard]] std::vector<Idea> choose(const std::vector<Idea>& ideas, int count,
                                           const Trials& trials);

    const TuneTask& task_;
    const PipelineDag& dag_;
    Explorer explorer_;
    EstimateErrors errors_;
    std::map<int, GroupRows> rows_;  // of trials that were timed
    std::optional<Correction> correction_;
    int fitted_ = 0;  // trials at the last fit
    std::mt19937_64 random_;
    /** Single changes of a trial that may still be tried. */
    std::map<int, std::vector<Proposal>> neighbours_;
};

}  // namespace nestor
