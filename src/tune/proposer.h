#pragma once
// Chooses what a task measures next, from what it has measured.

#include <map>
#include <optional>
#include <random>
#include <vector>

#include "search/explorer.h"
#include "train/gaussian_process.h"
#include "train/trainer.h"
#include "tune/plan_coordinates.h"
#include "tune/task.h"
#include "tune/trials.h"

namespace nestor {

class Proposer {
  public:
    /** Keeps references. */
    Proposer(const TuneTask& task, const PipelineDag& dag, std::uint64_t seed);

    [[nodiscard]] Explorer& explorer() { return explorer_; }

    /** What the search finds by predictions alone, best first. */
    [[nodiscard]] std::vector<Proposal> found() const;
    /** Of these, at most so many, guarded and folded as the explorer has them. */
    [[nodiscard]] std::vector<Proposal> first(const std::vector<Proposal>& found, int most,
                                              const Trials& trials);

    /** What the search finds for a machine that is drawn from this seed (see doubted()), every
     * other time with much of the space left out at random, too (see Dropout), and was not measured
     * yet, in a random order. */
    [[nodiscard]] std::vector<Proposal> sampled(std::uint64_t seed, const Trials& trials);

    /**
     * So many candidates that were not measured yet, legal and different; fewer if there are no
     * more. Made from the fastest trials (all single changes of each, the same change of all
     * functions that are alike, several that are promising at once, mutations, crossings, local
     * searches) and at random; chosen by what a Gaussian process over all trials, which knows the
     * predictions, expects of them.
     */
    [[nodiscard]] std::vector<Proposal> next(int count, const Trials& trials);

    /** Learns from all trials how far predictions are off (train/trainer.h), now and then. Where
     * nothing can be learned, predictions stay as they are. */
    void refit(const Trials& trials);

    /** Predicts by the task's weights from now on: they were replaced. */
    void use_weights_of_task();

  private:
    struct Idea {
        Proposal proposal;
        ProcessPoint point;
    };
    using Ideas = std::vector<Idea>;

    void predict_by(const Correction* correction);
    [[nodiscard]] Idea idea(Proposal proposal);
    [[nodiscard]] std::optional<GaussianProcess> learn(const Trials& trials);
    [[nodiscard]] std::vector<int> parents(const GaussianProcess& process, const Trials& trials);
    [[nodiscard]] Ideas neighbours(const Proposal& of);
    [[nodiscard]] const Ideas& neighbours_of(int parent, const Trials& trials);
    void add_joined(const GaussianProcess& process, const Proposal& parent, const Ideas& changes,
                    Ideas& ideas);
    void add_bolder(const std::vector<int>& parents, const Trials& trials, Ideas& ideas);
    void add_sampled(const Trials& trials, Ideas& ideas);
    [[nodiscard]] std::vector<Proposal> walks(int count, const Trials& trials);

    const TuneTask& task_;
    const PipelineDag& dag_;
    Explorer explorer_;
    PlanCoordinates coordinates_;
    std::map<int, GroupRows> rows_;  // of trials that were timed
    std::optional<Correction> correction_;
    int fitted_ = 0;  // trials at the last fit
    std::mt19937_64 random_;
    /** Single changes of a trial, the best by prediction, also of all functions that are alike. */
    std::map<int, Ideas> neighbours_;
    /** What sampled() found and was not chosen yet. */
    Ideas samples_;
};

}  // namespace nestor
