#pragma once
// Functions whose memory LLVM does away with.

#include "cost/schedule_facts.h"

namespace nestor {

/** Whether a function's values stay in registers from where they are computed to where they are
 * read: its memory lives in one iteration of a loop, in which no loop that is not unrolled goes
 * over it, so that each access is to a place that the compiler knows; vectors are read as they were
 * stored; and there are registers for all of it. (LLVM's "scalar replacement of aggregates", SROA.)
 */
[[nodiscard]] bool stays_in_registers(ScheduleFacts& facts, int function);

/** Whether all of a function's stores before it is read are to places that the compiler knows, in
 * one stretch of code: what is loaded otherwise than it was stored is then a shuffle of what the
 * stores had in registers, and loads of single elements of memory if not. */
[[nodiscard]] bool is_stored_at_known_places(ScheduleFacts& facts, int function);

}  // namespace nestor
