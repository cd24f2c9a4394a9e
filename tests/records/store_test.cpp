#include "records/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <fstream>

#include "base/files.h"
#include "records/sample_records.h"
#include "records/schema.h"

namespace nestor {
namespace {

using samples::add;
using samples::expect_same;
using samples::failure;
using samples::final_of;
using samples::Folder;
using samples::good;
using samples::readable;
using samples::task;
using samples::trial;
using samples::writable;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> hashes(const std::vector<Record>& records) {
    std::vector<std::string> list;
    for (const Record& record : records) {
        list.push_back(record.schedule_hash);
    }
    return list;
}

std::string refused(const std::string& path, RecordStore::Mode mode) {
    const Result<RecordStore> store = RecordStore::open(path, mode);
    EXPECT_FALSE(store.ok());
    return store.ok() ? "" : store.error();
}

TEST(RecordStore, WhatIsAddedComesBack) {
    const Folder folder;
    Record kept = trial("a", 0.125);
    kept.schedule = std::string(40'000, 'x') + "\"'\n\xc3\xa4";
    Record last = final_of("a", 0.25, 7);
    last.measurement = "";
    {
        RecordStore store = writable(folder.file("r.db"));
        ASSERT_TRUE(store.add(kept).ok());
        ASSERT_TRUE(store.add(last).ok());
    }
    EXPECT_GT(kept.id, 0);
    EXPECT_GT(last.id, kept.id);
    const auto records = good(readable(folder.file("r.db")).select({}));
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].id, kept.id);
    expect_same(records[0], kept);
    expect_same(records[1], last);
}

TEST(RecordStore, SaysWhenARecordWasAdded) {
    const Folder folder;
    RecordStore store = writable(folder.file("r.db"));
    Record record = trial("a", 1);
    record.created.clear();
    ASSERT_TRUE(store.add(record).ok());
    EXPECT_THAT(record.created, testing::MatchesRegex("20..-..-..T..:..:..Z"));
    EXPECT_EQ(good(store.select({})).front().created, record.created);
}

TEST(RecordStore, ATextIsStoredOnce) {
    const Folder folder;
    RecordStore store = writable(folder.file("r.db"));
    for (int i = 0; i < 100; i++) {
        Record record = trial("a", i);
        record.schedule = std::string(100'000, 'x');
        add(store, record);
    }
    EXPECT_LT(std::filesystem::file_size(folder.file("r.db")), 2'000'000U);
}

TEST(RecordStore, EqualHashesOfDifferentTextsStayApart) {
    const Folder folder;
    RecordStore store = writable(folder.file("r.db"));
    Record other = trial("a", 2);
    other.schedule = "another text";
    add(store, trial("a", 1));
    add(store, other);
    EXPECT_NE(good(store.select({})).front().schedule, other.schedule);
    EXPECT_EQ(good(store.select({})).back().schedule, other.schedule);
}

TEST(RecordStore, FiltersSelect) {
    const Folder folder;
    RecordStore store = writable(folder.file("r.db"));
    Record elsewhere = trial("d", 1, task(8));
    elsewhere.pipeline = "harris";
    elsewhere.created = "2026-11-25T00:00:00Z";
    add(store, trial("a", 1));
    add(store, final_of("b", 1, 2));
    add(store, failure("c", "crash"));
    add(store, elsewhere);
    const auto with = [&](const auto& set) {
        RecordFilter filter;
        set(filter);
        return hashes(good(store.select(filter)));
    };
    using F = RecordFilter;
    EXPECT_THAT(with([](F&) {}), ElementsAre("a", "b", "c", "d"));
    EXPECT_THAT(with([](F& f) { f = records_of(task(8)); }), ElementsAre("d"));
    EXPECT_THAT(with([](F& f) { f.threads = 2; }), ElementsAre("a", "b", "c"));
    EXPECT_THAT(with([](F& f) { f.pipeline = "harris"; }), ElementsAre("d"));
    EXPECT_THAT(with([](F& f) { f.schedule_hash = "b"; }), ElementsAre("b"));
    EXPECT_THAT(with([](F& f) { f.outcome = "crash"; }), ElementsAre("c"));
    EXPECT_THAT(with([](F& f) { f.failed = true; }), ElementsAre("c"));
    EXPECT_THAT(with([](F& f) { f.kind = Record::Kind::Final; }), ElementsAre("b"));
    EXPECT_THAT(with([](F& f) { f.run = 2; }), ElementsAre("b"));
    EXPECT_THAT(with([](F& f) { f.after = 2; }), ElementsAre("c", "d"));
    EXPECT_THAT(with([](F& f) { f.before = "2026-11-24"; }), ElementsAre("a", "b", "c"));
    EXPECT_THAT(with([](F& f) { f.algorithm = "another"; }), ElementsAre());
    EXPECT_THAT(with([](F& f) { f.sizes = "1"; }), ElementsAre());
    EXPECT_THAT(with([](F& f) { f.target = "arm-64-linux"; }), ElementsAre());
    EXPECT_THAT(with([](F& f) { f.machine = "another"; }), ElementsAre());
}

TEST(RecordStore, TasksAreSummed) {
    const Folder folder;
    RecordStore store = writable(folder.file("r.db"));
    EXPECT_TRUE(good(store.tasks()).empty());
    Record later = final_of("b", 0.3);
    later.created = "2026-11-24T00:00:00Z";
    add(store, trial("a", 0.2));
    add(store, later);
    add(store, failure("c", "crash"));
    Record broken = failure("d", "wrong");
    broken.task = task(8);
    broken.pipeline = "a first one";
    add(store, broken);
    const auto tasks = good(store.tasks());
    ASSERT_EQ(tasks.size(), 2U);
    EXPECT_EQ(tasks[0].pipeline, "a first one");
    EXPECT_EQ(tasks[0].timed, 0);
    EXPECT_EQ(tasks[0].best_seconds, 0);
    EXPECT_EQ(tasks[1].task, task());
    EXPECT_EQ(tasks[1].records, 3);
    EXPECT_EQ(tasks[1].timed, 2);
    EXPECT_EQ(tasks[1].best_seconds, 0.3) << "the final, as best() has it";
    EXPECT_EQ(tasks[1].first, "2026-11-23T11:20:05Z");
    EXPECT_EQ(tasks[1].last, "2026-11-24T00:00:00Z");
}

TEST(RecordStore, PipelinesAreOfAllTargetsMachinesAndThreads) {
    const Folder folder;
    RecordStore store = writable(folder.file("r.db"));
    EXPECT_FALSE(good(store.pipeline(task())).has_value());
    const std::string bytes("\0binary\xff\0", 9);
    ASSERT_TRUE(store.keep_pipeline(task(), {"blur", bytes, "{}"}).ok());
    const auto kept = good(store.pipeline(task(8)));
    ASSERT_TRUE(kept.has_value());
    EXPECT_EQ(kept->name, "blur");
    EXPECT_EQ(kept->hlpipe, bytes);
    EXPECT_EQ(kept->side, "{}");
    TuningTask smaller = task();
    smaller.sizes = "1x1;1x1";
    EXPECT_FALSE(good(store.pipeline(smaller)).has_value());
    ASSERT_TRUE(store.keep_pipeline(task(), {"blur", "newer", ""}).ok());
    EXPECT_EQ(good(store.pipeline(task()))->hlpipe, "newer");
}

TEST(RecordStore, RunsBeginAndEnd) {
    const Folder folder;
    RecordStore store = writable(folder.file("r.db"));
    const std::int64_t first = good(store.begin_run(task(), "{}"));
    const std::int64_t second = good(store.begin_run(task(), R"({"trials": 9})"));
    ASSERT_TRUE(store.end_run(first, "trials").ok());
    EXPECT_FALSE(store.end_run(99, "trials").ok());
    const auto runs = good(store.runs(task()));
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0].id, first);
    EXPECT_EQ(runs[0].stopped, "trials");
    EXPECT_FALSE(runs[0].started.empty());
    EXPECT_FALSE(runs[0].ended.empty());
    EXPECT_EQ(runs[1].id, second);
    EXPECT_EQ(runs[1].options, R"({"trials": 9})");
    EXPECT_TRUE(runs[1].ended.empty());
    EXPECT_TRUE(good(store.runs(task(8))).empty());
    EXPECT_EQ(good(store.add_run(runs[0])), first) << "it is there";
}

