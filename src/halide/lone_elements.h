#pragma once
// A fault of Halide 21: memory of a single element on the stack is aligned for that element only,
// while masked vectors that are loaded from it or stored to it are taken to be aligned as all
// vectors are: the program crashes, or not, by where the stack happens to be.

#include <string>

#include "halide/halide.h"

namespace nestor {

/** The first such memory; empty: there is none. `lowered`: as nestor::lower() returns it. */
[[nodiscard]] std::string lone_element_as_vector(const Halide::Internal::Stmt& lowered);

}  // namespace nestor
