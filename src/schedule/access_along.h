#pragma once
// What a function reads and stores for neighbours along one of its dimensions.

#include <cstdint>

#include "schedule/placement.h"

namespace nestor {

constexpr std::int64_t kScattered = 1000;  // as a distance: anything

struct AccessAlong {
    double rate = 1;            // the largest number of points that it reads for one of its own
    std::int64_t distance = 1;  // the largest in memory, in elements, or kScattered
    // It meets the border of something that it reads there, or an index is computed.
    bool border = false;
};

/** Through what is inlined into the function. */
[[nodiscard]] AccessAlong access_along(const Placement& placement, int function, int dim);

}  // namespace nestor
