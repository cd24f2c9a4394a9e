#pragma once
// Pipelines that a records file keeps.

#include "base/result.h"
#include "halide/halide.h"
#include "records/store.h"
#include "report/build_report.h"

namespace nestor {

struct OpenedTask {
    Halide::Pipeline pipeline;
    Halide::Target target;
    KnownPipeline known;  // with this machine's profile for the target and the task's threads
};

/** The pipeline of a task. An Error, which says why, if it is not in the file or can't be read. */
[[nodiscard]] Result<OpenedTask> open_stored_pipeline(const RecordStore& store,
                                                      const TuningTask& task);

}  // namespace nestor
