#pragma once
// Facts about single loops of a nest. Loop references are valid ones (has_loop) unless it says
// otherwise.

#include <cstdint>
#include <vector>

#include "schedule/schedule.h"

namespace nestor {

/** Splits of a dimension, outermost first. */
[[nodiscard]] const std::vector<Split>& splits_of(const LoopNest& nest, int dim);

/** Number of splits of a dimension. */
[[nodiscard]] int split_count(const LoopNest& nest, int dim);

/** Whether the nest has that loop. */
[[nodiscard]] bool has_loop(const LoopNest& nest, const std::vector<StageDim>& dims, LoopRef loop);

/** Iterations of a loop at the estimates, tails included. */
[[nodiscard]] std::int64_t loop_extent(const LoopNest& nest, const std::vector<StageDim>& dims,
                                       LoopRef loop);

/** Whether loop_extent() holds for every run: loops inside of a split, and all of a constant
 * dimension. */
[[nodiscard]] bool has_constant_extent(const std::vector<StageDim>& dims, LoopRef loop);

/** How far one iteration of the loop moves along its dimension: the extent of what is split off
 * inside. */
[[nodiscard]] std::int64_t loop_stride(const LoopNest& nest, LoopRef loop);

/** What the places of a loop's iterations and of those around it are apart along a dimension: the
 * greatest common divisor of these loops' strides along it; 0 if there are none. `dims` is for the
 * usual order. */
[[nodiscard]] std::int64_t stride_around(const LoopNest& nest, const std::vector<StageDim>& dims,
                                         LoopRef loop, int dim);

/** Whether the only split of a dimension says how many iterations of the loop over it a parallel
 * task runs, one after the other. */
[[nodiscard]] bool makes_tasks(const LoopNest& nest, int dim);

/** Position among innermost-first loops, or -1. */
[[nodiscard]] int position(const std::vector<LoopRef>& order, LoopRef loop);

}  // namespace nestor
