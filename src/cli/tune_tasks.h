#pragma once
// What `nestor tune` works on: one pipeline, or those of a file.

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/request.h"

namespace nestor {

struct TaskRequest {
    RequestOptions request;
    std::string name;  // for people and files; unique
    double weight = 1;
};

/**
 * Reads a file of tasks:
 *
 *   tasks:
 *     - generator: build/harris.generator    # or  pipeline: saved/harris.hlpipe
 *       name: harris                         # -g
 *       params: [width=640, autoscheduler.memory_limit=1000000]
 *       target: host
 *       weight: 2
 *
 * Relative paths are relative to the file; what a task lacks is `common`'s. An Error names the
 * line.
 */
[[nodiscard]] Result<std::vector<TaskRequest>> read_tasks(const std::string& path,
                                                          const RequestOptions& common);

}  // namespace nestor
