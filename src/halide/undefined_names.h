#pragma once
// Names that a lowered program uses and nothing defines: Halide's lowering can leave some behind,
// and only its code generator would notice.

#include <string>

#include "halide/halide.h"

namespace nestor {

/** The first variable, or memory that is loaded or stored, which is no argument and which no let,
 * loop or allocation around the place defines. Empty if all are defined. `lowered`: with the loops
 * of the pipeline in one statement, as nestor::lower() returns it. */
[[nodiscard]] std::string undefined_name(const Halide::Internal::Stmt& lowered);

}  // namespace nestor
