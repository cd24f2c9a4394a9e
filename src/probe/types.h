#pragma once

#include "halide/halide.h"
#include "halide/target_machine.h"
#include "machine/machine.h"

namespace nestor::probe {

/** Lanes of an operation of that width; 1 for scalars. */
[[nodiscard]] int lanes_of(Width width, ElementType type);

/** A buffer of numbers on which arithmetic can go on for ever: rows of `row` elements that are
 * alternately 2 and 0.5 for floats, small odd numbers for integers. */
[[nodiscard]] Halide::Buffer<> operands(const Halide::Type& type, int elements, int row,
                                        const std::string& name);

}  // namespace nestor::probe
