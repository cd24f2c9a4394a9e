#pragma once
// Of which outputs a function's tiles are whole.

#include <cstdint>
#include <optional>

#include "schedule/schedule.h"

namespace nestor {

/** How large an output has to be for at least so many points of a function along a dimension to be
 * needed, by the first of its readers that says anything about it, and the first of that one's, and
 * so on; the output is named. Nothing where these end: what is read at clamped places, or where the
 * data tell. */
[[nodiscard]] std::optional<ExtentCondition> enough_for(const PipelineDag& graph, int function,
                                                        int dim, std::int64_t points);

}  // namespace nestor
