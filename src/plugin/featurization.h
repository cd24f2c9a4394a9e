#pragma once
// What `-e featurization` writes.

#include <cstdint>
#include <vector>

#include "machine/machine.h"
#include "schedule/schedule.h"

namespace nestor {

/** A header line "nestor-featurization 1 algorithm=<hash> schedule=<hash>", a line of column names
 * with their units, then a line for each stage that is computed, tab-separated. Not the
 * featurization of Adams2019. */
[[nodiscard]] std::vector<std::uint8_t> featurize(const PipelineDag& dag, const Schedule& schedule);

}  // namespace nestor
