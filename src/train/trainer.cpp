#include "train/trainer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "train/booster.h"

namespace nestor {

namespace {

Status check(std::span<const Example> examples) {
    if (examples.empty()) {
        return Error{"there are no measured schedules to learn from"};
    }
    const auto is_number = [](double value) { return std::isfinite(value) && value >= 0; };
    for (const Example& example : examples) {
        const GroupRows& groups = example.groups;
        if (groups.rows.columns() != features().size() ||
            groups.rows.rows() != groups.seconds.size()) {
            return Error{"an example that is not a row of features and a time for each group"};
        }
        // What only an extern stage computes takes no time that the model knows of.
        if (!std::ranges::all_of(groups.seconds, is_number) ||
            corrected_seconds(groups, nullptr) == 0 || !is_number(example.measured_seconds) ||
            example.measured_seconds == 0 || !is_number(example.weight)) {
            return Error{"an example with a time or weight that is none"};
        }
    }
    return Ok{};
}

using Examples = std::vector<const Example*>;

// So that they are as many as there are examples, all together.
std::vector<double> weights_of(const Examples& examples, double fast) {
    std::map<int, double> fastest;
    for (const Example* example : examples) {
        const auto [at, is_new] = fastest.emplace(example->family, example->measured_seconds);
        at->second = std::min(at->second, example->measured_seconds);
    }
    std::vector<double> weights;
    double sum = 0;
    for (const Example* example : examples) {
        weights.push_back(example->weight *
                          std::pow(fastest[example->family] / example->measured_seconds, fast));
        sum += weights.back();
    }
    for (double& weight : weights) {
        weight *= sum > 0 ? static_cast<double>(examples.size()) / sum : 0;
    }
    return weights;
}

// Takes from each value the weighted mean of its family.
void center(const Examples& examples, const std::vector<double>& weights,
            std::vector<double>& values) {
    std::map<int, std::pair<double, double>> families;  // sum of weights, and of values
    for (std::size_t e = 0; e < examples.size(); e++) {
        auto& [weight, sum] = families[examples[e]->family];
        weight += weights[e];
        sum += weights[e] * values[e];
    }
    for (std::size_t e = 0; e < examples.size(); e++) {
        const auto& [weight, sum] = families[examples[e]->family];
        values[e] -= weight > 0 ? sum / weight : 0;
    }
}

// Trees behind a prior's. Steps: join the rows; weigh the examples; add trees, each by the
// derivatives at what those before it say.
class Boosting {
  public:
    Boosting(const Examples& examples, const TrainOptions& options, const Correction* prior)
        : examples_(examples),
          options_(options),
          prior_(prior),
          weights_(weights_of(examples, options.fast)) {}

    Result<std::vector<Tree>> run() {
        join();
        Result<Booster> booster =
            Booster::create(rows_, {options_.depth, options_.rate, options_.least, options_.leaf});
        if (!booster) {
            return Error{booster.error()};
        }
        for (int round = 0; round < options_.rounds; round++) {
            derive();
            if (Status status = booster.value().step(gradient_, curvature_); !status) {
                return Error{status.error()};
            }
            Result<std::vector<float>> outputs = booster.value().outputs();
            if (!outputs) {
                return Error{outputs.error()};
            }
            for (std::size_t i = 0; i < outputs_.size(); i++) {
                outputs_[i] = before_[i] + outputs.value()[i];
            }
        }
        return booster.value().trees();
    }

  private:
    void join() {
        for (const Example* example : examples_) {
            for (std::size_t g = 0; g < example->groups.rows.rows(); g++) {
                const auto row = example->groups.rows.row(g);
                rows_.add(row);
                before_.push_back(prior_ != nullptr ? prior_->output(row) : 0);
            }
        }
        outputs_ = before_;
        gradient_.resize(before_.size());
        curvature_.resize(before_.size());
    }

    void derive() {
        std::vector<double> corrected(outputs_.size());
        std::vector<double> totals;
        std::vector<double> residuals;
        std::size_t row = 0;
        for (const Example* example : examples_) {
            double total = 0;
            for (const double seconds : example->groups.seconds) {
                corrected[row] = seconds * std::exp(Correction::bounded(outputs_[row]));
                total += corrected[row++];
            }
            totals.push_back(total);
            residuals.push_back(std::log(total / example->measured_seconds));
        }
        center(examples_, weights_, residuals);
        row = 0;
        for (std::size_t e = 0; e < examples_.size(); e++) {
            for (std::size_t g = 0; g < examples_[e]->groups.seconds.size(); g++, row++) {
                const double share = weights_[e] * corrected[row] / totals[e];
                const double slope = slope_at(outputs_[row]);
                gradient_[row] = static_cast<float>(
                    share * (residuals[e] * slope + options_.shrinkage * outputs_[row]));
                curvature_[row] = static_cast<float>(share * (slope * slope + options_.shrinkage));
            }
        }
    }

    // Of Correction::bounded().
    [[nodiscard]] static double slope_at(double output) {
        const double most = std::log(Correction::kLargest);
        const double bounded = Correction::bounded(output) / most;
        return 1 - bounded * bounded;
    }

