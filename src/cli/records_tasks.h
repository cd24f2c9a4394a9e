#pragma once
// Which tasks of a records file a sub-command of `nestor records` is about, and what all of them
// print alike.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "records/store.h"

namespace nestor {

using TaskSummary = RecordStore::TaskSummary;

/** Empty fields stand for any. */
struct TaskOptions {
    std::string pipeline, algorithm, sizes;
    std::string target;   // compared as task_target() has it
    std::string machine;  // "host": this one
    int threads = 0;

    [[nodiscard]] bool empty() const { return *this == TaskOptions(); }
    bool operator==(const TaskOptions&) const = default;
};
/** Without --target where a sub-command has an option of that name. */
void add_task_options(CLI::App& app, TaskOptions& options);
/** The positional FILE. */
void add_records_file(CLI::App& app, std::string& path);

/** Those that fit. */
[[nodiscard]] Result<std::vector<TaskSummary>> choose_tasks(const RecordStore& store,
                                                            const TaskOptions& options);

/** The only one that fits. An Error for none, which says what there is instead, and for several,
 * which lists them and by which options they are told apart. */
[[nodiscard]] Result<TaskSummary> choose_task(const RecordStore& store, const std::string& path,
                                              const TaskOptions& options);

/** "blur 640x480;640x480, x86-64-linux-avx2, A Processor, 2 threads". */
[[nodiscard]] std::string task_text(const TaskSummary& summary);

/** Columns as wide as they need to be, the first row above a line of dashes. */
void print_table(const std::vector<std::vector<std::string>>& rows);

/** `nestor records best`. */
struct BestOptions {
    std::string file;
    TaskOptions task;
    int near_threads = 0;
    std::string format = "json";
    bool json = false;
};
[[nodiscard]] Status print_best(const BestOptions& options);

}  // namespace nestor
