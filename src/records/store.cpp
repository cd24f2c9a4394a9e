#include "records/store.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <tuple>
#include <utility>

#include "records/database.h"
#include "records/ranking.h"

namespace nestor {

namespace {

constexpr const char* kJoined =
    " FROM records r JOIN tasks t ON t.id = r.task JOIN schedules s ON s.id = r.schedule ";

constexpr const char* kTaskColumns = "t.algorithm, t.sizes, t.target, t.machine, t.threads";

constexpr const char* kOfTask =
    "t.algorithm = ? AND t.sizes = ? AND t.target = ? AND t.machine = ? AND t.threads = ?";

std::vector<Bound> values_of(const TuningTask& task) {
    return {task.algorithm, task.sizes, task.target, task.machine, std::int64_t{task.threads}};
}

std::string now() {
    const std::time_t moment = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&moment, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// SQLite has no NaN, JSON neither that nor infinity.
double finite(double value) {
    return std::isfinite(value) ? value : 0;
}

TuningTask task_at(SQLite::Statement& row, int column) {
    return {row.getColumn(column).getString(), row.getColumn(column + 1).getString(),
            row.getColumn(column + 2).getString(), row.getColumn(column + 3).getString(),
            row.getColumn(column + 4).getInt()};
}

std::string select_records(const std::string& condition) {
    return std::string("SELECT r.id, r.run, r.kind, ") + kTaskColumns +
           ", r.pipeline, s.text, s.hash, r.origin, r.plan, r.predicted, r.outcome, r.message, "
           "r.seconds, r.uncertainty, r.measurement, r.versions, r.created" +
           kJoined + "WHERE " + condition + " ORDER BY r.id";
}

Record record_at(SQLite::Statement& row) {
    Record record;
    int column = 0;
    const auto text = [&](std::string& to) { to = row.getColumn(column++).getString(); };
    const auto number = [&](double& to) { to = row.getColumn(column++).getDouble(); };
    record.id = row.getColumn(column++).getInt64();
    record.run = row.getColumn(column++).getInt64();
    record.kind = static_cast<Record::Kind>(row.getColumn(column++).getInt());
    record.task = task_at(row, column);
    column += 5;
    text(record.pipeline);
    text(record.schedule);
    text(record.schedule_hash);
    text(record.origin);
    text(record.plan);
    number(record.predicted);
    text(record.outcome);
    text(record.message);
    number(record.seconds);
    number(record.uncertainty);
    text(record.measurement);
    text(record.versions);
    text(record.created);
    return record;
}

}  // namespace

RecordFilter records_of(const TuningTask& task) {
    RecordFilter filter;
    filter.algorithm = task.algorithm;
    filter.sizes = task.sizes;
    filter.target = task.target;
    filter.machine = task.machine;
    filter.threads = task.threads;
    return filter;
}

Condition condition_of(const RecordFilter& filter) {
    Condition condition{"1", {}};
    const auto require = [&](bool given, const char* sql, const Bound& value) {
        if (given) {
            condition.sql += std::string(" AND ") + sql;
            condition.values.push_back(value);
        }
    };
    const auto text = [&](const char* sql, const std::string& value) {
        require(!value.empty(), sql, value);
    };
    text("t.algorithm = ?", filter.algorithm);
    text("t.sizes = ?", filter.sizes);
    text("t.target = ?", filter.target);
    text("t.machine = ?", filter.machine);
    text("r.pipeline = ?", filter.pipeline);
    text("s.hash = ?", filter.schedule_hash);
    text("r.outcome = ?", filter.outcome);
    text("r.created < ?", filter.before);
    require(filter.threads != 0, "t.threads = ?", std::int64_t{filter.threads});
    require(filter.kind.has_value(), "r.kind = ?",
            std::int64_t{static_cast<int>(filter.kind.value_or(Record::Kind::Trial))});
    require(filter.run != 0, "r.run = ?", filter.run);
    require(filter.after != 0, "r.id > ?", filter.after);
    require(filter.failed, "r.outcome <> ?", std::string("timed"));
    return condition;
}

std::int64_t RecordStore::Database::task_id(const TuningTask& task) {
    SQLite::Statement known =
        prepare(std::string("SELECT id FROM tasks t WHERE ") + kOfTask, values_of(task));
    if (known.executeStep()) {
        return known.getColumn(0).getInt64();
    }
    execute("INSERT INTO tasks (algorithm, sizes, target, machine, threads) VALUES (?, ?, ?, ?, ?)",
            values_of(task));
    return last_id();
}

RecordStore::RecordStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
RecordStore::RecordStore(RecordStore&&) noexcept = default;
RecordStore& RecordStore::operator=(RecordStore&&) noexcept = default;
RecordStore::~RecordStore() = default;

Result<RecordStore> RecordStore::open(const std::string& path, Mode mode) {
    auto file = open_database(path, mode == Mode::Write);
    if (!file) {
        return Error{file.error()};
    }
    return RecordStore(std::make_unique<Database>(path, std::move(file).value()));
}

// 1. Records.

Status RecordStore::add(Record& record) {
    Database& db = *database_;
    return db.write([&]() -> Status {
        SQLite::Statement known = db.prepare("SELECT id FROM schedules WHERE hash = ? AND text = ?",
                                             {record.schedule_hash, record.schedule});
        std::int64_t schedule = 0;
        if (known.executeStep()) {
            schedule = known.getColumn(0).getInt64();
        } else {
            db.execute("INSERT INTO schedules (hash, text) VALUES (?, ?)",
                       {record.schedule_hash, record.schedule});
            schedule = db.last_id();
        }
        if (record.created.empty()) {
            record.created = now();
        }
        db.execute(
            "INSERT INTO records (task, schedule, run, kind, pipeline, origin, plan, predicted, "
            "outcome, message, seconds, uncertainty, measurement, versions, created) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            {db.task_id(record.task), schedule, record.run,
             std::int64_t{static_cast<int>(record.kind)}, record.pipeline, record.origin,
             record.plan, finite(record.predicted), record.outcome, record.message,
             finite(record.seconds), finite(record.uncertainty), record.measurement,
             record.versions, record.created});
        record.id = db.last_id();
        return Ok{};
    });
}

Status RecordStore::together(const std::function<Status()>& body) {
    return database_->write(body);
}

Status RecordStore::for_each(const RecordFilter& filter,
                             const std::function<Status(Record&)>& visit) const {
    return database_->guarded([&]() -> Status {
        const Condition condition = condition_of(filter);
        SQLite::Statement rows =
            database_->prepare(select_records(condition.sql), condition.values);
        while (rows.executeStep()) {
            Record record = record_at(rows);
            if (Status status = visit(record); !status) {
                return status;
            }
        }
        return Ok{};
    });
}

Result<std::vector<Record>> RecordStore::select(const RecordFilter& filter) const {
    std::vector<Record> records;
    const Status status = for_each(filter, [&](Record& record) -> Status {
        records.push_back(std::move(record));
        return Ok{};
    });
    if (!status) {
        return Error{status.error()};
    }
    return records;
}

Result<bool> RecordStore::contains(const Record& record) const {
    return database_->guarded([&]() -> Result<bool> {
        std::vector<Bound> values = values_of(record.task);
        values.insert(values.end(),
                      {record.schedule_hash, std::int64_t{static_cast<int>(record.kind)},
                       record.created, finite(record.seconds)});
        SQLite::Statement row = database_->prepare(
            std::string("SELECT 1") + kJoined + "WHERE " + kOfTask +
                " AND s.hash = ? AND r.kind = ? AND r.created = ? AND r.seconds = ? LIMIT 1",
            values);
        return row.executeStep();
    });
}

// 2. What follows from them.

namespace {

std::vector<std::int64_t> ranked_ids(RecordStore::Database& db, const TuningTask& task) {
    std::vector<RankedRecord> records;
    SQLite::Statement rows = db.prepare(
        std::string("SELECT r.id, r.kind, s.hash, r.outcome, r.seconds, r.created, r.run, "
                    "coalesce(u.started, '')") +
            kJoined + "LEFT JOIN runs u ON u.id = r.run WHERE " + kOfTask,
        values_of(task));
    while (rows.executeStep()) {
        records.push_back({rows.getColumn(0).getInt64(),
                           static_cast<Record::Kind>(rows.getColumn(1).getInt()),
                           rows.getColumn(2).getString(), rows.getColumn(3).getString(),
                           rows.getColumn(4).getDouble(), rows.getColumn(5).getString(),
                           rows.getColumn(6).getInt64(), rows.getColumn(7).getString()});
    }
    return rank(records);
}

void add_last_and_best(RecordStore::Database& db, RecordStore::TaskSummary& summary) {
    SQLite::Statement last =
        db.prepare(std::string("SELECT r.pipeline, r.created") + kJoined + "WHERE " + kOfTask +
                       " ORDER BY r.created DESC, r.id DESC LIMIT 1",
                   values_of(summary.task));
    if (last.executeStep()) {
        summary.pipeline = last.getColumn(0).getString();
        summary.last = last.getColumn(1).getString();
    }
    if (const auto ids = ranked_ids(db, summary.task); !ids.empty()) {
        SQLite::Statement best =
            db.prepare("SELECT seconds FROM records WHERE id = ?", {ids.front()});
        summary.best_seconds = best.executeStep() ? best.getColumn(0).getDouble() : 0;
    }
}

}  // namespace

Result<std::vector<RecordStore::TaskSummary>> RecordStore::tasks() const {
    return database_->guarded([&]() -> Result<std::vector<TaskSummary>> {
        std::vector<TaskSummary> list;
        SQLite::Statement rows = database_->prepare(
            std::string("SELECT ") + kTaskColumns +
            ", count(*), sum(r.outcome = 'timed'), min(r.created)" + kJoined + "GROUP BY t.id");
        while (rows.executeStep()) {
            TaskSummary summary;
            summary.task = task_at(rows, 0);
            summary.records = rows.getColumn(5).getInt64();
            summary.timed = rows.getColumn(6).getInt64();
            summary.first = rows.getColumn(7).getString();
            add_last_and_best(*database_, summary);
            list.push_back(std::move(summary));
        }
        std::sort(list.begin(), list.end(), [](const TaskSummary& a, const TaskSummary& b) {
            return std::tie(a.pipeline, a.task) < std::tie(b.pipeline, b.task);
        });
        return list;
    });
}

Result<std::vector<Record>> RecordStore::best(const TuningTask& task, int count) const {
    return database_->guarded([&]() -> Result<std::vector<Record>> {
        std::vector<Record> records;
        for (const std::int64_t id : ranked_ids(*database_, task)) {
            if (count > 0 && records.size() == static_cast<std::size_t>(count)) {
                break;
            }
            SQLite::Statement row = database_->prepare(select_records("r.id = ?"), {id});
            if (row.executeStep()) {
                records.push_back(record_at(row));
            }
        }
        return records;
    });
}

// 3. Pipelines and runs.

Status RecordStore::keep_pipeline(const TuningTask& task, const StoredPipeline& pipeline) {
    return database_->write([&]() -> Status {
        SQLite::Statement statement = database_->prepare(
            "INSERT OR REPLACE INTO pipelines (algorithm, sizes, name, hlpipe, "
            "side) VALUES (?, ?, ?, ?, ?)",
            {task.algorithm, task.sizes, pipeline.name});
        statement.bind(4, pipeline.hlpipe.data(), static_cast<int>(pipeline.hlpipe.size()));
        statement.bind(5, pipeline.side.data(), static_cast<int>(pipeline.side.size()));
        statement.exec();
        return Ok{};
    });
}

Result<std::optional<StoredPipeline>> RecordStore::pipeline(const TuningTask& task) const {
    return database_->guarded([&]() -> Result<std::optional<StoredPipeline>> {
        SQLite::Statement row = database_->prepare(
            "SELECT name, hlpipe, side FROM pipelines WHERE algorithm = ? AND sizes = ?",
            {task.algorithm, task.sizes});
        if (!row.executeStep()) {
            return std::optional<StoredPipeline>();
        }
        return std::optional(StoredPipeline{row.getColumn(0).getString(),
                                            row.getColumn(1).getString(),
                                            row.getColumn(2).getString()});
    });
}

Result<std::int64_t> RecordStore::begin_run(const TuningTask& task, const std::string& options) {
    return database_->write([&]() -> Result<std::int64_t> {
        database_->execute(
            "INSERT INTO runs (task, options, started, ended, stopped) VALUES (?, ?, ?, '', '')",
            {database_->task_id(task), options, now()});
        return database_->last_id();
    });
}

Status RecordStore::end_run(std::int64_t run, const std::string& stopped) {
    return database_->write([&]() -> Status {
        if (database_->execute("UPDATE runs SET ended = ?, stopped = ? WHERE id = ?",
                               {now(), stopped, run}) == 0) {
            return Error{"there is no run " + std::to_string(run)};
        }
        return Ok{};
    });
}

Result<std::vector<TuningRun>> RecordStore::runs(const TuningTask& task) const {
    return database_->guarded([&]() -> Result<std::vector<TuningRun>> {
        std::vector<TuningRun> list;
        SQLite::Statement rows = database_->prepare(
            std::string("SELECT u.id, u.options, u.started, u.ended, u.stopped FROM runs u JOIN "
                        "tasks t ON t.id = u.task WHERE ") +
                kOfTask + " ORDER BY u.id",
            values_of(task));
        while (rows.executeStep()) {
            list.push_back({rows.getColumn(0).getInt64(), task, rows.getColumn(1).getString(),
                            rows.getColumn(2).getString(), rows.getColumn(3).getString(),
                            rows.getColumn(4).getString()});
        }
        return list;
    });
}

Result<std::int64_t> RecordStore::add_run(const TuningRun& run) {
    return database_->write([&]() -> Result<std::int64_t> {
        const std::int64_t task = database_->task_id(run.task);
        SQLite::Statement known =
            database_->prepare("SELECT id FROM runs WHERE task = ? AND started = ? AND options = ?",
                               {task, run.started, run.options});
        if (known.executeStep()) {
            return known.getColumn(0).getInt64();
        }
        database_->execute(
            "INSERT INTO runs (task, options, started, ended, stopped) VALUES (?, ?, ?, ?, ?)",
            {task, run.options, run.started, run.ended, run.stopped});
        return database_->last_id();
    });
}

// 4. Taking out.

namespace {

void protect_best(RecordStore::Database& db, const TuningTask& task, int keep_best) {
    int kept = 0;
    for (const std::int64_t id : ranked_ids(db, task)) {
        if (kept++ == keep_best) {
            break;
        }
        db.execute(
            "DELETE FROM doomed WHERE id IN (SELECT r.id FROM records r JOIN schedules s ON s.id "
            "= r.schedule JOIN records b ON b.id = ? JOIN schedules c ON c.id = b.schedule "
            "WHERE r.task = b.task AND s.hash = c.hash)",
            {id});
    }
}

// Without a failure that is known, times of its schedule would count again.
void protect_failures(RecordStore::Database& db) {
    db.execute(
        "DELETE FROM doomed WHERE id IN (SELECT f.id FROM records f "
        "JOIN schedules s ON s.id = f.schedule WHERE f.outcome <> 'timed' AND EXISTS ("
        "SELECT 1 FROM schedules c JOIN records k ON k.schedule = c.id WHERE c.hash = s.hash AND "
        "k.task = f.task AND k.outcome = 'timed' AND k.id NOT IN (SELECT id FROM doomed)))");
}

}  // namespace

Result<std::int64_t> RecordStore::prune(const RecordFilter& filter, int keep_best) {
    Database& db = *database_;
    Result<std::int64_t> removed = db.write([&]() -> Result<std::int64_t> {
        const auto before = tasks();
        if (!before) {
            return Error{before.error()};
        }
        const Condition condition = condition_of(filter);
        db.execute("CREATE TEMP TABLE IF NOT EXISTS doomed (id INTEGER PRIMARY KEY)");
        db.execute("DELETE FROM doomed");
        db.execute(
            std::string("INSERT INTO doomed SELECT r.id") + kJoined + "WHERE " + condition.sql,
            condition.values);
        for (const TaskSummary& summary : before.value()) {
            protect_best(db, summary.task, keep_best);
        }
        protect_failures(db);
        const std::int64_t rows =
            db.execute("DELETE FROM records WHERE id IN (SELECT id FROM doomed)");
        db.execute("DELETE FROM schedules WHERE id NOT IN (SELECT schedule FROM records)");
        return rows;
    });
    if (removed.ok() && removed.value() > 0) {
        db.give_back_space();
    }
    return removed;
}

}  // namespace nestor
