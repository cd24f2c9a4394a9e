#pragma once
// Arithmetic: how many cycles an operation takes when many are independent, and when each waits for
// the one before.

#include "machine/machine.h"
#include "probe/survey.h"

namespace nestor::probe {

/** Vectors (or scalars) in registers, to each of which every repeat does the operation once, with
 * operands from memory that change from repeat to repeat so that the compiler cannot take several
 * together. Counts operations. */
[[nodiscard]] KernelCode throughput_code(Arithmetic operation, ElementType type, Width width);

/** The same with one vector (or scalar). On integers another operation of one cycle follows each,
 * for the same reason, and several pairs make a repeat, so that the loop itself is never slower. */
[[nodiscard]] KernelCode latency_code(Arithmetic operation, ElementType type, Width width);

/** For machine.operations, at the widths that it knows any of. */
void survey_operations(Survey& survey, Machine& machine);

}  // namespace nestor::probe
