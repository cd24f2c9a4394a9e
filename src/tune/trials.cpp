#include "tune/trials.h"

#include <algorithm>
#include <utility>

namespace nestor {

void Trials::add(Trial trial, const std::string& outcome) {
    known_.insert(trial.hash);
    if (trial.seconds <= 0) {
        failures_[outcome]++;
    }
    trials_.push_back(std::move(trial));
}

void Trials::refuse(int trial) {
    trials_[trial].seconds = 0;
    failures_["refused"]++;
}

std::vector<int> Trials::fastest(int most) const {
    std::vector<int> order;
    for (int i = 0; i < count(); i++) {
        if (trials_[i].seconds > 0) {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(order, {}, [&](int i) { return trials_[i].seconds; });
    order.resize(std::min(order.size(), static_cast<std::size_t>(most)));
    return order;
}

int Trials::best() const {
    const std::vector<int> first = fastest(1);
    return first.empty() ? -1 : first.front();
}

double Trials::best_seconds() const {
    const int i = best();
    return i < 0 ? 0 : trials_[i].seconds;
}

int Trials::last_gain() const {
    constexpr double kGain = 1.01;
    const double enough = kGain * best_seconds();
    for (int i = 0; i < count(); i++) {
        if (trials_[i].seconds > 0 && trials_[i].seconds <= enough) {
            return i + 1;
        }
    }
    return 0;
}

}  // namespace nestor
