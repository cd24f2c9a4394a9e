#pragma once
// Further forms of a schedule, for when the first is refused once it is lowered.

#include <cstdint>

#include "schedule/schedule.h"

namespace nestor {

enum class Guards : std::uint8_t {
    None,  // but for those that the schedule has
    /** Around the last rows of blocks in what is computed at loops. Where many functions read one
     * whose region is rounded up in such a way, Halide's simplifier may not come to an end
     * (max_filter); with guards, regions stay as they are. */
    Blocks,
    /** Around all tails, of vectors too, in what is clamped at a constant (Ends::OfInputsOnly), and
     * no region of that is aligned: at sizes for which the constant is far away, it would read more
     * than it has to. What is at root has a case without guards (add_sizes_of_root). */
    ConstantEnds,
};

/** The same with more guards. */
[[nodiscard]] Schedule with_guards(const PipelineDag& dag, Schedule schedule, Guards guards);

}  // namespace nestor
