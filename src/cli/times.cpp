#include "cli/times.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace nestor {

std::string time_text(double seconds) {
    constexpr double kMicro = 1e-6;
    constexpr double kMilli = 1e-3;
    if (seconds <= 0) {
        return "-";
    }
    if (seconds < kMilli) {
        return fmt::format("{:.3g} us", seconds / kMicro);
    }
    return seconds < 1 ? fmt::format("{:.4g} ms", seconds / kMilli)
                       : fmt::format("{:.4g} s", seconds);
}

std::string duration_text(double seconds) {
    constexpr int kMinute = 60;
    const auto whole = static_cast<int>(std::lround(std::max(0.0, seconds)));
    return whole < kMinute ? fmt::format("{} s", whole)
                           : fmt::format("{} min {} s", whole / kMinute, whole % kMinute);
}

}  // namespace nestor
