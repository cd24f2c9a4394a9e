#pragma once
// Definitions as text for people, and the hash that binds a schedule to its algorithm.

#include <cstdint>
#include <string>

#include "halide/parts.h"

namespace nestor {

/** "blur(x, y) = (in(x, y) + in(x + 1, y))/2" or "hist(r_x) += 1", without process-dependent names.
 * Right-hand sides of more than a few lines are shortened to what they read. `stage` 0 is the pure
 * definition. */
[[nodiscard]] std::string definition_text(const PipelineParts& parts, const HalideFunction& f,
                                          int stage);

/** Of all definitions, domains, extern stages, element types and pinned functions, in the parts's
 * order; not of sizes, estimates or process-dependent names. */
[[nodiscard]] std::uint64_t algorithm_hash(const PipelineParts& parts);

}  // namespace nestor