    const Examples& examples_;
    const TrainOptions& options_;
    const Correction* prior_;
    const std::vector<double> weights_;  // [example]
    FeatureMatrix rows_;                 // of all examples
    std::vector<double> before_;         // [row], the prior's outputs
    std::vector<double> outputs_;        // [row]
    std::vector<float> gradient_;        // [row]
    std::vector<float> curvature_;       // [row]
};

// Those of all rows, and of the prior.
std::vector<FeatureRange> ranges_of(const Examples& examples, const Correction* prior) {
    std::vector<FeatureRange> ranges;
    if (prior != nullptr) {
        ranges = prior->ranges();
    }
    for (const Example* example : examples) {
        for (std::size_t i = 0; i < example->groups.rows.rows(); i++) {
            const auto row = example->groups.rows.row(i);
            if (ranges.empty()) {
                for (const float value : row) {
                    ranges.push_back({value, value});
                }
            }
            for (std::size_t f = 0; f < row.size(); f++) {
                ranges[f].low = std::min(ranges[f].low, row[f]);
                ranges[f].high = std::max(ranges[f].high, row[f]);
            }
        }
    }
    return ranges;
}

// `share`: by which the leaves of the new trees are multiplied. 0: none are kept.
Result<Correction> joined(const Correction* prior, std::vector<Tree> added, double share,
                          const Examples& examples) {
    std::vector<Tree> trees;
    std::string note = std::to_string(examples.size()) + " measured schedules";
    if (prior != nullptr) {
        trees = prior->trees();
        note += prior->note().empty() ? "" : "; before: " + prior->note();
    }
    for (Tree& tree : added) {
        for (TreeNode& node : tree) {
            node.value *= node.feature < 0 ? static_cast<float>(share) : 1;
        }
        if (share > 0) {
            trees.push_back(std::move(tree));
        }
    }
    return Correction::create(trees, ranges_of(examples, prior), std::move(note));
}

// How much of what trees say is so for examples that they were not fitted to: the factor of what
// they change by which errors become least, from 0 to 1.
class CrossValidation {
  public:
    CrossValidation(const Examples& examples, const TrainOptions& options, const Correction* prior)
        : examples_(examples), options_(options), prior_(prior) {}

    Result<double> reliability() {
        std::vector<double> changes(examples_.size());
        for (int fold = 0; fold < options_.folds; fold++) {
            if (Status status = leave_out(fold, changes); !status) {
                return Error{status.error()};
            }
        }
        return share_of(std::move(changes));
    }

  private:
    // Of several families, whole ones are left out: those to come are others.
    [[nodiscard]] int fold_of(std::size_t e) {
        if (families_.empty()) {
            for (const Example* each : examples_) {
                families_.emplace(each->family, static_cast<int>(families_.size()));
            }
        }
        const bool whole = static_cast<int>(families_.size()) >= options_.folds;
        const int index = whole ? families_[examples_[e]->family] : static_cast<int>(e);
        return index % options_.folds;
    }

    Status leave_out(int fold, std::vector<double>& changes) {
        Examples others;
        for (std::size_t e = 0; e < examples_.size(); e++) {
            if (fold_of(e) != fold) {
                others.push_back(examples_[e]);
            }
        }
        Result<std::vector<Tree>> trees = Boosting(others, options_, prior_).run();
        if (!trees) {
            return Error{trees.error()};
        }
        const Result<Correction> correction = joined(prior_, std::move(trees).value(), 1, others);
        if (!correction) {
            return Error{correction.error()};
        }
        for (std::size_t e = 0; e < examples_.size(); e++) {
            if (fold_of(e) == fold) {
                const GroupRows& groups = examples_[e]->groups;
                changes[e] = std::log(corrected_seconds(groups, &correction.value()) /
                                      corrected_seconds(groups, prior_));
            }
        }
        return Ok{};
    }

    // Least squares of error = share * change, less `doubt` times the share's standard error.
    [[nodiscard]] double share_of(std::vector<double> changes) const {
        const std::vector<double> weights = weights_of(examples_, options_.fast);
        std::vector<double> errors;
        for (const Example* each : examples_) {
            errors.push_back(
                std::log(each->measured_seconds / corrected_seconds(each->groups, prior_)));
        }
        center(examples_, weights, errors);
        center(examples_, weights, changes);
        double products = 0;
        double squares = 0;
        for (std::size_t e = 0; e < examples_.size(); e++) {
            products += weights[e] * changes[e] * errors[e];
            squares += weights[e] * changes[e] * changes[e];
        }
        if (squares <= 0) {
            return 0;
        }
        const double share = products / squares;
        double variance = 0;
        for (std::size_t e = 0; e < examples_.size(); e++) {
            const double left = weights[e] * changes[e] * (errors[e] - share * changes[e]);
            variance += left * left;
        }
        return std::clamp(share - options_.doubt * std::sqrt(variance) / squares, 0.0, 1.0);
    }

    const Examples& examples_;
    const TrainOptions& options_;
    const Correction* prior_;
    std::map<int, int> families_;  // index of each
};

}  // namespace

Result<Correction> fit(std::span<const Example> examples, const TrainOptions& options,
                       const Correction* prior) {
    if (Status status = check(examples); !status) {
        return Error{status.error()};
    }
    Examples all;
    for (const Example& example : examples) {
        all.push_back(&example);
    }
    if (static_cast<int>(all.size()) < std::max(options.fewest, options.folds)) {
        return joined(prior, {}, 0, all);
    }
    Result<std::vector<Tree>> trees = Boosting(all, options, prior).run();
    if (!trees) {
        return Error{trees.error()};
    }
    double share = 1;
    if (options.folds > 1) {
        const Result<double> reliability = CrossValidation(all, options, prior).reliability();
        if (!reliability) {
            return Error{reliability.error()};
        }
        share = reliability.value();
    }
    return joined(prior, std::move(trees).value(), share, all);
}

double corrected_seconds(const GroupRows& groups, const Correction* correction) {
    double sum = 0;
    for (std::size_t g = 0; g < groups.seconds.size(); g++) {
        sum += groups.seconds[g] *
               (correction != nullptr ? correction->factor(groups.rows.row(g)) : 1);
    }
    return sum;
}

}  // namespace nestor
