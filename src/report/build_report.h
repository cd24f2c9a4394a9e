#pragma once
// From records to a Report.

#include <functional>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "report/report.h"

namespace nestor {

/** The pipeline of a task, and what its schedules are predicted for. */
struct KnownPipeline {
    PipelineDag dag;
    Machine machine;  // with the task's number of threads as its parallelism
};

/** Runs a schedule of the pipeline to see where its time goes. */
using Profiler = std::function<Result<std::vector<ReportProfile>>(const Schedule&)>;

/** Reads the task's records; has its winner profiled if there is a profiler. Without the pipeline,
 * whose error() says why, the report lacks what needs it, and says so. An Error if the file can't
 * be read. */
[[nodiscard]] Result<Report> build_report(const RecordStore& store,
                                          const RecordStore::TaskSummary& summary,
                                          const Result<KnownPipeline>& pipeline,
                                          const Profiler& profiler = nullptr);

}  // namespace nestor
