#pragma once
// What a parallel loop costs.

#include "machine/machine.h"
#include "probe/kernel.h"

namespace nestor::probe {

/** A parallel loop of that many tasks; each is a chain of `work` dependent operations. */
[[nodiscard]] KernelCode tasks_code(int tasks, int work);

/** Fills launch and task, with as many threads as cores. */
void probe_parallel(const Halide::Target& target, Machine& machine);

}  // namespace nestor::probe
