#pragma once
// What a machine may be like, for all that its model knows.

#include <random>

#include "machine/machine.h"

namespace nestor {

/** The machine with what computation, memory, pages and tasks cost changed at random, as far as
 * predictions are off on real machines (docs/cost-model.md): what is best on one of these may be
 * best on the real one, where the model says otherwise. Numbers of instructions stay as they are
 * beside each other. */
[[nodiscard]] Machine doubted(const Machine& machine, std::mt19937_64& random);

}  // namespace nestor
