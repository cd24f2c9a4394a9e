#include "cli/stored_pipeline.h"

#include "base/files.h"
#include "cli/scratch.h"
#include "dag/sizes.h"
#include "halide/parse_target.h"
#include "halide/pipeline_file.h"
#include "halide/read_pipeline.h"
#include "plugin/machine_choice.h"

namespace nestor {

namespace {

Result<LoadedPipeline> load(const StoredPipeline& stored) {
    const Result<Scratch> scratch = Scratch::create();
    if (!scratch) {
        return Error{scratch.error()};
    }
    const std::string path = scratch.value().path() + "/pipeline.hlpipe";
    for (const auto& [file, bytes] :
         {std::pair(path, stored.hlpipe), std::pair(side_file(path), stored.side)}) {
        if (Status status = write_file(file, bytes); !status) {
            return Error{status.error()};
        }
    }
    return load_pipeline(path);
}

}  // namespace

Result<OpenedTask> open_stored_pipeline(const RecordStore& store, const TuningTask& task) {
    const auto stored = store.pipeline(task);
    if (!stored) {
        return Error{stored.error()};
    }
    if (!stored.value()) {
        return Error{"the pipeline is not in the records file"};
    }
    const Result<LoadedPipeline> loaded = load(*stored.value());
    if (!loaded) {
        return Error{"the pipeline in the records file: " + loaded.error()};
    }
    const Result<Halide::Target> target = parse_target(task.target);
    if (!target) {
        return Error{target.error()};
    }
    Result<PipelineDag> dag = read_pipeline(loaded.value().pipeline, target.value());
    if (!dag) {
        return Error{"the pipeline in the records file: " + dag.error()};
    }
    Params params;
    params.parallelism = task.threads;
    Result<Machine> machine = choose_machine(target.value(), params);
    if (!machine) {
        return Error{machine.error()};
    }
    return OpenedTask{loaded.value().pipeline,
                      target.value(),
                      {std::move(dag).value(), std::move(machine).value()}};
}

}  // namespace nestor
