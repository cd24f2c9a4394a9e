#pragma once
// What is known where all of PipelineDag::assumptions hold.

#include <vector>

#include "schedule/placement.h"

namespace nestor {

/** Whether assumptions say all about the dimension of `f` that a loop goes along. */
[[nodiscard]] bool is_assumed(const Function& f, const Loop& loop);

/** All of them, as conditions on a stage of a function. */
[[nodiscard]] std::vector<ExtentCondition> all_assumptions(const PipelineDag& dag, int function);

/** Whether the nest runs only where all assumptions hold. */
[[nodiscard]] bool needs_assumptions(const PipelineDag& dag, int function,
                                     const Specialization& special);

/** Whether the function is computed along all of its assumed dimensions at once. False where loops
 * around it may divide them: loops of assumed dimensions, and of reductions. */
[[nodiscard]] bool is_whole_along_assumed(const Placement& placement, int function);

}  // namespace nestor
