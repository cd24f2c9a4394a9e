#pragma once
// The nests of a stage for sizes and choices that are known when it runs only.

#include "search/plan.h"

namespace nestor {

/** A nest for each value of the stage's selector, if the plan wants them. */
void add_selected(const Stage& stage, const NestPlan& plan, StageSchedule& schedule);

/** Nests where all of the pipeline's assumptions hold, of what is not computed in the loops of an
 * output's definition (add_sizes) and has other code then: Halide leaves out guards, and knows the
 * size of what is computed inside. Otherwise nothing is unrolled. */
void add_assumed(const PipelineDag& dag, Schedule& schedule);

/** Nests of an output with one definition, and of what is computed in its loops, by the output's
 * size. Guards at the ends of tiles keep Halide from knowing their extents, and so from sliding and
 * folding what is computed inside: where there is at least one whole tile, the last one is moved
 * inwards instead. What is left for smaller ones is guarded, and kept small.
 * Where the output does something else at every second point, say (`modulus`, one a dimension),
 * such a nest comes twice: first for outputs that begin at a multiple and are multiples long, in
 * which Halide knows at which point each copy is, if tiles are multiples, too. */
void add_sizes(const PipelineDag& dag, int output, const std::vector<int>& modulus,
               Schedule& schedule);

/** A nest of a function at root that is no output and has guards, for outputs that are large enough
 * to need whole tiles of it: there the last one is moved inwards instead. Nothing where that does
 * not follow from any output's size, or the function has updates. */
void add_sizes_of_root(const PipelineDag& graph, int function, Schedule& schedule);

/** The same for an update of an output that has no reduction: the last tile along what is not
 * parallel is moved inwards, and what is there already stays (ShiftInwardsAndBlend). What is
 * computed in its loops has memory of constant size, as sums have. */
void add_update_sizes(const PipelineDag& dag, int output, int stage, Schedule& schedule);

/** Nests of what is at root and reads or writes (itself or in its loops) buffers whose strides
 * nothing constrains, for each of the pipeline's layouts: Halide knows then which elements are next
 * to each other. Otherwise vectors have no guards. */
void add_layouts(const PipelineDag& dag, Schedule& schedule);

/** Memory of constant size for sums that are computed in the loops of their reader: behind a guard,
 * Halide does not know how much is needed, and LLVM keeps no sums in registers whose distances it
 * does not know. */
void add_storage_of_sums(const PipelineDag& dag, Schedule& schedule);

}  // namespace nestor
