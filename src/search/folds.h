#pragma once
// Circular buffers for what slides.

#include "cost/cost_model.h"

namespace nestor {

/** The same with `Fold` for each function that slides and was found to allocate a good deal more
 * than the circular buffer that it needs: `allocated`, by lowering; null: for all that slide.
 * Halide 21 folds storage by itself only where it proves that the window moves one way and has a
 * constant size; told to, it checks as much in each iteration when the program runs. The buffers
 * are long enough for windows that a tail makes longer, by less than one step. */
[[nodiscard]] Schedule with_folds(const PipelineDag& dag, Schedule schedule, const Machine& machine,
                                  const AllocatedBytes* allocated = nullptr);

}  // namespace nestor
