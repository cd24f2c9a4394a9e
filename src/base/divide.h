#pragma once
// Division of positive integers.

#include <cstdint>

namespace nestor {

/** The quotient, rounded up; `a` itself where `b` is not above 1. */
[[nodiscard]] constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) {
    return b <= 1 ? a : (a + b - 1) / b;
}

}  // namespace nestor
