#pragma once
// How quotients and remainders move: x / 8 stays for eight points, x % 8 goes on for eight and then
// back. Halide 21 knows that of a vector that begins at a multiple.

#include <cstddef>
#include <vector>

namespace nestor {

/** Of a coordinate along a loop: within blocks of `points` points, of which each begins at a
 * multiple of `points`, it moves by `rate` a point. */
struct Steps {
    int points = 0;  // 0: no blocks, by its rate everywhere; 1: nothing is known
    double rate = 0;

    bool operator==(const Steps&) const = default;
};

constexpr Steps kUnknownSteps{1, 0};

/** Of a + b, of which one moves by `a_rate`, the other by `b_rate` where they have no blocks. */
[[nodiscard]] Steps sum(const Steps& a, double a_rate, const Steps& b, double b_rate);

/** Whether all that something is the sum of, but for what moves with loop `but`, is a multiple of
 * `points`: a constant of `low` to `high`, and what moves by `rates` or `steps` (empty: none) with
 * the others. */
[[nodiscard]] bool is_multiple(double low, double high, const std::vector<double>& rates,
                               const std::vector<Steps>& steps, std::size_t but, double points);

/** Of `outer`, blocks along what moves by `rate` or by `inner`. `aligned`: all else that it is the
 * sum of is a multiple of the blocks' points. */
[[nodiscard]] Steps composed(const Steps& outer, const Steps& inner, double rate, bool aligned);

}  // namespace nestor
