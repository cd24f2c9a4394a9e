#pragma once
// Applying a schedule to a Halide pipeline: the execution of the directive list.

#include <vector>

#include "base/result.h"
#include "halide/halide.h"
#include "schedule/schedule.h"

namespace nestor {

/** The pipeline's functions in the order of dag.functions, found by FuncId (stem and rank),
 * whatever counters this process put into the names. An error if the pipeline is another one. */
[[nodiscard]] Result<std::vector<Halide::Func>> bind_functions(const Halide::Pipeline& pipeline,
                                                               const PipelineDag& dag);

/** A copy with its own functions and schedules (requirements are kept; Parameters are shared). */
[[nodiscard]] Halide::Pipeline deep_copy(const Halide::Pipeline& pipeline);

/** Executes directives(dag, schedule) on the pipeline's own functions. On an error (a
 * Halide::Error, with its text) the pipeline is left half-scheduled: try it on a deep_copy first.
 */
[[nodiscard]] Status apply(const Halide::Pipeline& pipeline, const PipelineDag& dag,
                           const Schedule& schedule);

/** The same, only for runs at the estimates: at other sizes the pipeline ends with an error when it
 * runs, and a part of the code is saved (see schedule/cases_at_estimates.h). */
[[nodiscard]] Status apply_for_estimates(const Halide::Pipeline& pipeline, const PipelineDag& dag,
                                         const Schedule& schedule);

}  // namespace nestor
