#pragma once
// Records in a file: SQLite in WAL mode, one file for many pipelines, machines and targets. Rows
// are only ever added. Several processes may read and write at once; a process that is killed loses
// what it had not yet added, and nothing else. One store is for one thread, and not for use after a
// fork.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "records/record.h"

namespace nestor {

/** A pipeline that records are about, so that reports and later runs need no generator. */
struct StoredPipeline {
    std::string name;
    std::string hlpipe;  // the bytes of the .hlpipe file
    std::string side;    // those of the file beside it (halide/pipeline_file.h)
};

/** One call of `nestor tune` on one task. */
struct TuningRun {
    std::int64_t id = 0;
    TuningTask task;
    std::string options;  // JSON, for people
    std::string started;  // UTC
    std::string ended;    // empty: it runs, or was killed
    std::string stopped;  // the stop reason
};

/** Which records; empty fields stand for any. */
struct RecordFilter {
    std::string algorithm, sizes, target, machine, pipeline, schedule_hash, outcome;
    int threads = 0;
    std::optional<Record::Kind> kind;
    std::int64_t run = 0;
    std::int64_t after = 0;  // ids above this one
    bool failed = false;     // those that were not timed
    std::string before;      // created before that (UTC, as Record::created)
};
[[nodiscard]] RecordFilter records_of(const TuningTask& task);

class RecordStore {
  public:
    class Database;  // database.h

    enum class Mode { Read, Write };
    /** Mode::Write creates the file. An Error for a file that is something else, or of a schema
     * newer than ours (with what to do instead). */
    [[nodiscard]] static Result<RecordStore> open(const std::string& path, Mode mode);
    RecordStore(RecordStore&&) noexcept;
    RecordStore& operator=(RecordStore&&) noexcept;
    ~RecordStore();

    /** Adds one, durably; sets its id, and `created` where that is empty. */
    [[nodiscard]] Status add(Record& record);

    /** All that `body` adds appears at once, or, if it yields an Error or is killed, not at all. */
    [[nodiscard]] Status together(const std::function<Status()>& body);

    /** In the order of their ids. */
    [[nodiscard]] Result<std::vector<Record>> select(const RecordFilter& filter) const;

    /** The same one by one; an Error of `visit` ends it. */
    [[nodiscard]] Status for_each(const RecordFilter& filter,
                                  const std::function<Status(Record&)>& visit) const;

    /** Whether it is there, under whatever id: one of the same task, schedule hash, kind, moment
     * and seconds. */
    [[nodiscard]] Result<bool> contains(const Record& record) const;

    /** All tasks that there are records of, by name and task. */
    struct TaskSummary {
        TuningTask task;
        std::string pipeline;
        std::int64_t records = 0, timed = 0;
        double best_seconds = 0;  // 0: none was timed
        std::string first, last;  // when
    };
    [[nodiscard]] Result<std::vector<TaskSummary>> tasks() const;

    /** The schedules of a task by their time, best first, one record each: the latest Final one, or
     * else the last Trial; finals of the last run that has any come before trials (ranking.h has
     * the details). At most `count`; 0: all. A schedule whose record there was not timed, or that
     * was ever wrong, is none of them. */
    [[nodiscard]] Result<std::vector<Record>> best(const TuningTask& task, int count) const;

    [[nodiscard]] Status keep_pipeline(const TuningTask& task, const StoredPipeline& pipeline);
    [[nodiscard]] Result<std::optional<StoredPipeline>> pipeline(const TuningTask& task) const;

    [[nodiscard]] Result<std::int64_t> begin_run(const TuningTask& task,
                                                 const std::string& options);
    [[nodiscard]] Status end_run(std::int64_t run, const std::string& stopped);
    [[nodiscard]] Result<std::vector<TuningRun>> runs(const TuningTask& task) const;
    /** A run of another file: its id here, where it may be already (same task, start, options). */
    [[nodiscard]] Result<std::int64_t> add_run(const TuningRun& run);

    /** Takes out what the filter names, but nothing of the `keep_best` best schedules of each task;
     * yields how many. A failure stays as long as its schedule has times that stay. Gives the space
     * back to the file system unless others use the file. What `nestor records prune` does; nothing
     * else removes rows. */
    [[nodiscard]] Result<std::int64_t> prune(const RecordFilter& filter, int keep_best);

  private:
    explicit RecordStore(std::unique_ptr<Database> database);

    std::unique_ptr<Database> database_;
};

}  // namespace nestor
