#pragma once
// Less code where it costs little time: every node is lowered by Halide and compiled by LLVM, while
// the user waits.

#include "cost/evaluator.h"
#include "schedule/legality.h"
#include "search/descent.h"
#include "search/limits.h"
#include "search/plan.h"

namespace nestor {

/** Halves blocks (NestPlan::block) of a plan whose code is large, one after the other, as long as
 * what that saves is worth more than what it costs. Leaves alone what compiles in about a second.
 */
[[nodiscard]] Found simplify(Builder& builder, Evaluator& evaluator, Found found, const Caps& caps,
                             const Limits& limits);

}  // namespace nestor
