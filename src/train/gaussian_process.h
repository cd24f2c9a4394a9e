#pragma once
// What is known of a function of many coordinates that was measured at some points, and how well.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace nestor {

/** Where a function is asked for. Points may differ in length: what is missing is 0. */
struct ProcessPoint {
    std::vector<float> at;
    double guess = 0;  // of its value, by other means; see GaussianProcess
};

struct Belief {
    double mean = 0;
    double deviation = 0;  // standard deviation, without the error of a measurement
};

/**
 * A Gaussian process (C. E. Rasmussen, C. K. I. Williams, "Gaussian Processes for Machine
 * Learning", 2006, sections 2.2, 2.7 and 5.4.1). Expected, before anything is measured, is the
 * guess plus a constant; the covariance of two points is
 *
 *     v (exp(-|a - b| / l) + p g(a) g(b) + c)
 *
 * with |a - b| the sum of the differences of all coordinates, g the guess less the mean guess, so
 * that p says by what factor differences of guesses may be too large or small, and c, which leaves
 * the constant open. The length l, p and the measurements' variance (a share of v) are those of the
 * greatest marginal likelihood among a few; v follows.
 */
class GaussianProcess {
  public:
    /** From one measurement on; as many `values` as `points`. The time grows with the third power
     * of their number: 0.1 s for 500 of them. */
    GaussianProcess(std::vector<ProcessPoint> points, std::span<const double> values);
    GaussianProcess(GaussianProcess&&) noexcept;
    GaussianProcess& operator=(GaussianProcess&&) noexcept;
    ~GaussianProcess();

    [[nodiscard]] std::vector<Belief> beliefs(std::span<const ProcessPoint> points) const;

    /**
     * Positions of so many of `points` that should be measured together to find the least value:
     * one after the other the one of the greatest expected improvement on the least mean of what is
     * measured (D. R. Jones, M. Schonlau, W. J. Welch, 1998, section 4.1), as though those before
     * it had been found to be as expected (the "kriging believer": D. Ginsbourger, R. Le Riche, L.
     * Carraro, 2010, section 4.2). `take` is asked about each before it counts: false leaves it
     * out. Fewer if there are no more.
     */
    [[nodiscard]] std::vector<std::size_t> choose(
        std::span<const ProcessPoint> points, std::size_t count,
        const std::function<bool(std::size_t)>& take) const;

  private:
    struct Fitted;
    std::unique_ptr<Fitted> fitted_;
};

}  // namespace nestor
