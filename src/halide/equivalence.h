#pragma once
// Are two lowered statements the same program? Halide makes generated names unique by counters of
// the process, so two lowerings of one pipeline differ in names.

#include <string>

#include "halide/halide.h"

namespace nestor {

/** Empty if the statements are equal modulo a consistent (one-to-one) renaming of variables,
 * functions and buffers; otherwise the first difference, with a few lines of each around it. */
[[nodiscard]] std::string difference(const Halide::Internal::Stmt& a,
                                     const Halide::Internal::Stmt& b);

}  // namespace nestor
