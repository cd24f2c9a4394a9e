#pragma once
// A pipeline, opened for tuning.

#include "base/result.h"
#include "cli/request.h"
#include "measure/options.h"
#include "tune/task.h"

namespace nestor {

/** With the machine and the weights that the request's parameters name; for as many cores as will
 * run it, unless `parallelism` is among them. */
[[nodiscard]] Result<TuneTask> open_task(const Request& request, const MeasureOptions& measure);

}  // namespace nestor
