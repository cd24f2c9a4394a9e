#pragma once
// What was learned of the analytic model's errors: a factor for each group of a schedule, so that
//     corrected seconds = sum over groups of seconds(group) * factor(features of the group).
// An ensemble of regression trees (T. Chen and C. Guestrin, "XGBoost", 2016; fitted in src/train/),
// as flat arrays that need no library. Bounded, because it is fitted to few measurements, and
// shrunk where a group is unlike what it was fitted to.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace nestor {

/** First bytes of every weights file that Nestor writes; the digit is the version of the format. */
inline constexpr std::string_view weights_magic = "NESTORW1";

/** A node of a tree: where feature < threshold goes on at `left`, and otherwise behind that. */
struct TreeNode {
    std::int32_t feature = -1;  // index of the column; -1: a leaf
    std::int32_t left = 0;      // index into the tree's nodes, above this one's
    float value = 0;            // the threshold; of a leaf, what it adds to the output

    bool operator==(const TreeNode&) const = default;
};
using Tree = std::vector<TreeNode>;  // the root first

/** What a feature was in all rows that a correction was fitted to. */
struct FeatureRange {
    float low = 0;
    float high = 0;

    bool operator==(const FeatureRange&) const = default;
};

class Correction {
  public:
    /** The factor lies within 1 / kLargest and kLargest. */
    static constexpr double kLargest = 4;

    /** No trees: the factor is always 1. */
    Correction() = default;
    /** One range for each of features(). `note`: one line for people, of what it was fitted to. An
     * Error for trees that are none, ranges of another number or upside down, or what is not
     * finite. */
    [[nodiscard]] static Result<Correction> create(std::span<const Tree> trees,
                                                   std::vector<FeatureRange> ranges,
                                                   std::string note);

    /** What a file holds: text() of another. An Error for what is no such text, is damaged, or is
     * of other features than features(), with what to do instead. */
    [[nodiscard]] static Result<Correction> parse(std::string_view text);
    /** Lines: the magic; "schema HASH COUNT"; "model HASH" of all lines behind it; "note ...";
     * "range NAME LOW HIGH", one a feature; "tree COUNT" with a line for each node, "NAME THRESHOLD
     * LEFT" or "leaf VALUE"; "end". Numbers are read back exactly. */
    [[nodiscard]] std::string text() const;

    /** exp(trust(row) * bounded(output(row))). Precondition, of all three: a row of features(), or,
     * without trees, anything. */
    [[nodiscard]] double factor(std::span<const float> row) const;
    /** Sum of the trees' leaves: log of the factor before it is bounded and shrunk. */
    [[nodiscard]] double output(std::span<const float> row) const;
    /** From 1, where all features that trees ask for are within what they were in the rows that the
     * correction was fitted to, to 0, where kForeign of them are outside. */
    [[nodiscard]] double trust(std::span<const float> row) const;

    /** L tanh(output / L), L = log(kLargest): close to `output` where that is small. */
    [[nodiscard]] static double bounded(double output);

    /** Changes with the trees and ranges; names the model in records. */
    [[nodiscard]] std::uint64_t model_hash() const;
    [[nodiscard]] const std::string& note() const { return note_; }
    [[nodiscard]] std::size_t tree_count() const { return roots_.size(); }
    /** Copies of the trees. */
    [[nodiscard]] std::vector<Tree> trees() const;
    [[nodiscard]] const std::vector<FeatureRange>& ranges() const { return ranges_; }

    bool operator==(const Correction&) const = default;

  private:
    static constexpr double kForeign = 0.5;  // share of the features

    [[nodiscard]] std::string body() const;  // text() behind the model's hash

    std::vector<TreeNode> nodes_;       // of all trees; `left` is an index into these
    std::vector<std::int32_t> roots_;   // where each tree begins
    std::vector<FeatureRange> ranges_;  // one a feature; none without trees
    std::vector<std::int32_t> asked_;   // features that any tree asks for
    std::string note_;
};

}  // namespace nestor
