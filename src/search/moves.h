#pragma once
// Moves: single changes of a plan.

#include <functional>
#include <vector>

#include "search/plan.h"

namespace nestor {

/** Calls visit(changed plan) for every plan that differs from this one by a single decision about
 * one function. */
void for_each_neighbour(Builder& builder, const Plan& plan, int function,
                        const std::function<void(const Plan&)>& visit);

}  // namespace nestor
