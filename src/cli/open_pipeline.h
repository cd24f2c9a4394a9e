#pragma once
// A pipeline in this process, whether it comes from a file or from a generator.

#include <string>

#include "base/result.h"
#include "cli/request.h"
#include "dag/pipeline_dag.h"
#include "halide/pipeline_file.h"
#include "machine/machine.h"
#include "plugin/params.h"

namespace nestor {

/** A pipeline in this process. */
struct OpenedPipeline {
    LoadedPipeline loaded;
    Halide::Target target;
    Params params;
};

/** Reads a .hlpipe file; of a generator, runs it and takes the pipeline that it hands to the
 * plug-in. */
[[nodiscard]] Result<OpenedPipeline> open_pipeline(const Request& request);

/** A pipeline as the cost model and the search see it. */
struct ModelledPipeline {
    OpenedPipeline opened;
    PipelineDag dag;
    Machine machine;
};

/** Opens it, reads it, and chooses the machine. */
[[nodiscard]] Result<ModelledPipeline> open_modelled(const Request& request);

}  // namespace nestor
