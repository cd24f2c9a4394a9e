#pragma once
// The conditions that are left in the code of a stage: of borders, where vectors become gathers,
// and of tails.

#include "cost/schedule_facts.h"

namespace nestor {

/** Share of the evaluations of a stage, from 0 to 1, for which Halide does not know that they are
 * away from the borders along a loop of the stage, that of its vectors, where what it reads ends:
 * Halide takes the first and the last iteration out of a loop that may be partitioned and runs more
 * than once, with all that is computed inside (lowering pass "partition loops"); where there is no
 * such loop, everything. Vectors are gathers there. */
[[nodiscard]] double border_share(ScheduleFacts& facts, const NestFacts& nest, int loop_dim);

/** Whether each unrolled copy of a stage's body along one of its loops has a condition of its own:
 * the tail is a guard, Halide does not know that it always holds, and no loop may be partitioned
 * into iterations for which it does. What is computed together always has: Halide 21 asks for each
 * function, whatever their sizes are. */
[[nodiscard]] bool copies_are_guarded(ScheduleFacts& facts, const NestFacts& nest, int loop_dim);

/** Share of the iterations of a stage's vectors, along one of its loops, of which Halide does not
 * know that all lanes are wanted: it masks their loads and stores. That is the last one of a loop
 * that may be partitioned, unless the blocks come out even at the estimates, and each where there
 * is no such loop. */
[[nodiscard]] double masked_share(ScheduleFacts& facts, const NestFacts& nest, int loop_dim);

}  // namespace nestor
