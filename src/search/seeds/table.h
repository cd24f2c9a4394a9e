#pragma once
// The seeds, one function each; the table that lists them is in search/seeds.cpp.

#include "machine/machine.h"
#include "schedule/schedule.h"

namespace nestor {

[[nodiscard]] Schedule root_seed(const PipelineDag& dag, const Machine& machine);
[[nodiscard]] Schedule strips_seed(const PipelineDag& dag, const Machine& machine);
[[nodiscard]] Schedule small_tiles_seed(const PipelineDag& dag, const Machine& machine);
[[nodiscard]] Schedule large_tiles_seed(const PipelineDag& dag, const Machine& machine);
[[nodiscard]] Schedule row_tiles_seed(const PipelineDag& dag, const Machine& machine);
[[nodiscard]] Schedule inlined_seed(const PipelineDag& dag, const Machine& machine);
[[nodiscard]] Schedule serial_seed(const PipelineDag& dag, const Machine& machine);

}  // namespace nestor
