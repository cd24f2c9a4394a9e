#pragma once
// Which function is which: Halide's names carry counters of the process, a FuncId does not.

#include <map>
#include <string>

#include "dag/types.h"
#include "halide/halide.h"

namespace nestor {

using Environment = std::map<std::string, Halide::Internal::Function>;

/** All functions reachable from the outputs, by Halide's name, with the wrappers that the schedule
 * makes. Throws Halide::Error if two of them share a name. */
[[nodiscard]] Environment environment(const Halide::Pipeline& pipeline);

/** Halide's name -> identity. Functions of one stem are ranked in the order of their creation,
 * which the counters in their names tell in every process that builds the pipeline in the same way.
 */
[[nodiscard]] std::map<std::string, FuncId> identify(const Environment& env);

}  // namespace nestor
