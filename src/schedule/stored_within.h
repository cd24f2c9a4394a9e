#pragma once
// How much memory a function has at most, whatever the sizes of the outputs.

#include <cstdint>
#include <optional>

#include "schedule/placement.h"

namespace nestor {

/** The most elements along a dimension that are stored for one iteration of the loop at which a
 * function is computed, in every run. Known where a single definition reads it point by point, and
 * splits that dimension by a constant around the loop, or has no loop along it inside; where the
 * function's updates stay at their own points; nothing elsewhere. */
[[nodiscard]] std::optional<std::int64_t> stored_within(const Placement& placement, int function,
                                                        int dim);

}  // namespace nestor
