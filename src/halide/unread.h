#pragma once
// Functions that are computed and that nothing reads: Halide 21 crashes while it infers their
// bounds.

#include <string>

#include "halide/halide.h"

namespace nestor {

/** The name of a function of the pipeline that has a place to be computed, or cannot be inlined,
 * and that is read only for elements of inlined tuples that are not read themselves, or where
 * nothing is left of what is read: definitions that are specialised are simplified before their
 * bounds are inferred (`f(x) - f(x)`). Empty if there is none. Changes nothing in the pipeline. */
[[nodiscard]] std::string unread_function(const Halide::Pipeline& pipeline);

}  // namespace nestor
