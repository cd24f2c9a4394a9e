#pragma once
// autoscheduler.save=DIR

#include <string>

#include "base/result.h"
#include "halide/halide.h"
#include "schedule/schedule.h"

namespace nestor {

/** Writes DIR/NAME.schedule.json, DIR/NAME.schedule.py, DIR/NAME.hlpipe and
 *  DIR/NAME.args.json, where NAME is the stem of the pipeline's first output. `pipeline` is the
 * unscheduled one. Files that exist are replaced. */
[[nodiscard]] Status save(const std::string& directory, const Halide::Pipeline& pipeline,
                          const PipelineDag& dag, const Schedule& schedule);

}  // namespace nestor
