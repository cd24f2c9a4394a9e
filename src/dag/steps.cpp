#include "dag/steps.h"

#include <cmath>
#include <numeric>

namespace nestor {

Steps sum(const Steps& a, double a_rate, const Steps& b, double b_rate) {
    if (a.points == 0 && b.points == 0) {
        return {};
    }
    const int points = std::gcd(a.points, b.points);  // of 0 and n: n
    const double rate = (a.points == 0 ? a_rate : a.rate) + (b.points == 0 ? b_rate : b.rate);
    return points == 1 ? kUnknownSteps : Steps{points, rate};
}

bool is_multiple(double low, double high, const std::vector<double>& rates,
                 const std::vector<Steps>& steps, std::size_t but, double points) {
    if (low != high || std::fmod(low, points) != 0) {
        return false;
    }
    for (std::size_t l = 0; l < rates.size(); l++) {
        const bool blocks = l < steps.size() && steps[l].points > 0;
        if (l != but && (blocks || std::fmod(rates[l], points) != 0)) {
            return false;
        }
    }
    return true;
}

Steps composed(const Steps& outer, const Steps& inner, double rate, bool aligned) {
    if (outer.points <= 1 || (inner.points == 0 && rate == 0)) {
        return inner.points == 0 && rate == 0 ? Steps{} : outer;
    }
    if (inner.points > 0) {
        return inner.rate == 0 ? inner : kUnknownSteps;  // what stays, stays
    }
    const double whole = std::abs(rate);
    if (whole != std::floor(whole)) {
        return kUnknownSteps;
    }
    if (std::fmod(whole, outer.points) == 0) {
        return {};  // from block to block
    }
    return aligned && std::fmod(outer.points, whole) == 0
               ? Steps{static_cast<int>(outer.points / whole), outer.rate * rate}
               : kUnknownSteps;
}

}  // namespace nestor
