#include "plugin/save.h"

#include "base/files.h"
#include "halide/pipeline_file.h"
#include "schedule/print.h"

namespace nestor {

Status save(const std::string& directory, const Halide::Pipeline& pipeline, const PipelineDag& dag,
            const Schedule& schedule) {
    if (Status status = make_directory(directory); !status) {
        return status;
    }
    const std::string stem = directory + "/" + dag.name;
    if (Status status = save_pipeline(pipeline, stem + ".hlpipe"); !status) {
        return status;
    }
    if (Status status = write_file(stem + ".schedule.py", print_python(dag, schedule)); !status) {
        return status;
    }
    return write_file(stem + ".schedule.json", print_json(dag, schedule));
}

}  // namespace nestor
