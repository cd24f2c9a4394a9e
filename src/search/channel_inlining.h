#pragma once
// Inlining into channels: one move that is several decisions.

#include <functional>

#include "search/plan.h"

namespace nestor {

/** A function that is read at the same points by all channels of its readers (the normal of a
 * surface, by its three coordinates) is inlined, and these channels are copies of the code, so that
 * it is computed once for all of them. Inlined where channels are one after the other, it is
 * computed for each; and unrolled, with it in memory, they gain nothing: single moves would have to
 * go uphill. Calls visit(changed plan) if there is such a change. */
void for_each_inlining_into_channels(const PipelineDag& dag, const Plan& plan, int function,
                                     const std::function<void(const Plan&)>& visit);

}  // namespace nestor
