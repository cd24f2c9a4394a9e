#include "cli/open_task.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "cli/open_pipeline.h"
#include "plugin/machine_choice.h"
#include "plugin/weights.h"

namespace nestor {

Result<TuneTask> open_task(const Request& request, const MeasureOptions& measure) {
    Result<OpenedPipeline> opened = open_pipeline(request);
    if (!opened) {
        return Error{opened.error()};
    }
    OpenedPipeline& pipeline = opened.value();
    if (!request.scheduler_params.contains("parallelism")) {
        pipeline.params.parallelism = 0;  // as many as it is measured with
    }
    Result<Machine> machine = choose_machine(pipeline.target, pipeline.params);
    if (!machine) {
        return Error{machine.error()};
    }
    const Params& params = pipeline.params;
    Result<std::optional<Correction>> weights = read_optional_weights(params.weights_path);
    if (!weights) {
        return Error{weights.error()};
    }
    TuneTask task;
    task.weights = std::move(weights).value();
    task.name = request.generator_name.empty() ? std::filesystem::path(request.path).stem().string()
                                               : request.generator_name;
    task.pipeline = pipeline.loaded.pipeline;
    task.target = pipeline.target;
    task.machine = std::move(machine).value();
    task.search.caps.peak_bytes = params.memory_limit;
    task.search.beam = params.beam_size;
    task.search.passes = params.num_passes;
    task.search.dropout = {params.random_dropout, params.random_dropout_seed};
    task.search.moves = params.moves;
    task.search_seconds = params.time_limit;
    task.search_memory = params.search_memory;
    task.default_extent = params.default_extent;
    task.measure = measure;
    return task;
}

}  // namespace nestor
