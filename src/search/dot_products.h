#pragma once
// Steps of a reduction of narrow integers that are summed within vectors: several decisions at
// once, because the instructions for it want the factors of a sum next to each other.

#include <functional>

#include "search/plan.h"

namespace nestor {

/** Calls visit(changed) for the plan with the function's sums of products taken several steps at a
 * time, in each of the ways that the machine has, and with what both the steps and the lanes read
 * packed: a few steps at a time as they are needed, or, where its memory is no longer than these
 * steps along them, wherever that may be. Nothing for other functions. */
void for_each_dot_product(Builder& builder, const Plan& plan, int function,
                          const std::function<void(const Plan&)>& visit);

}  // namespace nestor
