#pragma once
// Times as people read them.

#include <string>

namespace nestor {

/** "1.234 ms", "850 us", "-" for 0. */
[[nodiscard]] std::string time_text(double seconds);
/** "3 min 20 s" */
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace nestor
