#include "tune/ideas.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace nestor {

namespace {

// Of log(measured / estimate), before anything is known: deviations. One decision changed leaves
// most of what the model has wrong as it was.
constexpr std::array<double, kIdeaKinds> kPriorDeviation = {0.4, 0.15, 0.3, 0.3, 0.3, 0.8};
constexpr double kPriorCount = 4;
constexpr double kFailed = 1;  // a failure counts as e times as slow

// std::normal_distribution differs between libraries. (G. E. P. Box, M. E. Muller, 1958.)
double normal(std::mt19937_64& random) {
    constexpr double kScale = 0x1p-64;
    const double u = (static_cast<double>(random()) + 0.5) * kScale;
    const double v = (static_cast<double>(random()) + 0.5) * kScale;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

}  // namespace

EstimateErrors::EstimateErrors() {
    for (std::size_t k = 0; k < kIdeaKinds; k++) {
        sums_[k] = {kPriorCount, 0, kPriorCount * kPriorDeviation[k] * kPriorDeviation[k]};
    }
}

void EstimateErrors::learn(IdeaKind kind, double estimate, double measured) {
    const double error = measured > 0 && estimate > 0 ? std::log(measured / estimate) : kFailed;
    Sums& sums = sums_[static_cast<std::size_t>(kind)];
    sums.count++;
    sums.sum += error;
    sums.squares += error * error;
}

double EstimateErrors::draw(IdeaKind kind, double estimate, std::mt19937_64& random) const {
    const Sums& sums = sums_[static_cast<std::size_t>(kind)];
    const double mean = sums.sum / sums.count;
    const double deviation = std::sqrt(std::max(0.0, sums.squares / sums.count - mean * mean));
    return estimate * std::exp(mean + deviation * normal(random));
}

std::vector<std::size_t> by_draw(const std::vector<Idea>& ideas, const EstimateErrors& errors,
                                 std::mt19937_64& random) {
    std::vector<double> drawn;
    for (const Idea& idea : ideas) {
        drawn.push_back(errors.draw(idea.kind, idea.estimate, random));
    }
    std::vector<std::size_t> order(ideas.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return drawn[i]; });
    return order;
}

}  // namespace nestor
