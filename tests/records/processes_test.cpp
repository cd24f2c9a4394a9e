// Several processes with one file, some of which are killed.

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <random>
#include <set>
#include <thread>

#include "records/sample_records.h"
#include "records/store.h"

namespace nestor {
namespace {

using samples::Folder;
using samples::good;
using samples::readable;
using samples::trial;

/** A copy of this process that does `body` and exits with what it yields. */
pid_t start(const std::function<int()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(body());
    }
    return child;
}

int status_of(pid_t child) {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
}

/** A record of a few pages, which are not written at one stroke. */
Record long_record(const std::string& name, int number) {
    Record record = trial(name + std::to_string(number), 1 + number);
    record.schedule = name + std::to_string(number) + std::string(20'000, 'x');
    record.measurement = std::string(5'000, 'y');
    return record;
}

TEST(Processes, WritersLoseNothing) {
    constexpr int kWriters = 3;
    constexpr int kRecords = 30;
    const Folder folder;
    const std::string path = folder.file("r.db");
    std::vector<pid_t> writers;
    for (int writer = 0; writer < kWriters; writer++) {
        // They create the file in a race, too.
        writers.push_back(start([&] {
            auto store = RecordStore::open(path, RecordStore::Mode::Write);
            for (int i = 0; store.ok() && i < kRecords; i++) {
                Record record = long_record("writer " + std::to_string(writer) + " ", i);
                if (!store.value().add(record).ok()) {
                    return 1;
                }
            }
            return store.ok() ? 0 : 2;
        }));
    }
    for (const pid_t writer : writers) {
        EXPECT_EQ(status_of(writer), 0);
    }
    std::set<std::string> found;
    for (const Record& record : good(readable(path).select({}))) {
        found.insert(record.schedule_hash);
    }
    EXPECT_EQ(found.size(), std::size_t{kWriters * kRecords});
}

/** Who looks at a file while another process makes its tables in it must not take it for somebody
 * else's. */
TEST(Processes, AFileIsMadeByManyAtOnce) {
    constexpr int kFiles = 100;
    constexpr int kWriters = 4;
    const Folder folder;
    for (int file = 0; file < kFiles; file++) {
        const std::string path = folder.file(std::to_string(file) + ".db");
        std::vector<pid_t> writers;
        writers.reserve(kWriters);
        for (int writer = 0; writer < kWriters; writer++) {
            writers.push_back(start([&] {
                const auto store = RecordStore::open(path, RecordStore::Mode::Write);
                if (!store.ok()) {
                    std::fprintf(stderr, "%s\n", store.error().c_str());
                }
                return store.ok() ? 0 : 1;
            }));
        }
        for (const pid_t writer : writers) {
            EXPECT_EQ(status_of(writer), 0);
        }
    }
}

TEST(Processes, AReaderIsNotDisturbedByAWriter) {
    const Folder folder;
    const std::string path = folder.file("r.db");
    {
        const RecordStore create = samples::writable(path);
    }
    const pid_t writer = start([&] {
        auto store = RecordStore::open(path, RecordStore::Mode::Write);
        for (int i = 0; store.ok() && i < 50; i++) {
            Record record = long_record("", i);
            if (!store.value().add(record).ok()) {
                return 1;
            }
        }
        return store.ok() ? 0 : 2;
    });
    const RecordStore reader = readable(path);
    std::size_t seen = 0;
    while (seen < 50) {
        const auto records = good(reader.select({}));
        ASSERT_GE(records.size(), seen);
        seen = records.size();
        for (const Record& record : records) {
            ASSERT_EQ(record.measurement.size(), 5'000U) << "whole records only";
        }
        if (::waitpid(writer, nullptr, WNOHANG) == writer) {
            EXPECT_EQ(good(reader.select({})).size(), 50U);
            return;
        }
    }
    EXPECT_EQ(status_of(writer), 0);
}

/** Adds records, and tells of each once it is there, until it is killed. */
class Victim {
  public:
    Victim(const std::string& path, const std::string& name) {
        int ends[2];
        EXPECT_EQ(::pipe(ends), 0);
        from_ = ends[0];
        child_ = start([&] {
            auto store = RecordStore::open(path, RecordStore::Mode::Write);
            for (int i = 0; store.ok(); i++) {
                Record record = long_record(name, i);
                if (!store.value().add(record).ok() || ::write(ends[1], "+", 1) != 1) {
                    return 1;
                }
            }
            return 2;
        });
        ::close(ends[1]);
    }

    /** Once it told of so many, and some time later; yields how many it told of by then. */
    [[nodiscard]] int kill_after(int records, std::chrono::microseconds time) const {
        int told = 0;
        while (told < records && told_of_another()) {
            told++;
        }
        EXPECT_EQ(told, records) << "it ended by itself";
        std::this_thread::sleep_for(time);
        ::kill(child_, SIGKILL);
        EXPECT_EQ(WTERMSIG(status_of(child_)), SIGKILL) << "it ended by itself";
        while (told_of_another()) {
            told++;
        }
        ::close(from_);
        return told;
    }

  private:
    [[nodiscard]] bool told_of_another() const {
        char byte = 0;
        return ::read(from_, &byte, 1) == 1;
    }

    int from_ = -1;
    pid_t child_ = -1;
};

TEST(Processes, AKilledWriterLosesAtMostTheRecordInFlight) {
    constexpr int kKills = 20;
    const Folder folder;
    const std::string path = folder.file("r.db");
    std::mt19937 random(7);
    std::uniform_int_distribution<int> records(0, 8);  // 0: perhaps before the file is open
    std::uniform_int_distribution<int> microseconds(0, 15'000);
    for (int kill = 0; kill < kKills; kill++) {
        const std::string name = std::to_string(kill) + ".";
        const Victim victim(path, name);
        const int wait_for = records(random);
        const int told =
            victim.kill_after(wait_for, std::chrono::microseconds(microseconds(random)));

        RecordStore store = samples::writable(path);
        std::set<std::string> found;
        for (const Record& record : good(store.select({}))) {
            if (record.schedule_hash.starts_with(name)) {
                EXPECT_EQ(record.measurement.size(), 5'000U);
                found.insert(record.schedule_hash);
            }
        }
        EXPECT_GE(found.size(), static_cast<std::size_t>(told));
        EXPECT_LE(found.size(), static_cast<std::size_t>(told) + 1);
        for (int i = 0; i < told; i++) {
            EXPECT_TRUE(found.contains(name + std::to_string(i)));
        }
        SQLite::Database file(path, SQLite::OPEN_READWRITE);
        EXPECT_EQ(file.execAndGet("PRAGMA integrity_check").getString(), "ok");
        EXPECT_FALSE(SQLite::Statement(file, "PRAGMA foreign_key_check").executeStep());
    }
}

}  // namespace
}  // namespace nestor
