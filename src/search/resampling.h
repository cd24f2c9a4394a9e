#pragma once
// Resampling along rows: a definition that reads neighbours at uneven distances (x * 1.7) has no
// vectors to load along the row, but whole vectors along the column. It is computed in these, from
// a transposed copy of what it reads, and transposed again afterwards.

#include <optional>

#include "search/plan.h"
#include "search/variant.h"

namespace nestor {

/** The pipeline with copies (`in()`) of what such definitions read and make, where that has updates
 * and so cannot be transposed itself; as it is if all of it can; none if there is no such
 * definition. */
[[nodiscard]] std::optional<Variant> resampled_by_columns(const PipelineDag& dag);

/** Has all of that variant's such functions computed by columns. */
void place_by_columns(const PipelineDag& graph, const Machine& machine, Plan& plan);

}  // namespace nestor