TEST(RecordStore, TogetherIsAllOrNothing) {
    const Folder folder;
    RecordStore store = writable(folder.file("r.db"));
    const Status failed = store.together([&]() -> Status {
        add(store, trial("a", 1));
        return Error{"a reason"};
    });
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error(), "a reason");
    EXPECT_TRUE(good(store.select({})).empty());
    EXPECT_TRUE(store
                    .together([&]() -> Status {
                        add(store, trial("a", 1));
                        add(store, trial("b", 1));
                        return Ok{};
                    })
                    .ok());
    EXPECT_EQ(good(store.select({})).size(), 2U);
}

TEST(RecordStore, AReaderSeesWhatIsWrittenMeanwhile) {
    const Folder folder;
    RecordStore writer = writable(folder.file("r.db"));
    const RecordStore reader = readable(folder.file("r.db"));
    add(writer, trial("a", 1));
    EXPECT_EQ(good(reader.select({})).size(), 1U);
    ASSERT_TRUE(writer
                    .together([&]() -> Status {
                        add(writer, trial("b", 1));
                        EXPECT_EQ(good(reader.select({})).size(), 1U) << "not there yet";
                        return Ok{};
                    })
                    .ok());
    EXPECT_EQ(good(reader.select({})).size(), 2U);
}

