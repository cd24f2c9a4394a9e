#pragma once
// Reports of the tasks in a records file, for `nestor report` and `nestor explain --records`.

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/records_tasks.h"
#include "report/report.h"

namespace nestor {

/** One for each task that fits; with `profile`, winners are run under Halide's profiler. An Error
 * if none does, which says what there is instead. */
[[nodiscard]] Result<std::vector<Report>> report_tasks(const std::string& file,
                                                       const TaskOptions& options, bool profile);

/** Of the only task that fits: its gains, its winner's loop nest and predicted cost, as text. */
[[nodiscard]] Status explain_records(const std::string& file, const TaskOptions& options,
                                     bool profile);

}  // namespace nestor
