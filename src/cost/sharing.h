#pragma once
// What unrolled copies of a body have in common, as far as compilers see it.

#include <vector>

#include "cost/body.h"

namespace nestor {

/**
 * Families that copies of a body do not share, though they read the same. Of f(x, y - 1) + f(x, y +
 * 1), Halide computes the index of (x, y) once in each copy and adds a multiple of the distance of
 * rows for each of the two. Unless that is a constant, or rows are counted from where the copies
 * begin, or from the first one of a circular buffer, LLVM does not see that row y + 1 of one copy
 * is row y - 1 of another one: what is read there is loaded, and what is inlined computed, once for
 * each. Seen in the code of Halide 21 for sums of five rows in blocks of four: 20 loads instead
 * of 8.
 */
class Sharing {
  public:
    /** Keeps references. */
    Sharing(ScheduleFacts& facts, const NestFacts& nest, const Body& body);

    /** Coordinates of a family along which copies share nothing: Family::distinct(). The family is
     * one of the nest's expansion, loaded or inlined, and no copy of it. */
    [[nodiscard]] LoopSet apart(const Family& family) const;

    /** Whether neighbours along a coordinate of what is loaded are a constant distance apart. */
    [[nodiscard]] bool has_known_distance(const Family& family, int coordinate) const;

  private:
    [[nodiscard]] bool moves_with_copies(const Coordinate& coordinate) const;
    [[nodiscard]] LoopSet apart_of_load(const Family& family) const;
    [[nodiscard]] bool counts_from_copies(const Family& family, int coordinate) const;

    ScheduleFacts& facts_;
    const NestFacts& nest_;
    const Body& body_;
    std::vector<LoopSet> of_loads_;  // coordinates of each of the expansion's loads
    LoopSet apart_ = 0;  // loops of the nest, over copies that do not share what they load
};

}  // namespace nestor
