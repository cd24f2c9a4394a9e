#pragma once
// Fits a Correction to measured schedules.

#include <span>

#include "base/result.h"
#include "cost/correction.h"
#include "cost/features.h"

namespace nestor {

/** A measured schedule. */
struct Example {
    GroupRows groups;
    double measured_seconds = 0;
    double weight = 1;
    /** Examples of one family (a pipeline, at one size, on one machine with so many threads) are
     * compared with each other, and with no others. */
    int family = 0;
};

/** What scripts/judge_correction.py found to do least harm with few examples (docs/cost-model.md).
 */
struct TrainOptions {
    int rounds = 40;         // trees that are added
    int depth = 3;           // of a tree, at most
    double rate = 0.15;      // share of the best step that a tree takes
    double least = 2;        // examples, in weight, that a leaf is of
    double leaf = 2;         // examples that say 0 in each leaf
    double shrinkage = 0.1;  // of the output towards 0: of each row, by the share of its example
    /** The faster, the more an example counts: weight * (fastest of its family / measured)^this. */
    double fast = 0.5;
    /** Parts of the examples that are left out in turns, to see how much of what is learned is so
     * for others; the new trees say that share of what they were fitted to, none if there is
     * nothing in it. 1: not asked, all of it. */
    int folds = 5;
    double doubt = 1;  // standard errors of that share that are taken off it
    int fewest = 8;    // examples; no trees are added with fewer
};

/**
 * Least squares of log(corrected / measured), up to a constant for each family, which is not kept:
 * what the model says of all schedules of a pipeline on a machine alike changes no choice. So the
 * corrected times are as far off as the model's are, but in a better order. Gradient boosting with
 * XGBoost (T. Chen and C. Guestrin, 2016, section 2.2) on the rows of all groups: of an example's
 * residual r, the gradient with respect to the output of group g is r s_g, where s_g is the group's
 * share of the corrected time; for the second derivative, s_g is an upper bound that is right if
 * all groups of an example end up in one leaf.
 *
 * What was learned is then scaled by how far it is so for examples that are left out (stacked
 * regression: L. Breiman, 1996), of several families for whole families, down to nothing.
 *
 * `prior`: trees that are kept, and that new ones are added to; none: none. Deterministic, on one
 * thread. An Error without examples, for what is no time, or for rows of another width than
 * features().
 */
[[nodiscard]] Result<Correction> fit(std::span<const Example> examples, const TrainOptions& options,
                                     const Correction* prior = nullptr);

/** Sum of the groups' seconds times their factors; without a correction, of the seconds. */
[[nodiscard]] double corrected_seconds(const GroupRows& groups, const Correction* correction);

}  // namespace nestor
