#include "measure/measurer.h"

#include "halide/parse_target.h"
#include "halide/task_target.h"
#include "measure/local_measurer.h"
#include "measure/remote_measurer.h"

namespace nestor {

Result<std::unique_ptr<Measurer>> make_measurer(const MeasureOptions& options) {
    if (options.runner.used()) {
        return RemoteMeasurer::create(options);
    }
    const Result<Halide::Target> target = parse_target(options.target);
    if (target && !is_of_host(target.value())) {
        return Error{"this machine cannot run " + options.target +
                     ": say what can with --runner, e.g. --runner qemu-aarch64"};
    }
    return LocalMeasurer::create(options);
}

}  // namespace nestor
