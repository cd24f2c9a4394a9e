#include "train/gaussian_process.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

namespace nestor {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Coordinates = Eigen::MatrixXf;  // a column each

// See GaussianProcess: v, l, p and the measurements' variance as a share of v.
struct Shape {
    double variance = 0.1;
    double length = 16;
    double slope = 1;
    double noise = 0.04;
};

constexpr std::array kLengths = {4.0, 8.0, 16.0, 32.0, 64.0};
constexpr std::array kSlopes = {0.0, 0.1, 1.0};
constexpr std::array kNoises = {0.0025, 0.01, 0.04, 0.16};
constexpr double kOpenMean = 9;
// With fewer measurements than this the shape is not fitted.
constexpr Eigen::Index kFewest = 8;
// Of v, as it is for logarithms of times: deviations of 7 % and of a factor of e.
constexpr double kLeastVariance = 0.005;
constexpr double kMostVariance = 1;

Coordinates matrix(std::span<const ProcessPoint> points, Eigen::Index rows) {
    Coordinates all = Coordinates::Zero(rows, std::ssize(points));
    for (std::size_t i = 0; i < points.size(); i++) {
        const auto length = std::min(rows, static_cast<Eigen::Index>(points[i].at.size()));
        all.col(static_cast<Eigen::Index>(i)).head(length) =
            Eigen::Map<const Eigen::VectorXf>(points[i].at.data(), length);
    }
    return all;
}

Eigen::Index longest(std::span<const ProcessPoint> points) {
    std::size_t most = 0;
    for (const ProcessPoint& point : points) {
        most = std::max(most, point.at.size());
    }
    return static_cast<Eigen::Index>(most);
}

MatrixXd distances(const Coordinates& from, const Coordinates& to) {
    MatrixXd all(from.cols(), to.cols());
    for (Eigen::Index j = 0; j < to.cols(); j++) {
        all.col(j) =
            (from.colwise() - to.col(j)).cwiseAbs().colwise().sum().transpose().cast<double>();
    }
    return all;
}

// Rows in which all points are equal, which most are: many plans differ in a few decisions only.
void leave_out_equal_rows(Coordinates& one, Coordinates& other) {
    std::vector<Eigen::Index> kept;
    for (Eigen::Index i = 0; i < one.rows(); i++) {
        const float first = one(i, 0);
        if ((one.row(i).array() != first).any() || (other.row(i).array() != first).any()) {
            kept.push_back(i);
        }
    }
    one = one(kept, Eigen::all).eval();
    other = other(kept, Eigen::all).eval();
}

VectorXd guesses(std::span<const ProcessPoint> points, double mean) {
    VectorXd all(std::ssize(points));
    for (std::size_t i = 0; i < points.size(); i++) {
        all[static_cast<Eigen::Index>(i)] = points[i].guess - mean;
    }
    return all;
}

// In units of v.
MatrixXd covariance(const MatrixXd& distance, const VectorXd& from, const VectorXd& to,
                    const Shape& shape) {
    MatrixXd all = (distance.array() * (-1 / shape.length)).exp();
    all.noalias() += shape.slope * from * to.transpose();
    all.array() += kOpenMean;
    return all;
}

// E[max(0, below - x)] of a normally distributed x.
double expected_improvement(double mean, double deviation, double below) {
    if (deviation <= 0) {
        return std::max(0.0, below - mean);
    }
    const double u = (below - mean) / deviation;
    const double density = std::exp(-u * u / 2) / std::sqrt(2 * std::numbers::pi);
    const double share = std::erfc(-u / std::numbers::sqrt2) / 2;
    return deviation * (u * share + density);
}

}  // namespace

struct GaussianProcess::Fitted {
    Shape shape;
    Coordinates at;
    double mean_guess = 0;
    VectorXd guess;  // less the mean
    double mean = 0;
    Eigen::LLT<MatrixXd> factor;
    VectorXd weights;  // the factor's inverse times the values less their mean
    double least = 0;  // mean of what is measured

    // Asked points, with what is needed to ask for their covariances.
    struct Asked {
        Coordinates at;
        VectorXd guess;
        MatrixXd reduced;  // a column each: the factor's inverse times its covariances
        VectorXd mean;
        VectorXd variance;  // in units of v
    };
    [[nodiscard]] Asked ask(std::span<const ProcessPoint> points) const {
        Asked asked;
        const Eigen::Index rows = std::max(at.rows(), longest(points));
        asked.at = matrix(points, rows);
        asked.guess = guesses(points, mean_guess);
        Coordinates known = Coordinates::Zero(rows, at.cols());
        known.topRows(at.rows()) = at;
        leave_out_equal_rows(known, asked.at);
        asked.reduced = covariance(distances(known, asked.at), guess, asked.guess, shape);
        factor.matrixL().solveInPlace(asked.reduced);
        asked.mean = asked.guess + asked.reduced.transpose() * weights;
        asked.mean.array() += mean;
        asked.variance = 1 + kOpenMean + shape.slope * asked.guess.array().square() -
                         asked.reduced.colwise().squaredNorm().transpose().array();
        asked.variance = asked.variance.cwiseMax(0);
        return asked;
    }
};

