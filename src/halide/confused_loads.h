#pragma once
// A fault of Halide 21: inside of the index of a load, two vectors of every second, third or fourth
// element of the same memory are taken for equal when they begin at different elements, so that
// lut(in(2*x) - in(2*x + 1)), as a vector over x, becomes lut(0). Likewise with %, < and ==.

#include <string>

#include "halide/halide.h"

namespace nestor {

/** The function with a vectorised loop in which that may happen, once everything that is inlined is
 * inlined; empty if there is none. Errs on the side of finding one. */
[[nodiscard]] std::string function_with_confused_loads(const Halide::Pipeline& scheduled);

}  // namespace nestor
