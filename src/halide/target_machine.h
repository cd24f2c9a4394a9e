#pragma once

#include "halide/halide.h"
#include "machine/machine.h"

namespace nestor {

/** The machine that a target's features describe; never the machine that builds. */
[[nodiscard]] Machine machine_of(const Halide::Target& target);

}  // namespace nestor
