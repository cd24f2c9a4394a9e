#pragma once
// What to measure next: candidates with estimates, and how far these may be off.

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "search/search.h"

namespace nestor {

/** How a candidate was come by. */
enum class IdeaKind { Search, Neighbour, Mutation, Crossing, LocalSearch, RandomWalk };
constexpr std::size_t kIdeaKinds = 6;

struct Idea {
    Proposal proposal;
    IdeaKind kind = IdeaKind::Search;
    int parent = -1;      // the trial that it was made from; -1: none
    double estimate = 0;  // seconds: the parent's by the ratio of predictions, or the prediction
};

/**
 * How far estimates are off, by kind: log(measured / estimate) as a normal distribution, from what
 * was measured and a few imagined measurements before that. Choosing by a draw from it (W. R.
 * Thompson, "On the likelihood that one unknown probability exceeds another", 1933) measures what
 * is promising and what is uncertain, each as often as it may be the best.
 */
class EstimateErrors {
  public:
    EstimateErrors();

    /** `measured`: seconds; 0: it failed. */
    void learn(IdeaKind kind, double estimate, double measured);
    /** Seconds that it might take. */
    [[nodiscard]] double draw(IdeaKind kind, double estimate, std::mt19937_64& random) const;

  private:
    struct Sums {
        double count = 0, sum = 0, squares = 0;
    };
    std::array<Sums, kIdeaKinds> sums_;
};

/** The positions of the ideas in the order of what is drawn for them, best first. */
[[nodiscard]] std::vector<std::size_t> by_draw(const std::vector<Idea>& ideas,
                                               const EstimateErrors& errors,
                                               std::mt19937_64& random);

}  // namespace nestor
