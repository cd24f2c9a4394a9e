#pragma once
// Records to test with, and a folder for their files.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "records/record.h"
#include "records/store.h"

namespace nestor::samples {

/** A folder of its own, gone at the end. */
class Folder {
  public:
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "nestor-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string file(const std::string& name) const {
        return (path_ / name).string();
    }

  private:
    std::filesystem::path path_;
};

inline TuningTask task(int threads = 2) {
    return {"00000000000000aa", "640x480;640x480", "x86-64-linux-avx2", "A Processor", threads};
}

/** A good trial of the schedule with that hash. */
inline Record trial(const std::string& hash, double seconds, const TuningTask& of = task()) {
    Record record;
    record.run = 1;
    record.task = of;
    record.pipeline = "blur";
    record.schedule = "{\"schedule\": \"" + hash + "\"}\n";
    record.schedule_hash = hash;
    record.origin = "search: from tiles";
    record.plan = "a plan";
    record.predicted = 2 * seconds;
    record.outcome = "timed";
    record.seconds = seconds;
    record.uncertainty = 0.01;
    record.measurement = R"({"samples": [0.25]})";
    record.versions = "nestor 0.1.0, halide 21.0.0";
    record.created = "2026-11-23T11:20:05Z";
    return record;
}

inline Record final_of(const std::string& hash, double seconds, std::int64_t run = 1) {
    Record record = trial(hash, seconds);
    record.kind = Record::Kind::Final;
    record.run = run;
    return record;
}

inline Record failure(const std::string& hash, const std::string& outcome) {
    Record record = trial(hash, 0);
    record.outcome = outcome;
    record.message = "why";
    return record;
}

/** All fields but the id. */
inline void expect_same(const Record& a, const Record& b) {
    EXPECT_EQ(a.run, b.run);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.task, b.task);
    EXPECT_EQ(a.pipeline, b.pipeline);
    EXPECT_EQ(a.schedule, b.schedule);
    EXPECT_EQ(a.schedule_hash, b.schedule_hash);
    EXPECT_EQ(a.origin, b.origin);
    EXPECT_EQ(a.plan, b.plan);
    EXPECT_EQ(a.predicted, b.predicted);
    EXPECT_EQ(a.outcome, b.outcome);
    EXPECT_EQ(a.message, b.message);
    EXPECT_EQ(a.seconds, b.seconds);
    EXPECT_EQ(a.uncertainty, b.uncertainty);
    EXPECT_EQ(a.measurement, b.measurement);
    EXPECT_EQ(a.versions, b.versions);
    EXPECT_EQ(a.created, b.created);
}

template <class T>
T good(Result<T> result) {
    if (!result.ok()) {
        ADD_FAILURE() << result.error();
        std::abort();
    }
    return std::move(result).value();
}

inline RecordStore writable(const std::string& path) {
    return good(RecordStore::open(path, RecordStore::Mode::Write));
}
inline RecordStore readable(const std::string& path) {
    return good(RecordStore::open(path, RecordStore::Mode::Read));
}

inline void add(RecordStore& store, Record record) {
    const Status status = store.add(record);
    ASSERT_TRUE(status.ok()) << status.error();
}

}  // namespace nestor::samples
