#pragma once
// A simple estimate of a schedule's run time, enough to choose between seeds: operations by lanes
// and cores, traffic to memory, and what parallel loops cost. The cost model proper will live in
// src/cost/.

#include "machine/machine.h"
#include "schedule/schedule.h"

namespace nestor {

/** Seconds at the estimates. Functions at Level::Default count as inlined if they can be. */
[[nodiscard]] double estimate_seconds(const PipelineDag& dag, const Schedule& schedule,
                                      const Machine& machine);

}  // namespace nestor
