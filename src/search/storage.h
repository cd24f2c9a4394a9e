#pragma once
// Where memory of what is computed in loops comes from.

#include "schedule/schedule.h"

namespace nestor {

/** The same with `Memory::Stack` for what is stored in a serial loop and has no constant size
 * there. Halide allocates such memory in each iteration, and the C library may hand it back to the
 * system each time; on its stack, which is on the heap beyond a few KiB, once for a task. What has
 * a constant size stays as it is: Halide puts it on the real stack if it is small, and nobody knows
 * how much more a user's threads have room for. Small memory is there in any case; where Halide
 * cannot tell how small it is (blocks with guards: "at most 8 rows"), it would be allocated. */
[[nodiscard]] Schedule with_kept_storage(const PipelineDag& dag, Schedule schedule);

}  // namespace nestor
