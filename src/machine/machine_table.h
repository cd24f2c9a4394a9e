#pragma once

#include <string>

#include "machine/machine.h"

namespace nestor {

enum class MachineTable { Plain, Markdown };

/** What is known, for people: arithmetic by operation, type and width; loads and stores; caches and
 * memory; costs. Numbers are measured unless a letter follows: d documented, e estimated. */
[[nodiscard]] std::string machine_table(const Machine& machine, MachineTable style);

}  // namespace nestor
