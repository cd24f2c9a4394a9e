#include "records/exchange.h"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "records/base64.h"

namespace nestor {

using Json = nlohmann::ordered_json;

namespace {

/** Of the lines. */
constexpr int kFormat = 1;
constexpr const char* kFormatKey = "nestor_records";

constexpr std::pair<Record::Kind, const char*> kKinds[] = {{Record::Kind::Trial, "trial"},
                                                           {Record::Kind::Final, "final"}};

// 1. As JSON.

// What is no UTF-8 in a message of a compiler, say, is replaced.
std::string line_of(const char* member, Json value) {
    Json line;
    line[member] = std::move(value);
    return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json to_json(const TuningTask& task) {
    return {{"algorithm", task.algorithm},
            {"sizes", task.sizes},
            {"target", task.target},
            {"machine", task.machine},
            {"threads", task.threads}};
}

Json to_json(const TuningTask& task, const StoredPipeline& pipeline) {
    return {{"task", to_json(task)},
            {"name", pipeline.name},
            {"hlpipe", to_base64(pipeline.hlpipe)},
            {"side", pipeline.side}};
}

Json to_json(const TuningRun& run) {
    return {{"id", run.id},           {"task", to_json(run.task)}, {"options", run.options},
            {"started", run.started}, {"ended", run.ended},        {"stopped", run.stopped}};
}

Json to_json(const Record& record) {
    return {{"run", record.run},
            {"kind", kKinds[record.kind == Record::Kind::Final ? 1 : 0].second},
            {"task", to_json(record.task)},
            {"pipeline", record.pipeline},
            {"schedule_hash", record.schedule_hash},
            {"seconds", record.seconds},
            {"uncertainty", record.uncertainty},
            {"predicted", record.predicted},
            {"outcome", record.outcome},
            {"message", record.message},
            {"origin", record.origin},
            {"created", record.created},
            {"versions", record.versions},
            {"measurement", record.measurement},
            {"plan", record.plan},
            {"schedule", record.schedule}};
}

// 2. From JSON; what is missing or of another type throws Json::exception.

TuningTask task_from(const Json& json) {
    return {json.at("algorithm").get<std::string>(), json.at("sizes").get<std::string>(),
            json.at("target").get<std::string>(), json.at("machine").get<std::string>(),
            json.at("threads").get<int>()};
}

TuningRun run_from(const Json& json) {
    TuningRun run;
    run.task = task_from(json.at("task"));
    json.at("id").get_to(run.id);
    json.at("options").get_to(run.options);
    json.at("started").get_to(run.started);
    json.at("ended").get_to(run.ended);
    json.at("stopped").get_to(run.stopped);
    return run;
}

std::optional<Record::Kind> kind_from(const std::string& text) {
    for (const auto& [kind, name] : kKinds) {
        if (text == name) {
            return kind;
        }
    }
    return std::nullopt;
}

Result<Record> record_from(const Json& json) {
    Record record;
    record.task = task_from(json.at("task"));
    const auto kind = kind_from(json.at("kind").get<std::string>());
    if (!kind) {
        return Error{"a record is neither trial nor final"};
    }
    record.kind = *kind;
    json.at("run").get_to(record.run);
    json.at("pipeline").get_to(record.pipeline);
    json.at("schedule").get_to(record.schedule);
    json.at("schedule_hash").get_to(record.schedule_hash);
    json.at("origin").get_to(record.origin);
    json.at("plan").get_to(record.plan);
    json.at("predicted").get_to(record.predicted);
    json.at("outcome").get_to(record.outcome);
    json.at("message").get_to(record.message);
    json.at("seconds").get_to(record.seconds);
    json.at("uncertainty").get_to(record.uncertainty);
    json.at("measurement").get_to(record.measurement);
    json.at("versions").get_to(record.versions);
    json.at("created").get_to(record.created);
    return record;
}

// 3. Into a store.

/** What comes from elsewhere: runs get ids of their new file. */
class Importer {
  public:
    explicit Importer(RecordStore& to) : to_(to) {}

    /** Another file begins: its runs are others. */
    void begin_source() { runs_.clear(); }

    Status add(const TuningTask& task, const StoredPipeline& pipeline) {
        const auto known = to_.pipeline(task);
        if (!known) {
            return Error{known.error()};
        }
        return known.value() ? Status(Ok{}) : to_.keep_pipeline(task, pipeline);
    }

    Status add(const TuningRun& run) {
        const auto id = to_.add_run(run);
        if (!id) {
            return Error{id.error()};
        }
        runs_[run.id] = id.value();
        return Ok{};
    }

    Status add(Record& record) {
        const auto known = to_.contains(record);
        if (!known) {
            return Error{known.error()};
        }
        if (known.value()) {
            counts_.known++;
            return Ok{};
        }
        const auto run = runs_.find(record.run);
        record.run = run == runs_.end() ? 0 : run->second;
        counts_.added++;
        return to_.add(record);
    }

    [[nodiscard]] ImportCounts counts() const { return counts_; }

  private:
    RecordStore& to_;
    std::map<std::int64_t, std::int64_t> runs_;
    ImportCounts counts_;
};

Status import_line(Importer& importer, const Json& line) {
    if (line.contains(kFormatKey)) {
        if (line.at(kFormatKey).get<int>() > kFormat) {
            return Error{
                "written by a newer Nestor; export it in an older format, or use that one"};
        }
        importer.begin_source();
        return Ok{};
    }
    if (line.contains("pipeline")) {
        const Json& json = line.at("pipeline");
        auto bytes = from_base64(json.at("hlpipe").get<std::string>());
        if (!bytes) {
            return Error{bytes.error()};
        }
        return importer.add(task_from(json.at("task")),
                            {json.at("name").get<std::string>(), bytes.value(),
                             json.at("side").get<std::string>()});
    }
    if (line.contains("run")) {
        return importer.add(run_from(line.at("run")));
    }
    if (line.contains("record")) {
        Result<Record> record = record_from(line.at("record"));
        return record ? importer.add(record.value()) : Status(Error{record.error()});
    }
    return Error{"neither a pipeline nor a run nor a record"};
}

Status import_lines(Importer& importer, const std::string& path, std::istream& file) {
    std::int64_t number = 0;
    for (std::string text; std::getline(file, text);) {
        number++;
        const auto fault = [&](const std::string& what) {
            return Error{path + ", line " + std::to_string(number) + ": " + what};
        };
        if (text.empty()) {
            continue;
        }
        try {
            const Json line = Json::parse(text);
            if (number == 1 && !line.contains(kFormatKey)) {
                return fault("no records of Nestor; nestor records export writes such files");
            }
            if (const Status status = import_line(importer, line); !status) {
                return fault(status.error());
            }
        } catch (const Json::exception& problem) {
            return fault(number == 1 ? "neither a records file of Nestor nor JSON lines"
                                     : std::string(problem.what()));
        }
    }
    return number > 0 ? Status(Ok{}) : Error{path + " is empty"};
}

Status import_store(Importer& importer, const RecordStore& from) {
    const auto tasks = from.tasks();
    if (!tasks) {
        return Error{tasks.error()};
    }
    for (const auto& summary : tasks.value()) {
        const auto pipeline = from.pipeline(summary.task);
        const auto runs = from.runs(summary.task);
        if (!pipeline || !runs) {
            return Error{!pipeline ? pipeline.error() : runs.error()};
        }
        if (pipeline.value()) {
            if (Status status = importer.add(summary.task, *pipeline.value()); !status) {
                return status;
            }
        }
        for (const TuningRun& run : runs.value()) {
            if (Status status = importer.add(run); !status) {
                return status;
            }
        }
    }
    return from.for_each({}, [&](Record& record) { return importer.add(record); });
}

bool is_database(std::istream& file) {
    constexpr std::string_view kMagic = "SQLite format 3";
    char begin[kMagic.size()] = {};
    file.read(begin, sizeof begin);
    const bool is = std::string_view(begin, sizeof begin) == kMagic;
    file.clear();
    file.seekg(0);
    return is;
}

bool names(const RecordFilter& filter, const RecordStore::TaskSummary& summary) {
    const auto fits = [](const std::string& wanted, const std::string& is) {
        return wanted.empty() || wanted == is;
    };
    const TuningTask& task = summary.task;
    return fits(filter.algorithm, task.algorithm) && fits(filter.sizes, task.sizes) &&
           fits(filter.target, task.target) && fits(filter.machine, task.machine) &&
           fits(filter.pipeline, summary.pipeline) &&
           (filter.threads == 0 || filter.threads == task.threads);
}

}  // namespace

Result<std::int64_t> export_records(const RecordStore& from, const RecordFilter& filter,
                                    std::ostream& to) {
    const auto tasks = from.tasks();
    if (!tasks) {
        return Error{tasks.error()};
    }
    to << line_of(kFormatKey, kFormat);
    std::set<std::pair<std::string, std::string>> pipelines;  // by algorithm and sizes
    for (const auto& summary : tasks.value()) {
        if (!names(filter, summary)) {
            continue;
        }
        const auto pipeline = from.pipeline(summary.task);
        const auto runs = from.runs(summary.task);
        if (!pipeline || !runs) {
            return Error{!pipeline ? pipeline.error() : runs.error()};
        }
        if (pipeline.value() &&
            pipelines.emplace(summary.task.algorithm, summary.task.sizes).second) {
            to << line_of("pipeline", to_json(summary.task, *pipeline.value()));
        }
        for (const TuningRun& run : runs.value()) {
            to << line_of("run", to_json(run));
        }
    }
    std::int64_t count = 0;
    const Status status = from.for_each(filter, [&](Record& record) -> Status {
        to << line_of("record", to_json(record));
        count++;
        return to ? Status(Ok{}) : Error{"the records could not be written"};
    });
    if (!status) {
        return Error{status.error()};
    }
    return count;
}

Result<ImportCounts> import_records(RecordStore& to, const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return Error{"cannot open " + path};
    }
    Importer importer(to);
    Status status = Ok{};
    if (is_database(file)) {
        const auto from = RecordStore::open(path, RecordStore::Mode::Read);
        if (!from) {
            return Error{from.error()};
        }
        status = to.together([&] { return import_store(importer, from.value()); });
    } else {
        status = to.together([&] { return import_lines(importer, path, file); });
    }
    if (!status) {
        return Error{status.error()};
    }
    return importer.counts();
}

}  // namespace nestor
