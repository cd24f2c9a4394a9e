#pragma once
// What two plans of one graph do well, in one plan.

#include "cost/evaluator.h"
#include "schedule/legality.h"
#include "search/descent.h"
#include "search/plan.h"

namespace nestor {

/** Takes over from `other` what it decides about functions that neither plan computes in the loops
 * of others, one such set after the other, where that is legal and predicted to be faster. */
[[nodiscard]] Found recombine(Builder& builder, Evaluator& evaluator, Found found,
                              const Found& other, const Caps& caps);

}  // namespace nestor
