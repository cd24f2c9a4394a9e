#pragma once
// Features: a group of a schedule (a function at root with all that is computed in its loops) as a
// row of numbers, for what is learned of the analytic model's errors (correction.h). They are what
// the model computes and facts of the schedule, as ratios and logarithms, so that they mean the
// same for other pipelines and sizes.

#include <cstdint>
#include <span>
#include <vector>

#include "cost/cost_model.h"

namespace nestor {

struct GroupView;

/** A column. */
struct Feature {
    const char* name;  // unique
    const char* unit;  // "share": from 0 to 1; "log2": of the ratio that `meaning` names
    const char* meaning;
    double (*value)(const GroupView& group);
};

/** All of them, in the order of the columns. */
[[nodiscard]] std::span<const Feature> features();

/** Changes with every name, unit and meaning, and with the revision in features.cpp, which counts
 * changes of what a row computes. A correction is of one schema and refuses others. */
[[nodiscard]] std::uint64_t schema_hash(std::span<const Feature> schema = features());

/** A row, one number for each feature. All are finite. */
[[nodiscard]] std::vector<float> group_features(const GroupView& group);

/** Rows of features. */
class FeatureMatrix {
  public:
    /** Of so many columns. */
    explicit FeatureMatrix(std::size_t columns = features().size()) : columns_(columns) {}

    /** Precondition: as many numbers as columns. */
    void add(std::span<const float> row) { values_.insert(values_.end(), row.begin(), row.end()); }
    [[nodiscard]] std::size_t columns() const { return columns_; }
    [[nodiscard]] std::size_t rows() const { return values_.size() / columns_; }
    [[nodiscard]] std::span<const float> row(std::size_t i) const {
        return std::span(values_).subspan(i * columns_, columns_);
    }
    /** Row after row. */
    [[nodiscard]] std::span<const float> values() const { return values_; }

  private:
    std::size_t columns_;
    std::vector<float> values_;
};

/** A schedule as what is learned from sees it. */
struct GroupRows {
    FeatureMatrix rows;           // one a group, producers first
    std::vector<double> seconds;  // of each group, by the analytic model
};
/** `schedule` is a legal one. */
[[nodiscard]] GroupRows group_rows(const PipelineDag& dag, const Schedule& schedule,
                                   const Machine& machine);

}  // namespace nestor