TEST(RecordStore, AReaderDoesNotWrite) {
    const Folder folder;
    add(*std::make_unique<RecordStore>(writable(folder.file("r.db"))), trial("a", 1));
    RecordStore reader = readable(folder.file("r.db"));
    Record record = trial("b", 1);
    const Status status = reader.add(record);
    ASSERT_FALSE(status.ok());
    EXPECT_THAT(status.error(), HasSubstr("read-only"));
}

// Files that are no records, or not ours to read.

TEST(RecordStore, AMissingFileIsNotMadeByReading) {
    const Folder folder;
    EXPECT_THAT(refused(folder.file("r.db"), RecordStore::Mode::Read),
                HasSubstr("no records file " + folder.file("r.db")));
    EXPECT_FALSE(std::filesystem::exists(folder.file("r.db")));
    EXPECT_THAT(refused(folder.file("none/r.db"), RecordStore::Mode::Write),
                HasSubstr("there is no folder"));
}

TEST(RecordStore, AnEmptyFileIsANewOne) {
    const Folder folder;
    std::ofstream(folder.file("r.db")).close();
    EXPECT_THAT(refused(folder.file("r.db"), RecordStore::Mode::Read),
                HasSubstr("nothing has been recorded"));
    RecordStore store = writable(folder.file("r.db"));
    add(store, trial("a", 1));
}

class ForeignFile : public testing::TestWithParam<RecordStore::Mode> {};
INSTANTIATE_TEST_SUITE_P(Modes, ForeignFile,
                         testing::Values(RecordStore::Mode::Read, RecordStore::Mode::Write));

TEST_P(ForeignFile, NoDatabaseIsRefusedAndStaysAsItIs) {
    const Folder folder;
    const std::string text = "harris.schedule.json\n" + std::string(5000, ' ');
    std::ofstream(folder.file("r.db")) << text;
    EXPECT_THAT(refused(folder.file("r.db"), GetParam()), HasSubstr("is not a records file"));
    EXPECT_EQ(good(read_file(folder.file("r.db"))), text);
    EXPECT_THAT(refused(folder.file(""), GetParam()), HasSubstr("is a folder"));
}

