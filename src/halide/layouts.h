#pragma once
// How pictures lie in memory where nothing constrains it.

#include "dag/pipeline_dag.h"
#include "halide/parts.h"

namespace nestor {

/** Finds PipelineDag::layouts, and gives the buffers the strides of the first. `dag` has its
 * inputs, functions and outputs. */
void assume_layouts(const PipelineParts& parts, PipelineDag& dag);

}  // namespace nestor