GaussianProcess::GaussianProcess(std::vector<ProcessPoint> points, std::span<const double> values)
    : fitted_(std::make_unique<Fitted>()) {
    Fitted& fitted = *fitted_;
    const Eigen::Index count = std::ssize(points);
    fitted.at = matrix(points, longest(points));
    for (const ProcessPoint& point : points) {
        fitted.mean_guess += point.guess / static_cast<double>(count);
    }
    fitted.guess = guesses(points, fitted.mean_guess);
    fitted.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(count);
    const VectorXd centred =
        (Eigen::Map<const VectorXd>(values.data(), count) - fitted.guess).array() - fitted.mean;
    const MatrixXd distance = distances(fitted.at, fitted.at);

    const auto factorize = [&](const Shape& shape) {
        MatrixXd all = covariance(distance, fitted.guess, fitted.guess, shape);
        all.diagonal().array() += shape.noise;
        return Eigen::LLT<MatrixXd>(all);
    };
    double best = -std::numeric_limits<double>::infinity();
    for (const double length : kLengths) {
        for (const double slope : kSlopes) {
            for (const double noise : kNoises) {
                if (count < kFewest) {
                    continue;
                }
                Shape shape{0, length, slope, noise};
                const Eigen::LLT<MatrixXd> factor = factorize(shape);
                const VectorXd weights = factor.matrixL().solve(centred);
                shape.variance = std::clamp(weights.squaredNorm() / static_cast<double>(count),
                                            kLeastVariance, kMostVariance);
                // Less the constant: (5.8), with v taken out.
                const double likelihood =
                    -weights.squaredNorm() / shape.variance / 2 -
                    static_cast<double>(count) * std::log(shape.variance) / 2 -
                    factor.matrixLLT().diagonal().array().log().sum();
                if (likelihood > best) {
                    best = likelihood;
                    fitted.shape = shape;
                }
            }
        }
    }
    fitted.factor = factorize(fitted.shape);
    fitted.weights = fitted.factor.matrixL().solve(centred);
    fitted.least = fitted.ask(points).mean.minCoeff();
}

GaussianProcess::GaussianProcess(GaussianProcess&&) noexcept = default;
GaussianProcess& GaussianProcess::operator=(GaussianProcess&&) noexcept = default;
GaussianProcess::~GaussianProcess() = default;

std::vector<Belief> GaussianProcess::beliefs(std::span<const ProcessPoint> points) const {
    const Fitted::Asked asked = fitted_->ask(points);
    std::vector<Belief> all;
    for (Eigen::Index i = 0; i < std::ssize(points); i++) {
        all.push_back({asked.mean[i], std::sqrt(fitted_->shape.variance * asked.variance[i])});
    }
    return all;
}

std::vector<std::size_t> GaussianProcess::choose(
    std::span<const ProcessPoint> points, std::size_t count,
    const std::function<bool(std::size_t)>& take) const {
    Fitted::Asked asked = fitted_->ask(points);
    const Eigen::Index n = std::ssize(points);
    const Eigen::Index known = asked.reduced.rows();
    const auto room = static_cast<Eigen::Index>(std::min(count, points.size()));
    asked.reduced.conservativeResize(known + room, Eigen::NoChange);
    std::vector<bool> left(points.size(), true);
    std::vector<std::size_t> chosen;
    const auto gain = [&](Eigen::Index i) {
        return expected_improvement(
            asked.mean[i], std::sqrt(fitted_->shape.variance * std::max(0.0, asked.variance[i])),
            fitted_->least);
    };
    while (chosen.size() < count) {
        // 1. The most promising.
        Eigen::Index best = -1;
        double most = 0;
        for (Eigen::Index i = 0; i < n; i++) {
            if (left[static_cast<std::size_t>(i)]) {
                const double here = gain(i);
                if (best < 0 || here > most) {
                    best = i;
                    most = here;
                }
            }
        }
        if (best < 0) {
            break;
        }
        left[static_cast<std::size_t>(best)] = false;
        if (!take(static_cast<std::size_t>(best))) {
            continue;
        }
        // 2. A row more of the factor: a measurement as expected changes no mean.
        const Eigen::Index rows = known + std::ssize(chosen);
        chosen.push_back(static_cast<std::size_t>(best));
        const VectorXd own = asked.reduced.col(best).head(rows);
        const double scale =
            1 / std::sqrt(std::max(0.0, asked.variance[best]) + fitted_->shape.noise);
        const VectorXd distance = (asked.at.colwise() - asked.at.col(best))
                                      .cwiseAbs()
                                      .colwise()
                                      .sum()
                                      .transpose()
                                      .cast<double>();
        VectorXd added = (distance.array() * (-1 / fitted_->shape.length)).exp() + kOpenMean +
                         fitted_->shape.slope * asked.guess[best] * asked.guess.array();
        added -= asked.reduced.topRows(rows).transpose() * own;
        added *= scale;
        asked.reduced.row(rows) = added.transpose();
        asked.variance.array() -= added.array().square();
    }
    return chosen;
}

}  // namespace nestor
