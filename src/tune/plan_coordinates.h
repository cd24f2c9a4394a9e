#pragma once
// Plans as points, so that what was measured of one says something of others like it.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "search/lineage.h"
#include "search/space.h"

namespace nestor {

/**
 * Gives each decision of a plan a coordinate: sizes by their logarithms (half of one a doubling),
 * choices by a half where they are made and 0 elsewhere, so that the sum of differences counts what
 * two plans decide differently. Decisions about functions of one name in several spaces are the
 * same ones.
 */
class PlanCoordinates {
  public:
    /** Keeps a reference. */
    explicit PlanCoordinates(std::span<const Space> spaces) : spaces_(spaces) {}

    /** Those that follow, up to the next call's, are 0. */
    [[nodiscard]] std::vector<float> of(const Lineage& lineage);

  private:
    [[nodiscard]] std::size_t place(std::uint64_t key);

    std::span<const Space> spaces_;
    std::unordered_map<std::uint64_t, std::size_t> places_;  // by decision
};

}  // namespace nestor
