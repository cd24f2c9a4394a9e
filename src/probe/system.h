#pragma once

#include "machine/machine.h"

namespace nestor::probe {

/** Cores, caches and pages as the operating system describes them (Linux: /sys/devices/system/cpu);
 * what it does not say stays as it is. A cache that it says is not there becomes unknown. */
void describe_system(Machine& machine);

}  // namespace nestor::probe
