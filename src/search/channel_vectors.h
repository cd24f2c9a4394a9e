#pragma once
// Vectors along channels: where all channels of a pixel are read at a place that only the data
// tell, they are loaded as one vector, if they lie side by side; along any other dimension it takes
// a gather for each element. (What structures of arrays are to arrays of structures, the other way
// around.)

#include <functional>

#include "search/plan.h"

namespace nestor {

/** Whether any definition reads channels at such places. */
[[nodiscard]] bool reads_channels_by_data(const PipelineDag& dag);

/** Calls visit(changed plan) with a function's short dimensions as its vectors, where it reads
 * others, itself or through what is inlined, at places that change with the data and not with the
 * channel. What is read has its channels side by side; both are padded to a power of two where
 * nothing reads further than it may. A function that was inlined is computed in the innermost loop
 * of what reads it. */
void for_each_channel_vector(Builder& builder, const Plan& plan, int function,
                             const std::function<void(const Plan&)>& visit);

}  // namespace nestor
