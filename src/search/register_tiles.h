#pragma once
// Register tiles: the sums of a reduction that stay in registers over all of its steps, computed
// where the function that reads them needs so many. One decision about several numbers of two
// functions, which single moves would have to take uphill. (K. Goto, R. van de Geijn, "Anatomy of
// high-performance matrix multiplication", 2008, section 4.2.)

#include <functional>

#include "search/plan.h"

namespace nestor {

/** A tile fills one of so many parts of the registers, at least. */
constexpr int kLeastRegisterShare = 3;

/** Calls visit(changed plan) for register tiles of several shapes, as far as the machine's
 * registers go, of a function with a reduction that one definition reads point by
 * point, an update without a reduction as well. Any rank and type. */
void for_each_register_tile(Builder& builder, const Plan& plan, int function,
                            const std::function<void(const Plan&)>& visit);

}  // namespace nestor
