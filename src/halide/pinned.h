#pragma once
// Which functions Nestor leaves exactly as they are.

#include <optional>
#include <string>

#include "halide/parts.h"

namespace nestor {

/** Why a function's schedule is not to be touched: the user scheduled it, runs it on a device, gave
 * it wrappers, or named one of its loops in another function's schedule. None if it is Nestor's to
 * schedule. */
[[nodiscard]] std::optional<std::string> pinned_reason(const PipelineParts& parts,
                                                       const HalideFunction& f);

/** Position in parts.order of the function at a loop of which the user computes this one; -1 if it
 * is at root, inlined, or not the user's. */
[[nodiscard]] int pinned_inside(const PipelineParts& parts, const HalideFunction& f);

}  // namespace nestor
