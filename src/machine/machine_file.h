#pragma once
// A Machine as text, for the profiles that come with Nestor and for what the probe measured:
//
//   {"format": "nestor machine 1",
//    "target": "arm-64-linux", "cpu": "Arm Neoverse N1", "date": "",
//    "quantities": [
//     ["operation.add.int*.16.cycles", 0.5, "documented", "Neoverse N1 optimization guide"],
//     ...]}
//
// A row sets all quantities whose names match; * stands for anything within one part of a name
// (between dots). Later rows override earlier ones. Quantities that no row names are unknown.

#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/machine.h"

namespace nestor {

/** The Error names the row: not JSON, another format, a name that nothing matches, a value that is
 * not a positive number, an unknown kind of evidence. */
[[nodiscard]] Result<Machine> parse_machine(std::string_view text);

/** One row for each known quantity. What parse_machine() reads from it is equal, fractions rounded
 * to six digits. */
[[nodiscard]] std::string to_text(const Machine& machine);

[[nodiscard]] Result<Machine> read_machine(const std::string& path);

}  // namespace nestor
