#pragma once
// Compiling a scheduled pipeline in this process to the files that a generator emits.

#include <string>
#include <vector>

#include "base/result.h"
#include "halide/halide.h"
#include "halide/pipeline_file.h"
#include "plugin/schedule_pipeline.h"

namespace nestor {

/** What a generator emits if it is not told. */
inline constexpr const char* kDefaultOutputs = "c_header,static_library,registration";

struct EmitJob {
    std::vector<std::string> outputs;  // names that a generator's -e takes
    std::string directory;
    std::string base_name;
    std::string function;
    Halide::Target target;
};

/** An Error that lists what there is, if an output is unknown or needs the generator itself. */
[[nodiscard]] Status check_outputs(const EmitJob& job);

/** `scheduled` has had the outcome applied; `original` is the pipeline before that, which the
 * output hlpipe holds, as a generator's does. Compiles in a child process, because LLVM ends the
 * process where a file can't be written. */
[[nodiscard]] Status emit(const EmitJob& job, const LoadedPipeline& scheduled,
                          const Halide::Pipeline& original, const ScheduleOutcome& outcome);

/** What the output `schedule` contains: the C++ source within a function that can be included. */
[[nodiscard]] Result<std::string> schedule_header(const ScheduleOutcome& outcome,
                                                  const std::string& name,
                                                  const Halide::Target& target);

/** A name for C out of any text. */
[[nodiscard]] std::string identifier(const std::string& text);

}  // namespace nestor
