// A small pipeline tuned with a worker, from the first batch to the finalists.

#include "tune/tuner.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "machine/profiles.h"
#include "schedule/print.h"
#include "tune/task_scheduler.h"

namespace nestor {
namespace {

namespace fs = std::filesystem;

Halide::Pipeline blur() {
    Halide::Var x("x");
    Halide::Var y("y");
    Halide::ImageParam in(Halide::UInt(16), 2, "in");
    Halide::Func across("across");
    across(x, y) = in(x, y) + in(x + 1, y) + in(x + 2, y);
    Halide::Func out("out");
    out(x, y) = (across(x, y) + across(x, y + 1) + across(x, y + 2)) / 9;
    in.set_estimates({{0, 514}, {0, 258}});
    out.set_estimates({{0, 512}, {0, 256}});
    return {out};
}

/// Two blurs of a picture whose border lies at constants, which is far away for a small part of it.
Halide::Pipeline blurs_within_constants() {
    Halide::Var x("x");
    Halide::Var y("y");
    Halide::ImageParam in(Halide::Float(32), 2, "in");
    Halide::Func within = Halide::BoundaryConditions::repeat_edge(in, {{0, 512}, {0, 256}});
    Halide::Func across("across");
    across(x, y) = Halide::sqrt(within(x - 3, y) + within(x, y) + within(x + 3, y));
    Halide::Func down("down");
    down(x, y) = Halide::sqrt(across(x, y - 2) + across(x, y) + across(x, y + 2));
    Halide::Func out("out");
    out(x, y) = down(x - 2, y - 1) + down(x, y) + down(x + 1, y + 2);
    in.set_estimates({{0, 512}, {0, 256}});
    out.set_estimates({{0, 512}, {0, 256}});
    return {out};
}

class Counting : public TuneListener {
  public:
    void measured(const Record& record, const TuneProgress& progress) override {
        schedules.insert(record.schedule_hash);
        count++;
        beside_anchor += nlohmann::json::parse(record.measurement)["anchor_seconds"] > 0 ? 1 : 0;
        last = progress;
    }
    std::set<std::string> schedules;
    int count = 0;
    int beside_anchor = 0;
    TuneProgress last;
};

class TunerTest : public ::testing::Test {
  protected:
    TunerTest() : folder_(fs::path(::testing::TempDir()) / "nestor-tuner") {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
        options_.worker = {NESTOR_COMMAND, "measure-worker"};
        options_.batch = 6;
        options_.finalists = 2;
        options_.final_seconds = 0.5;
    }
    ~TunerTest() override { fs::remove_all(folder_); }

    std::unique_ptr<Tuner> tuner(RecordStore& store, TuneListener& listener,
                                 const Halide::Pipeline& pipeline = blur()) {
        TuneTask task;
        task.name = "blur";
        task.pipeline = pipeline;
        task.target = Halide::get_host_target();
        task.machine = shipped_profile(InstructionSet::X86Avx2);
        task.measure.timing_seconds = 0.1;
        auto made = Tuner::create(std::move(task), options_, store, listener, folder_.string());
        EXPECT_TRUE(made) << made.error();
        return std::move(made).value();
    }
    RecordStore open() {
        auto store = RecordStore::open((folder_ / "records.db").string(), RecordStore::Mode::Write);
        EXPECT_TRUE(store) << store.error();
        return std::move(store).value();
    }

