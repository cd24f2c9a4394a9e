#pragma once
// autoscheduler.records=FILE: the best schedule that was measured.

#include <string>

#include "base/result.h"
#include "halide/halide.h"
#include "plugin/params.h"
#include "schedule/schedule.h"

namespace nestor {

struct RecordedSchedule {
    std::string schedule;  // as JSON; empty: there is none
    std::string about;     // how fast it was, where and when; or why there is none
    bool expected = true;  // that there is none, as with any file that others were tuned into
};

/** What params.records has for this pipeline and target: same algorithm and sizes, same target but
 * for what has no part in speed (halide/task_target.h). For a target like the host's it was
 * measured on a processor like this machine's; for others on any. Of several numbers of threads
 * params.parallelism, or else the nearest. An Error if params.records is no such file. */
[[nodiscard]] Result<RecordedSchedule> recorded_schedule(const PipelineDag& dag,
                                                         const Halide::Target& target,
                                                         const Params& params);

}  // namespace nestor
