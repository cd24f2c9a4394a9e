#pragma once
// What a function reads for neighbours along one of its dimensions.

#include <cstdint>

#include "schedule/placement.h"

namespace nestor {

constexpr std::int64_t kScattered = 1000;  // as a distance: anything

struct ReadAlong {
    double rate = 1;            // the largest number of points for one of its own
    std::int64_t distance = 1;  // the largest in memory, in elements, or kScattered
    // It meets the border of something there, or an index is computed.
    bool border = false;
};

/** Through what is inlined into the function. */
[[nodiscard]] ReadAlong read_along(const Placement& placement, int function, int dim);

/** Distance in memory, in elements, of what is `rate` points apart along a dimension, if it is one
 * that vectors have instructions for; otherwise kScattered. Halves and thirds of points take as
 * many vectors apart. */
[[nodiscard]] std::int64_t memory_distance(const Placement& placement, Source source, int index,
                                           int dim, double rate);

}  // namespace nestor