    fs::path folder_;
    TuneOptions options_;
};

/** All trials, then the finalists. */
std::optional<Record> tune(std::unique_ptr<Tuner> tuner, TuneStop expected) {
    std::vector<std::unique_ptr<Tuner>> tuners;
    tuners.push_back(std::move(tuner));
    const auto stops = run_tasks(tuners, 0, [] { return false; });
    EXPECT_TRUE(stops) << stops.error();
    EXPECT_EQ(stops.value().front(), expected);
    auto best = tuners.front()->finish(stops.value().front());
    EXPECT_TRUE(best) << best.error();
    return std::move(best).value();
}

TEST_F(TunerTest, MeasuresKeepsAndGoesOn) {
    RecordStore store = open();
    Counting first;
    options_.limits.trials = 12;
    const auto best = tune(tuner(store, first), TuneStop::Trials);
    ASSERT_TRUE(best);
    EXPECT_EQ(first.count, 12);
    EXPECT_EQ(first.schedules.size(), 12U) << "none twice";
    EXPECT_EQ(best->kind, Record::Kind::Final);
    EXPECT_TRUE(best->timed());
    EXPECT_FALSE(best->plan.empty() && best->origin.empty());

    // Every one is in the file, with what it is about.
    const auto records = store.select(records_of(best->task));
    ASSERT_TRUE(records) << records.error();
    int trials = 0;
    for (const Record& record : records.value()) {
        trials += record.kind == Record::Kind::Trial ? 1 : 0;
        EXPECT_TRUE(record.timed()) << record.message;
        EXPECT_GT(record.predicted, 0);
        if (record.kind == Record::Kind::Trial) {
            // In turns with the first, which was timed by itself.
            const auto measured = nlohmann::json::parse(record.measurement);
            EXPECT_EQ(measured["anchor_seconds"] > 0, trials > 1) << trials;
        }
    }
    EXPECT_EQ(trials, 12);
    const auto kept = store.pipeline(best->task);
    ASSERT_TRUE(kept && kept.value());
    EXPECT_EQ(kept.value()->name, "blur");

    // Another run has six to do, beside the best one, and repeats none.
    Counting second;
    options_.limits.trials = 18;
    ASSERT_TRUE(tune(tuner(store, second), TuneStop::Trials));
    EXPECT_EQ(second.count, 6);
    for (const std::string& schedule : second.schedules) {
        EXPECT_FALSE(first.schedules.contains(schedule));
    }
    EXPECT_EQ(second.last.trials, 18);
    EXPECT_EQ(second.beside_anchor, 6);

    // And the same once more has nothing to do.
    Counting third;
    const auto again = tune(tuner(store, third), TuneStop::Trials);
    EXPECT_EQ(third.count, 0);
    ASSERT_TRUE(again);
}

// What the search would choose rounds up beyond what a part of the picture needs, and would be
// refused in the end, as all that follows from it.
TEST_F(TunerTest, GuardsWhatWouldReadTooMuch) {
    RecordStore store = open();
    Counting listener;
    options_.batch = 2;
    for (int run = 0; run < 2; run++) {  // the second one knows from the records
        const auto more = tuner(store, listener, blurs_within_constants())->step();
        ASSERT_TRUE(more) << more.error();
    }
    const auto records = store.select({});
    ASSERT_TRUE(records) << records.error();
    EXPECT_GE(records.value().size(), 4U);
    for (const Record& record : records.value()) {
        EXPECT_EQ(record.message.find("is required at"), std::string::npos) << record.message;
        EXPECT_NE(record.plan.find(R"("guards":2)"), std::string::npos) << record.origin;
    }
}

TEST_F(TunerTest, StopsWhenToldAndHasTheBestSoFar) {
    RecordStore store = open();
    Counting listener;
    int most = 1000;
    options_.stop = [&] { return listener.count >= most; };
    auto made = tuner(store, listener);
    const auto first = made->step();
    ASSERT_TRUE(first) << first.error();
    const int before = listener.count;
    EXPECT_GE(before, 1);
    most = before + 1;
    const auto second = made->step();
    ASSERT_TRUE(second) << second.error();
    EXPECT_GE(listener.count, before + 1);
    EXPECT_LT(listener.count, before + 6);
    EXPECT_EQ(made->should_stop(), TuneStop::Interrupted);
    const auto best = made->finish(TuneStop::Interrupted);
    ASSERT_TRUE(best && best.value());
    EXPECT_EQ(best.value()->kind, Record::Kind::Trial);
    EXPECT_DOUBLE_EQ(best.value()->seconds, listener.last.best_seconds);
}

TEST_F(TunerTest, StopsAtTheTargetAndWithoutGains) {
    RecordStore store = open();
    Counting listener;
    options_.limits.target_seconds = 3600;
    EXPECT_TRUE(tune(tuner(store, listener), TuneStop::Target));
    EXPECT_GE(listener.count, 1);
    EXPECT_LE(listener.count, 6) << "one batch";
    options_.limits = {0, 0, 0, 1};
    listener = {};
    EXPECT_TRUE(tune(tuner(store, listener), TuneStop::Stagnation));
    EXPECT_GE(listener.count, 1);
}

}  // namespace
}  // namespace nestor
