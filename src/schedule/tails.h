#pragma once
// What tails do to a dimension.

#include <cstdint>
#include <vector>

#include "schedule/schedule.h"

namespace nestor {

/** The tail that Halide takes for split number `level` of a dimension: Tail::Auto resolved as
 * Stage::split does. */
[[nodiscard]] Tail resolved(Tail tail, LoopKind kind, int stage, std::size_t level);

/** Iterations beyond the extent do nothing. */
[[nodiscard]] bool is_guard(Tail tail);
/** RoundUp and its relatives: a multiple of the factor is stored. */
[[nodiscard]] bool stores_beyond(Tail tail);
/** The tail is moved inwards: at least one whole inner loop is stored. */
[[nodiscard]] bool moves_inwards(Tail tail);

/** Whether a dimension with these splits is computed for points that nobody asked for, at some
 * extent. */
[[nodiscard]] bool computes_more(const std::vector<Split>& splits, const StageDim& dim, int stage);

/** Whether a dimension has a guard that is not known to hold always. */
[[nodiscard]] bool has_guard(const LoopNest& nest, const std::vector<StageDim>& dims, int stage,
                             int dim);
/** The same of these splits. */
[[nodiscard]] bool has_guard(const std::vector<Split>& splits, const StageDim& dim, int stage);

/** Points that are stored along a dimension of extent `extent`, tails included, with splits number
 * `first` and later. */
[[nodiscard]] std::int64_t stored_extent(std::int64_t extent, const std::vector<Split>& splits,
                                         LoopKind kind, int stage, std::size_t first = 0);

}  // namespace nestor