TEST_P(ForeignFile, ADatabaseOfAnotherProgramIsRefused) {
    const Folder folder;
    SQLite::Database(folder.file("r.db"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE bookmarks (url TEXT)");
    EXPECT_THAT(refused(folder.file("r.db"), GetParam()), HasSubstr("of another program"));
    const SQLite::Database after(folder.file("r.db"));
    EXPECT_TRUE(after.tableExists("bookmarks"));
    EXPECT_FALSE(after.tableExists("records"));
}

TEST_P(ForeignFile, ANewerSchemaIsRefused) {
    const Folder folder;
    add(*std::make_unique<RecordStore>(writable(folder.file("r.db"))), trial("a", 1));
    SQLite::Database(folder.file("r.db"), SQLite::OPEN_READWRITE)
        .exec("PRAGMA user_version = " + std::to_string(newest_schema() + 1));
    const std::string message = refused(folder.file("r.db"), GetParam());
    EXPECT_THAT(message, HasSubstr("a newer Nestor (schema 2, this one knows 1)"));
    EXPECT_THAT(message, HasSubstr("nestor records export"));
}

// In a folder that can't be written, as another user: root may write anywhere.
TEST(RecordStore, ReadsWhereNothingCanBeWritten) {
    const Folder folder;
    const std::string path = folder.file("50% of #1?.db");
    add(*std::make_unique<RecordStore>(writable(path)), trial("a", 1));
    namespace fs = std::filesystem;
    fs::permissions(path, fs::perms{0444});
    fs::permissions(folder.file(""), fs::perms{0555});
    const pid_t child = ::fork();
    if (child == 0) {
        if (::geteuid() == 0 && ::setuid(65534) != 0) {
            ::_exit(1);
        }
        const auto store = RecordStore::open(path, RecordStore::Mode::Read);
        if (!store.ok()) {
            std::fprintf(stderr, "%s\n", store.error().c_str());
            ::_exit(2);
        }
        const auto records = store.value().select({});
        const bool refused = !RecordStore::open(path, RecordStore::Mode::Write).ok();
        ::_exit(!records.ok() || records.value().size() != 1 ? 3 : refused ? 0 : 4);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    fs::permissions(folder.file(""), fs::perms::owner_all);
    EXPECT_EQ(status, 0) << WEXITSTATUS(status);
}

// Pruning.

std::vector<std::string> left(RecordStore& store) {
    return hashes(good(store.select({})));
}

TEST(Prune, KeepsTheBestOfEachTask) {
    const Folder folder;
    RecordStore store = writable(folder.file("r.db"));
    for (const int threads : {2, 8}) {
        add(store, trial("a", 0.3, task(threads)));
        add(store, trial("b", 0.1, task(threads)));
        add(store, trial("c", 0.2, task(threads)));
        add(store, trial("b", 0.1, task(threads)));
    }
    add(store, failure("d", "crash"));
    EXPECT_EQ(good(store.prune({}, 2)), 3);
    EXPECT_THAT(left(store), ElementsAre("b", "c", "b", "b", "c", "b"));
    EXPECT_EQ(good(store.prune({}, 2)), 0);
    RecordFilter filter;
    filter.threads = 8;
    EXPECT_EQ(good(store.prune(filter, 1)), 1);
    EXPECT_THAT(left(store), ElementsAre("b", "c", "b", "b", "b"));
    EXPECT_EQ(good(store.prune({}, 0)), 5);
    EXPECT_THAT(left(store), ElementsAre());
}

TEST(Prune, IdsAreNotUsedAgain) {
    const Folder folder;
    RecordStore store = writable(folder.file("r.db"));
    Record record = trial("a", 1);
    ASSERT_TRUE(store.add(record).ok());
    const std::int64_t before = record.id;
    ASSERT_EQ(good(store.prune({}, 0)), 1);
    ASSERT_TRUE(store.add(record).ok());
    EXPECT_GT(record.id, before);
}

TEST(Prune, OldAndFailedOnes) {
    const Folder folder;
    RecordStore store = writable(folder.file("r.db"));
    Record old = trial("a", 0.3);
    old.created = "2025-01-01T00:00:00Z";
    add(store, old);
    add(store, trial("b", 0.1));
    add(store, failure("c", "timeout"));
    RecordFilter filter;
    filter.before = "2026-01-01";
    EXPECT_EQ(good(store.prune(filter, 0)), 1);
    EXPECT_THAT(left(store), ElementsAre("b", "c"));
    filter = {};
    filter.failed = true;
    EXPECT_EQ(good(store.prune(filter, 0)), 1);
    EXPECT_THAT(left(store), ElementsAre("b"));
}

TEST(Prune, AFailureStaysWithTheTimesThatItRefutes) {
    const Folder folder;
    RecordStore store = writable(folder.file("r.db"));
    add(store, trial("a", 0.1));
    add(store, failure("a", "wrong"));
    RecordFilter filter;
    filter.failed = true;
    EXPECT_EQ(good(store.prune(filter, 0)), 0);
    EXPECT_TRUE(good(store.best(task(), 0)).empty());
    EXPECT_EQ(good(store.prune({}, 1)), 2) << "none of them is among the best";
}

TEST(Prune, TheFileShrinks) {
    const Folder folder;
    RecordStore store = writable(folder.file("r.db"));
    for (int i = 0; i < 20; i++) {
        Record record = trial(std::to_string(i), i);
        record.schedule = std::string(100'000, 'x') + std::to_string(i);
        add(store, record);
    }
    ASSERT_EQ(good(store.prune({}, 1)), 19);
    EXPECT_LT(std::filesystem::file_size(folder.file("r.db")), 400'000U);
}

}  // namespace
}  // namespace nestor
