#pragma once
// Work that Ctrl-C ends in order.

namespace nestor {

/** From now on the first SIGINT or SIGTERM ends the work in order (see is_interrupted()), the
 * second one at once. */
void end_on_signals();

[[nodiscard]] bool is_interrupted();

}  // namespace nestor
