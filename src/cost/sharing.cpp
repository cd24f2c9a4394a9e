#include "cost/sharing.h"

#include <algorithm>

namespace nestor {

namespace {

bool moves_with(const Coordinate& coordinate, int dim) {
    return static_cast<std::size_t>(dim) < coordinate.rates.size() && coordinate.rates[dim] != 0;
}

}  // namespace

Sharing::Sharing(ScheduleFacts& facts, const NestFacts& nest, const Body& body)
    : facts_(facts), nest_(nest), body_(body) {
    for (const Family& family : nest.expansion->loads) {
        const LoopSet coordinates = of_loads_.emplace_back(apart_of_load(family));
        for (const Copies& each : body.copies) {
            for (int c = 0; c < std::ssize(family.coords); c++) {
                if (contains(coordinates, c) && each.count > 1 &&
                    moves_with(family.coords[c], each.dim)) {
                    apart_ |= loop_set(each.dim);
                }
            }
        }
    }
}

LoopSet Sharing::apart(const Family& family) const {
    const bool inlined =
        family.source == Source::Function && facts_.placement().is_transparent(family.index);
    if (!inlined) {
        return of_loads_[&family - nest_.expansion->loads.data()];
    }
    LoopSet result = 0;
    for (int c = 0; c < std::ssize(family.coords); c++) {
        const bool apart = std::ranges::any_of(body_.copies, [&](const Copies& each) {
            return contains(apart_, each.dim) && moves_with(family.coords[c], each.dim);
        });
        if (apart && family.box[c] > 1) {
            result |= loop_set(c);
        }
    }
    return result;
}

// A clamped row has a product of its own, too.
bool Sharing::moves_with_copies(const Coordinate& coordinate) const {
    return std::ranges::any_of(body_.copies, [&](const Copies& each) {
        return each.count > 1 && moves_with(coordinate, each.dim) &&
               !coordinate.is_clamped_along(each.dim);
    });
}

LoopSet Sharing::apart_of_load(const Family& family) const {
    LoopSet result = 0;
    for (int c = 0; c < std::ssize(family.coords); c++) {
        if (family.box[c] > 1 && moves_with_copies(family.coords[c]) &&
            !counts_from_copies(family, c)) {
            result |= loop_set(c);
        }
    }
    return result;
}

bool Sharing::has_known_distance(const Family& family, int coordinate) const {
    if (family.source == Source::Input) {
        return facts_.graph().inputs[family.index].embedded ||
               facts_.stride(Source::Input, family.index, coordinate) != 0;
    }
    return facts_.stride_is_constant(family.index, coordinate);
}

// Whether what lies between two copies is a constant in memory, or all that is stored begins where
// the copies do, or each row has a product of its own, as in a circular buffer.
bool Sharing::counts_from_copies(const Family& family, int coordinate) const {
    if (has_known_distance(family, coordinate)) {
        return true;
    }
    if (family.source == Source::Input) {
        return false;
    }
    if (facts_.is_folded(family.index, coordinate)) {
        return true;
    }
    const Level storage = facts_.placement().store(family.index);
    if (storage.kind != Level::Kind::At) {
        return false;
    }
    const Coordinate& moved = family.coords[coordinate];
    const LoopSite& store = storage.site;
    for (const LoopFacts& loop : nest_.loops) {
        if (loop.site == store) {
            return true;
        }
        if (loop.is_rolled() && moves_with(moved, loop.site.loop.dim)) {
            return false;
        }
    }
    const Level& computed = facts_.schedule().functions[nest_.function].compute;
    if (computed.kind != Level::Kind::At || computed.site.function != store.function ||
        computed.site.stage != store.stage) {
        return false;
    }
    const Span span =
        facts_.bounds().within(computed.site).span(Source::Function, family.index, coordinate);
    bool within = false;
    for (const LoopFacts& loop : facts_.nest(store.function, store.stage).loops) {
        within = within || loop.site == computed.site;
        if (loop.site == store) {
            return true;
        }
        if (within && loop.is_rolled() && (span.whole || span.rates[loop.site.loop.dim] != 0)) {
            return false;
        }
    }
    return false;
}

}  // namespace nestor
