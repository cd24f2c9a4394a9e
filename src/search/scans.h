#pragma once
// Scans: sums of all that is above, recursive filters, and the like. All of a scan is needed at
// once, so that it wants strips from one end to the other.

#include "dag/pipeline_dag.h"

namespace nestor {

/** An update that goes along a dimension in steps of which each needs the one before. */
[[nodiscard]] bool is_scan(const Stage& stage);

[[nodiscard]] bool has_scans(const PipelineDag& dag);

}  // namespace nestor
