#pragma once
// The processor that this process runs on. Part of benchmark binaries, too (measure/benchmark.h).

#include <string>

namespace nestor {

/** Its model name, as the system tells it. */
[[nodiscard]] std::string processor_name();

/** Cores that this process may use. */
[[nodiscard]] int usable_cores();

/** The average load of the last minute; 0 if it is not known. */
[[nodiscard]] double load_average();

}  // namespace nestor
