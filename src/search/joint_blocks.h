#pragma once
// Blocks of rows in a function and in all that is computed for it, as one decision.

#include <functional>

#include "search/plan.h"

namespace nestor {

/** Calls visit(changed plan) with blocks of twice and of half as many points along each long
 * dimension, other than that of its vectors, of each stage of `function`, and of what is read along
 * it and computed at loops, at any depth (what is inlined hands on). Nothing where that is the
 * function alone: this is a single move (moves.h).
 *
 * One function with blocks of two rows whose producers have single ones, or the other way round, is
 * no better than before, so that single moves do not get there. For what follows a first descent:
 * in that, they lead it elsewhere (docs/RESULTS.md, "Blocks of several functions"). */
void for_each_joint_block(const PipelineDag& dag, const Plan& plan, int function,
                          const std::function<void(const Plan&)>& visit);

}  // namespace nestor
