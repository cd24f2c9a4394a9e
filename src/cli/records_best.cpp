// nestor records best

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/files.h"
#include "cli/emit.h"
#include "cli/produce.h"
#include "cli/records_tasks.h"
#include "cli/scratch.h"
#include "halide/pipeline_file.h"

namespace nestor {

namespace {

Result<Record> best_of(const RecordStore& store, const TaskSummary& summary) {
    auto best = store.best(summary.task, 1);
    if (!best) {
        return Error{best.error()};
    }
    if (best.value().empty()) {
        return Error{"no schedule of " + task_text(summary) + " was right and timed"};
    }
    return std::move(best.value().front());
}

/** C++ and Python need the pipeline: `nestor schedule` for it, with this schedule. */
Status print_source(const RecordStore& store, const Record& record, const std::string& format) {
    const auto pipeline = store.pipeline(record.task);
    if (!pipeline) {
        return Error{pipeline.error()};
    }
    if (!pipeline.value()) {
        return Error{"the pipeline is not in the file, and --format " + format +
                     " needs it. --format json prints a schedule that nestor apply takes"};
    }
    const Result<Scratch> scratch = Scratch::create();
    if (!scratch) {
        return Error{scratch.error()};
    }
    Request request;
    request.is_pipeline = true;
    request.path = scratch.value().path() + "/" + identifier(pipeline.value()->name) + ".hlpipe";
    request.target = record.task.target;
    request.scheduler_params["schedule"] = scratch.value().path() + "/schedule.json";
    for (const auto& [path, bytes] :
         {std::pair(request.path, pipeline.value()->hlpipe),
          std::pair(side_file(request.path), pipeline.value()->side),
          std::pair(request.scheduler_params["schedule"], record.schedule)}) {
        if (Status status = write_file(path, bytes); !status) {
            return status;
        }
    }
    OutputOptions output;
    output.format = format;
    return produce(request, output);
}

/** The number of threads that is asked for, or the nearest; of those the last measured. */
const TaskSummary& nearest(const std::vector<TaskSummary>& tasks, int threads) {
    const auto distance = [&](const TaskSummary& each) {
        return std::abs(std::log2(static_cast<double>(each.task.threads) / threads));
    };
    const TaskSummary* best = &tasks.front();
    for (const TaskSummary& each : tasks) {
        const double gain = distance(*best) - distance(each);
        if (gain > 0 || (gain == 0 && best->last < each.last)) {
            best = &each;
        }
    }
    return *best;
}

/** Some task that fits, with a schedule; or why there is none. */
struct Found {
    std::optional<Record> record;
    std::string missing;
};

std::string why_none(const std::vector<TaskSummary>& fits_elsewhere) {
    if (fits_elsewhere.empty()) {
        return "there are no records of this pipeline, these sizes and this target";
    }
    std::string machines;
    for (const TaskSummary& each : fits_elsewhere) {
        if (machines.find(each.task.machine) == std::string::npos) {
            machines += (machines.empty() ? "" : ", ") + each.task.machine;
        }
    }
    return "the records of this pipeline were measured on another processor (" + machines + ")";
}

Result<Found> find_near(const RecordStore& store, const BestOptions& options) {
    auto tasks = choose_tasks(store, options.task);
    if (!tasks) {
        return Error{tasks.error()};
    }
    const bool tried = !tasks.value().empty();
    std::erase_if(tasks.value(), [](const TaskSummary& each) { return each.best_seconds <= 0; });
    if (tried && tasks.value().empty()) {
        return Found{{}, "none of the schedules that were measured was right and timed"};
    }
    if (tasks.value().empty()) {
        TaskOptions anywhere = options.task;
        anywhere.machine.clear();
        const auto elsewhere = choose_tasks(store, anywhere);
        if (!elsewhere) {
            return Error{elsewhere.error()};
        }
        const bool here = options.task.machine.empty() || elsewhere.value().empty();
        return Found{{}, why_none(here ? std::vector<TaskSummary>() : elsewhere.value())};
    }
    auto record = best_of(store, nearest(tasks.value(), options.near_threads));
    if (!record) {
        return Error{record.error()};
    }
    return Found{std::move(record).value(), ""};
}

Result<Found> find(const RecordStore& store, const BestOptions& options) {
    if (options.near_threads > 0) {
        return find_near(store, options);
    }
    const auto task = choose_task(store, options.file, options.task);
    if (!task) {
        return Error{task.error()};
    }
    auto record = best_of(store, task.value());
    if (!record) {
        return Error{record.error()};
    }
    return Found{std::move(record).value(), ""};
}

nlohmann::json found_json(const Found& found) {
    if (!found.record) {
        return {{"missing", found.missing}};
    }
    const Record& record = *found.record;
    return {{"schedule", record.schedule},
            {"schedule_hash", record.schedule_hash},
            {"seconds", record.seconds},
            {"uncertainty", record.uncertainty},
            {"final", record.kind == Record::Kind::Final},
            {"origin", record.origin},
            {"created", record.created},
            {"pipeline", record.pipeline},
            {"target", record.task.target},
            {"machine", record.task.machine},
            {"threads", record.task.threads}};
}

}  // namespace

Status print_best(const BestOptions& options) {
    const auto store = RecordStore::open(options.file, RecordStore::Mode::Read);
    if (!store) {
        return Error{store.error()};
    }
    const auto found = find(store.value(), options);
    if (!found) {
        return Error{found.error()};
    }
    if (options.json) {
        std::cout << found_json(found.value()).dump(1) << "\n";
        return Ok{};
    }
    if (!found.value().record) {
        return Error{options.file + ": " + found.value().missing};
    }
    const Record& record = *found.value().record;
    if (options.format != "json") {
        return print_source(store.value(), record, options.format);
    }
    std::cout << record.schedule;
    return Ok{};
}

}  // namespace nestor
