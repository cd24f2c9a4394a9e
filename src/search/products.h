#pragma once
// Products: sums of two factors, each of which is used again and again.

#include "dag/pipeline_dag.h"

namespace nestor {

/** Whether a load is of another place in other steps of its stage's reduction. */
[[nodiscard]] bool changes_with_reduction(const Stage& stage, const Load& load);

/** An update along a reduction with two factors, of which each is shared by all points along some
 * dimension in which the other one changes: a product of matrices, a convolution of many channels.
 */
[[nodiscard]] bool is_product(const Stage& stage);

[[nodiscard]] bool has_products(const PipelineDag& dag);

}  // namespace nestor
