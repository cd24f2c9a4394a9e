#pragma once

#include "halide/halide.h"
#include "machine/machine.h"
#include "machine/profiles.h"

namespace nestor {

/** The type that an ElementType stands for. */
[[nodiscard]] Halide::Type halide_type(ElementType type);

/** The shipped profile that fits the target's features best. Others than those that Nestor has a
 * profile for (PowerPC, x86 without SSE4.1) get that of SSE4.1. */
[[nodiscard]] InstructionSet instruction_set_of(const Halide::Target& target);

/** That profile, with the vector widths that Halide calls natural for the target. */
[[nodiscard]] Machine machine_of(const Halide::Target& target);

}  // namespace nestor
