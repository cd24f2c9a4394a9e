#include "records/schema.h"

#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>

namespace nestor {

namespace fs = std::filesystem;

namespace {

/** "Nstr", in the header of the file. */
constexpr int kApplication = 0x4e737472;

/** What makes a schema out of the one before. Rows are only added here, never changed: files of
 * every version are about. */
struct Migration {
    int version;
    const char* sql;
};

constexpr Migration kMigrations[] = {
    {1, R"sql(
        CREATE TABLE tasks (
            id INTEGER PRIMARY KEY,
            algorithm TEXT NOT NULL, sizes TEXT NOT NULL, target TEXT NOT NULL,
            machine TEXT NOT NULL, threads INTEGER NOT NULL,
            UNIQUE (algorithm, sizes, target, machine, threads)
        );
        -- One text is recorded many times: as a trial, as a final, in every run. Equal hashes of
        -- different texts are two rows.
        CREATE TABLE schedules (
            id INTEGER PRIMARY KEY,
            hash TEXT NOT NULL, text TEXT NOT NULL
        );
        CREATE INDEX schedules_by_hash ON schedules (hash);
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            task INTEGER NOT NULL REFERENCES tasks (id),
            options TEXT NOT NULL, started TEXT NOT NULL, ended TEXT NOT NULL, stopped TEXT NOT NULL
        );
        CREATE TABLE records (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            task INTEGER NOT NULL REFERENCES tasks (id),
            schedule INTEGER NOT NULL REFERENCES schedules (id),
            run INTEGER NOT NULL, kind INTEGER NOT NULL,
            pipeline TEXT NOT NULL, origin TEXT NOT NULL, plan TEXT NOT NULL,
            predicted REAL NOT NULL,
            outcome TEXT NOT NULL, message TEXT NOT NULL,
            seconds REAL NOT NULL, uncertainty REAL NOT NULL, measurement TEXT NOT NULL,
            versions TEXT NOT NULL, created TEXT NOT NULL
        );
        CREATE INDEX records_by_task ON records (task, schedule);
        CREATE INDEX records_by_schedule ON records (schedule);
        -- The same for every target, machine and number of threads.
        CREATE TABLE pipelines (
            algorithm TEXT NOT NULL, sizes TEXT NOT NULL,
            name TEXT NOT NULL, hlpipe BLOB NOT NULL, side BLOB NOT NULL,
            PRIMARY KEY (algorithm, sizes)
        );
    )sql"},
};

/** What a file says of itself. */
struct Identity {
    int application = 0;
    int schema = 0;
    bool empty = false;  // no tables: just made, by us or by `touch`

