#include "cost/body.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cost/conditions.h"
#include "cost/multiples.h"

namespace nestor {

Body::Body(ScheduleFacts& facts, const NestFacts& nest, int apart)
    : rolled(nest.innermost_rolled()) {
    const Function& f = facts.graph().functions[nest.function];
    const Stage& stage = f.stages[nest.stage];
    // Of the first of so many points, only where the definition says something about it.
    const auto multiple = [&](int dim, double points) -> std::int64_t {
        if (nest.expansion->periods[dim] == 1) {
            return 1;
        }
        const Loop& loop = stage.loops[dim];
        const bool fixed = loop.is_reduction() ? loop.constant_extent : f.constant[loop.position];
        if (loop.is_reduction() && !fixed) {
            return 1;
        }
        return std::gcd(
            fixed ? loop.range.min : known_multiple(facts, nest.function, loop.position),
            static_cast<std::int64_t>(points));
    };
    if (f.joined) {
        conditions = static_cast<double>(f.types.size());
    }
    for (std::size_t i = 0; i < rolled; i++) {
        const LoopFacts& loop = nest.loops[i];
        const int dim = loop.site.loop.dim;
        if (loop.run == LoopRun::Vector) {
            vector_dim = dim;
            this->apart = apart;
            lanes = loop.trips / apart;
            if (apart > 1) {
                copies.push_back({dim, this->apart, 1, apart});
                all_copies *= apart;
            }
        } else if (loop.run == LoopRun::Dot) {
            dot_dim = dim;
            steps_in_vector = static_cast<int>(loop.trips);
        } else {
            all_copies *= loop.trips;
            if (loop.trips > 1 && copies_are_guarded(facts, nest, dim)) {
                guarded *= loop.trips;
            } else {
                copies.push_back(
                    {dim, loop.trips, loop.stride, multiple(dim, loop.trips * loop.stride)});
            }
        }
    }
}

Instructions instructions(const Machine& machine, ElementType type, double lanes) {
    if (lanes <= 1) {
        return {};
    }
    const double natural = std::max(machine.vector_bytes[type].value, 1.0);
    const double bytes = lanes * bytes_of(type);
    const double each = std::min(natural, bytes);
    Width width = Width::Bytes16;
    while (width < Width::Bytes128 && bytes_of(width, type) < each) {
        width = static_cast<Width>(static_cast<int>(width) + 1);
    }
    return {width, std::ceil(bytes / std::max(natural, 16.0))};
}

}  // namespace nestor
