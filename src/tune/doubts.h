#pragma once
// Times that are too good to be believed at once.

#include "measure/measurement.h"

namespace nestor {

/** Whether it was timed beside an anchor and is so much faster than the best before that it may be
 * luck, which all that comes after would be compared with: an anchor whose threads share a
 * processor for a while takes three times its time, and what is beside it seems three times as
 * fast, in all of its samples. `best`: seconds; 0: there is none. */
[[nodiscard]] bool is_doubtful(const Measurement& measurement, double best);

/** Of two measurements of one schedule the one that claims less: the slower one, or a failure. */
[[nodiscard]] Measurement more_modest(const Measurement& one, const Measurement& other);

}  // namespace nestor
