#pragma once
// A fault of Halide 21: its code generator gives up ("base >= 0") where the elements of a masked
// vector go down from a known place and the last of them, which are masked, lie before the memory:
// f(230 - x) in a last vector that reaches beyond x = 230.

#include <string>

#include "halide/halide.h"

namespace nestor {

/** The name of the first memory that is accessed so; empty: there is none. `lowered`: as
 * nestor::lower() returns it. */
[[nodiscard]] std::string memory_before_its_beginning(const Halide::Internal::Stmt& lowered);

}  // namespace nestor
