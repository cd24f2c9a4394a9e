#include "records/exchange.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "base/files.h"
#include "records/base64.h"
#include "records/sample_records.h"

namespace nestor {
namespace {

using samples::add;
using samples::expect_same;
using samples::failure;
using samples::final_of;
using samples::Folder;
using samples::good;
using samples::task;
using samples::trial;
using samples::writable;
using testing::HasSubstr;

/** Two tasks, a run, a pipeline. */
RecordStore sample(const std::string& path) {
    RecordStore store = writable(path);
    const auto run = good(store.begin_run(task(), "{}"));
    EXPECT_TRUE(store.keep_pipeline(task(), {"blur", std::string("\0\1\xff", 3), "{}"}).ok());
    add(store, trial("a", 0.1));
    add(store, final_of("a", 1.0 / 3, run));
    add(store, failure("b", "wrong"));
    add(store, trial("c", 0.2, task(8)));
    return store;
}

std::string exported(const RecordStore& store, const RecordFilter& filter = {}) {
    std::ostringstream text;
    (void)good(export_records(store, filter, text));
    return text.str();
}

ImportCounts imported(RecordStore& to, const std::string& path) {
    return good(import_records(to, path));
}

void expect_sample(const RecordStore& store, const RecordStore& other) {
    const auto records = good(store.select({}));
    const auto others = good(other.select({}));
    ASSERT_EQ(records.size(), others.size());
    for (std::size_t i = 0; i < records.size(); i++) {
        Record known = others[i];
        known.run = records[i].run;  // see RunsGetNewIds
        expect_same(records[i], known);
    }
    ASSERT_TRUE(good(store.pipeline(task())).has_value());
    EXPECT_EQ(good(store.pipeline(task()))->hlpipe, good(other.pipeline(task()))->hlpipe);
    EXPECT_EQ(good(store.runs(task())).size(), good(other.runs(task())).size());
}

TEST(Exchange, LinesComeBack) {
    const Folder folder;
    const RecordStore from = sample(folder.file("from.db"));
    std::ofstream(folder.file("r.jsonl")) << exported(from);
    RecordStore to = writable(folder.file("to.db"));
    const ImportCounts counts = imported(to, folder.file("r.jsonl"));
    EXPECT_EQ(counts.added, 4);
    EXPECT_EQ(counts.known, 0);
    expect_sample(to, from);
    EXPECT_EQ(exported(to).size(), exported(from).size());
}

TEST(Exchange, FilesAreMerged) {
    const Folder folder;
    const RecordStore from = sample(folder.file("from.db"));
    RecordStore to = writable(folder.file("to.db"));
    EXPECT_EQ(imported(to, folder.file("from.db")).added, 4);
    expect_sample(to, from);
}

TEST(Exchange, MergingAgainAddsNothing) {
    const Folder folder;
    const RecordStore from = sample(folder.file("from.db"));
    std::ofstream(folder.file("r.jsonl")) << exported(from) << exported(from);
    RecordStore to = writable(folder.file("to.db"));
    EXPECT_EQ(imported(to, folder.file("from.db")).added, 4);
    for (const char* again : {"from.db", "r.jsonl", "to.db"}) {
        const ImportCounts counts = imported(to, folder.file(again));
        EXPECT_EQ(counts.added, 0) << again;
        EXPECT_EQ(counts.known, std::string(again) == "r.jsonl" ? 8 : 4);
    }
    expect_sample(to, from);
}

TEST(Exchange, RunsGetNewIds) {
    const Folder folder;
    RecordStore to = writable(folder.file("to.db"));
    (void)good(to.begin_run(task(8), "another"));
    (void)sample(folder.file("from.db"));
    imported(to, folder.file("from.db"));
    const auto runs = good(to.runs(task()));
    ASSERT_EQ(runs.size(), 1U);
    RecordFilter finals;
    finals.kind = Record::Kind::Final;
    EXPECT_EQ(good(to.select(finals)).front().run, runs[0].id);
    EXPECT_EQ(runs[0].id, 2);
}

TEST(Exchange, AFilterExportsWhatItNames) {
    const Folder folder;
    const RecordStore from = sample(folder.file("from.db"));
    std::ofstream(folder.file("r.jsonl")) << exported(from, records_of(task(8)));
    RecordStore to = writable(folder.file("to.db"));
    EXPECT_EQ(imported(to, folder.file("r.jsonl")).added, 1);
    EXPECT_TRUE(good(to.runs(task())).empty());
}

TEST(Exchange, ABadLineIsNamedAndNothingIsAdded) {
    const Folder folder;
    const RecordStore from = sample(folder.file("from.db"));
    RecordStore to = writable(folder.file("to.db"));
    const std::string text = exported(from);
    const auto fault = [&](const std::string& bytes) {
        std::ofstream(folder.file("r.jsonl")) << bytes;
        const auto counts = import_records(to, folder.file("r.jsonl"));
        EXPECT_FALSE(counts.ok());
        EXPECT_TRUE(good(to.select({})).empty());
        return counts.ok() ? "" : counts.error();
    };
    EXPECT_THAT(fault(text.substr(0, text.size() - 20)), HasSubstr("r.jsonl, line 7: "));
    EXPECT_THAT(fault(text + "{\"nonsense\": 1}\n"), HasSubstr("line 8: neither"));
    EXPECT_THAT(fault(text + "{\"record\": {\"kind\": \"trial\"}}\n"), HasSubstr("line 8: "));
    EXPECT_THAT(fault("{\"nestor_records\": 2}\n"), HasSubstr("newer Nestor"));
    EXPECT_THAT(fault("{\"functions\": []}\n"), HasSubstr("line 1: no records"));
    EXPECT_THAT(fault("[1]\n"), HasSubstr("line 1: no records"));
    EXPECT_THAT(fault("hello\n"), HasSubstr("neither a records file of Nestor nor JSON lines"));
    EXPECT_THAT(fault(""), HasSubstr("is empty"));
    EXPECT_THAT(import_records(to, folder.file("none")).error(), HasSubstr("cannot open"));
}

TEST(Base64, ThereAndBack) {
    EXPECT_EQ(to_base64(""), "");
    EXPECT_EQ(to_base64("f"), "Zg==");
    EXPECT_EQ(to_base64("fo"), "Zm8=");
    EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
    std::string bytes;
    for (int i = 0; i < 1000; i++) {
        EXPECT_EQ(good(from_base64(to_base64(bytes))), bytes);
        bytes += static_cast<char>(i * 7 % 256);
    }
    for (const char* bad : {"Zg=", "Z===", "Zg==Zg==", "Z-==", "====", "abc"}) {
        EXPECT_FALSE(from_base64(bad).ok()) << bad;
    }
}

}  // namespace
}  // namespace nestor
