#pragma once
// What two plans of one graph do well, in one plan.

#include "cost/evaluator.h"
#include "schedule/legality.h"
#include "search/descent.h"
#include "search/plan.h"

namespace nestor {

/** Takes over from `other` what it decides about functions that are computed together in either
 * plan (a function at root with all in its loops), one such set after the other, where that is
 * legal and predicted to be faster. */
[[nodiscard]] Found recombine(Builder& builder, Evaluator& evaluator, Found found,
                              const Found& other, const Caps& caps);

}  // namespace nestor
