#include "tune/doubts.h"

namespace nestor {

namespace {

constexpr double kTooGood = 1.2;  // times the speed of the best

}  // namespace

bool is_doubtful(const Measurement& measurement, double best) {
    return measurement.ok() && measurement.anchor_seconds > 0 && best > 0 &&
           kTooGood * measurement.seconds < best;
}

Measurement more_modest(const Measurement& one, const Measurement& other) {
    if (!one.ok() || !other.ok()) {
        return one.ok() ? other : one;
    }
    return one.seconds > other.seconds ? one : other;
}

}  // namespace nestor