    [[nodiscard]] bool is_new() const { return empty && application == 0 && schema == 0; }
};

/** Within a transaction: another process that creates the tables between two of these questions
 * would make the file look like one of another program. */
Identity identity_of(SQLite::Database& database) {
    Identity identity;
    identity.application = database.execAndGet("PRAGMA application_id").getInt();
    identity.schema = database.execAndGet("PRAGMA user_version").getInt();
    identity.empty = database.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
    return identity;
}

Identity read_identity(SQLite::Database& database) {
    const SQLite::Transaction transaction(database);
    return identity_of(database);
}

Status check_identity(const std::string& path, const Identity& identity) {
    if (identity.application != kApplication) {
        return Error{path +
                     " is a database of another program, not a records file of Nestor; name "
                     "another file"};
    }
    if (identity.schema > newest_schema()) {
        return Error{path + " was written by a newer Nestor (schema " +
                     std::to_string(identity.schema) + ", this one knows " +
                     std::to_string(newest_schema()) +
                     "). Use that Nestor, or let it write what this one can import: nestor records "
                     "export " +
                     path};
    }
    return Ok{};
}

/** SQLite does not wait for others here, whatever its timeout. */
void use_write_ahead_log(SQLite::Database& database) {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyMilliseconds);
    while (database.execAndGet("PRAGMA journal_mode").getString() != "wal") {
        try {
            // Another answer is no failure: not every file system can have it.
            (void)database.execAndGet("PRAGMA journal_mode = WAL").getString();
            return;
        } catch (const SQLite::Exception& problem) {
            if (problem.getErrorCode() != SQLITE_BUSY || std::chrono::steady_clock::now() > end) {
                throw;
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

/** Creates what is missing. Begins to write even if nothing is, so that a file that can't be
 * written is refused now and not after the first measurement. */
void migrate(SQLite::Database& database) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    const Identity identity = identity_of(database);  // another process may have been faster
    for (const Migration& migration : kMigrations) {
        if (migration.version > identity.schema) {
            database.exec(migration.sql);
            database.exec("PRAGMA user_version = " + std::to_string(migration.version));
        }
    }
    if (identity.application != kApplication) {
        database.exec("PRAGMA application_id = " + std::to_string(kApplication));
    }
    transaction.commit();
}

using Opened = Result<std::unique_ptr<SQLite::Database>>;

std::unique_ptr<SQLite::Database> open_file(const std::string& name, int flags) {
    return std::make_unique<SQLite::Database>(name, flags, kBusyMilliseconds);
}

Opened open_to_write(const std::string& path) {
    auto database = open_file(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    const Identity identity = read_identity(*database);
    if (!identity.is_new()) {
        if (const Status status = check_identity(path, identity); !status) {
            return Error{status.error()};
        }
    }
    use_write_ahead_log(*database);
    // FULL: what add() has returned from survives a power failure, too.
    database->exec("PRAGMA synchronous = FULL");
    database->exec("PRAGMA foreign_keys = ON");
    migrate(*database);
    return database;
}

Opened open_to_read(const std::string& path, const std::string& name, int flags) {
    auto database = open_file(name, SQLite::OPEN_READONLY | flags);
    const Identity identity = read_identity(*database);
    if (identity.is_new()) {
        return Error{path + " is empty: nothing has been recorded in it"};
    }
    if (const Status status = check_identity(path, identity); !status) {
        return Error{status.error()};
    }
    if (identity.schema < newest_schema()) {
        database.reset();
        Opened upgraded = open_to_write(path);
        if (!upgraded) {
            return upgraded;
        }
        return open_file(name, SQLite::OPEN_READONLY | flags);
    }
    return database;
}

/** As SQLite's URIs want it. */
std::string immutable_uri(const std::string& path) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string uri = "file:";
    for (const char c : fs::absolute(path).string()) {
        if (c == '?' || c == '#' || c == '%') {
            const auto code = static_cast<unsigned char>(c);
            uri += {'%', kDigits[code >> 4], kDigits[code & 15]};
        } else {
            uri += c;
        }
    }
    return uri + "?immutable=1";
}

/** Whether all of the file's contents are in the file itself: no process is writing. */
bool is_complete(const std::string& path) {
    std::error_code problem;
    const auto bytes = fs::file_size(path + "-wal", problem);
    return problem || bytes == 0;
}

bool is_readable(const std::string& path) {
    return ::access(path.c_str(), R_OK) == 0;
}

}  // namespace

int newest_schema() {
    return std::prev(std::end(kMigrations))->version;
}

Error database_error(const std::string& path, const SQLite::Exception& problem) {
    switch (problem.getErrorCode()) {
        case SQLITE_NOTADB:
            return Error{path + " is not a records file of Nestor; name another file"};
        case SQLITE_BUSY:
            return Error{path + " is in use by another process that does not let go of it"};
        case SQLITE_FULL:
            return Error{"cannot write " + path + ": the disk is full"};
        case SQLITE_READONLY:
            return Error{"cannot write " + path + ": it, or its folder, is read-only"};
        case SQLITE_CANTOPEN:
            return Error{"cannot open " + path + ", or the files beside it that SQLite needs"};
        case SQLITE_CORRUPT:
            return Error{path + " is damaged (" + problem.what() +
                         "). The command `sqlite3 FILE .recover` may save what is left"};
        default:
            return Error{path + ": " + problem.what()};
    }
}

Opened open_database(const std::string& path, bool write) {
    std::error_code ignored;
    if (!write && !fs::exists(path, ignored)) {
        return Error{"no records file " + path};
    }
    const fs::path folder = fs::path(path).parent_path();
    if (write && !folder.empty() && !fs::is_directory(folder, ignored)) {
        return Error{"cannot create " + path + ": there is no folder " + folder.string()};
    }
    if (fs::is_directory(path, ignored)) {
        return Error{path + " is a folder, not a records file"};
    }
    try {
        return write ? open_to_write(path) : open_to_read(path, path, 0);
    } catch (const SQLite::Exception& problem) {
        // In a folder that can't be written, SQLite can't make the files by which processes agree.
        const int code = problem.getErrorCode();
        const bool folder_is_closed = code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
        if (write || !folder_is_closed || !is_readable(path) || !is_complete(path)) {
            return database_error(path, problem);
        }
    }
    try {
        return open_to_read(path, immutable_uri(path), SQLite::OPEN_URI);
    } catch (const SQLite::Exception& problem) {
        return database_error(path, problem);
    }
}

}  // namespace nestor
