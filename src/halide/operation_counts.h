#pragma once
// What Halide's calls cost, as kinds of arithmetic.

#include "dag/pipeline_dag.h"
#include "halide/halide.h"

namespace nestor {

/** What arithmetic on elements of a type is done in: 16-bit floats are widened, booleans are bytes.
 */
[[nodiscard]] ElementType element_of(const Halide::Type& type);

[[nodiscard]] ScalarType scalar_type(const Halide::Type& type);

/** Adds one conversion whose result changes with `loops`. */
void count_cast(const Halide::Type& from, const Halide::Type& to, LoopSet loops, OpCounts& ops);

/** Adds one evaluation of a call that is no load, without its operands; its result changes with
 * `loops`. Operations of fixed-point arithmetic count as what x86 makes of them. */
void count_call(const Halide::Internal::Call* call, LoopSet loops, OpCounts& ops);

}  // namespace nestor
