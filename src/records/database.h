#pragma once
// RecordStore::Database: the open file, and how the parts of the store use it.

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "records/schema.h"
#include "records/store.h"

namespace nestor {

/** A value for a `?`. */
using Bound = std::variant<std::int64_t, double, std::string>;

class RecordStore::Database {
  public:
    Database(std::string path, std::unique_ptr<SQLite::Database> file)
        : path_(std::move(path)), file_(std::move(file)) {}

    [[nodiscard]] SQLite::Statement prepare(const std::string& sql,
                                            const std::vector<Bound>& values = {}) {
        SQLite::Statement statement(*file_, sql);
        int place = 1;
        for (const Bound& value : values) {
            std::visit([&](const auto& v) { statement.bind(place++, v); }, value);
        }
        return statement;
    }
    /** Yields how many rows it changed. */
    std::int64_t execute(const std::string& sql, const std::vector<Bound>& values = {}) {
        return prepare(sql, values).exec();
    }
    [[nodiscard]] std::int64_t last_id() const { return file_->getLastInsertRowid(); }

    /** What SQLite throws in `body`, as an Error. */
    template <class Body>
    [[nodiscard]] auto guarded(const Body& body) const -> decltype(body()) {
        try {
            return body();
        } catch (const SQLite::Exception& problem) {
            return database_error(path_, problem);
        }
    }

    /** Does `body` as one transaction, which only its success commits; within another one, as a
     * part of it. */
    template <class Body>
    [[nodiscard]] auto write(const Body& body) -> decltype(body()) {
        return guarded([&]() -> decltype(body()) {
            if (writing_) {
                return body();
            }
            SQLite::Transaction transaction(*file_, SQLite::TransactionBehavior::IMMEDIATE);
            const Writing mark(writing_);
            auto result = body();
            if (result.ok()) {
                transaction.commit();
            }
            return result;
        });
    }

    /** Makes the file as small as its contents, unless others that read or write are in the way:
     * the space is used again anyway. */
    void give_back_space() {
        file_->setBusyTimeout(kShortWait);
        file_->tryExec("VACUUM");
        file_->tryExec("PRAGMA wal_checkpoint(TRUNCATE)");
        file_->setBusyTimeout(kBusyMilliseconds);
    }

    /** The row of a task; made if there is none. Within write(). */
    [[nodiscard]] std::int64_t task_id(const TuningTask& task);

  private:
    static constexpr int kShortWait = 2000;  // milliseconds

    class Writing {
      public:
        explicit Writing(bool& flag) : flag_(flag) { flag_ = true; }
        ~Writing() { flag_ = false; }
        Writing(const Writing&) = delete;
        Writing& operator=(const Writing&) = delete;

      private:
        bool& flag_;
    };

    std::string path_;
    std::unique_ptr<SQLite::Database> file_;
    bool writing_ = false;
};

/** A condition on records joined as r, their tasks as t and their schedules as s. */
struct Condition {
    std::string sql;  // "1" for all
    std::vector<Bound> values;
};
[[nodiscard]] Condition condition_of(const RecordFilter& filter);

}  // namespace nestor
