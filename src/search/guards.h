#pragma once
// A second form of a schedule, for when the first does not lower in time.

#include "schedule/schedule.h"

namespace nestor {

/** The same with guards around the last rows of blocks in what is computed at loops. Where many
 * functions read one whose region is rounded up in such a way, Halide's simplifier may not come to
 * an end (max_filter); with guards, regions stay as they are. */
[[nodiscard]] Schedule with_guarded_blocks(Schedule schedule);

}  // namespace nestor
