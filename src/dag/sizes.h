#pragma once
// The sizes that a pipeline is scheduled for, as a text that names them.

#include <string>

#include "dag/pipeline_dag.h"

namespace nestor {

/** The estimated extents of outputs, then of inputs, "1536x2560x3;1536x2560x3": dimension 0 first,
 * with the minimum ("2+640") where it is not 0, "?" where there is no estimate; "scalar" for no
 * dimensions. Inputs that are embedded in the program are left out: they are the algorithm's. */
[[nodiscard]] std::string sizes_text(const PipelineDag& dag);

}  // namespace nestor
