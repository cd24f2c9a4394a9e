#include "report/build_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "machine/profiles.h"
#include "records/sample_records.h"
#include "report/structure.h"
#include "schedule/print.h"
#include "schedule/sample_dags.h"

namespace nestor {
namespace {

using samples::add;
using samples::failure;
using samples::final_of;
using samples::Folder;
using samples::good;
using samples::trial;
using testing::ElementsAre;

/// blur_x inlined into blur_y, at root, or in the rows of tiles of blur_y.
enum class Place { Inlined, Root, Tile };
Schedule blur_schedule(const PipelineDag& dag, Place place, std::int64_t tile = 32) {
    Schedule schedule = empty_schedule(dag);
    schedule.functions[0].compute = Level::inlined();
    schedule.functions[1].compute = place == Place::Inlined ? Level::inlined() : Level::root();
    schedule.functions[2].compute = Level::root();
    if (place == Place::Tile) {
        (void)samples::split(samples::nest(schedule, 2), 1, tile);
        schedule.functions[1].compute = Level::at({2, 0, {1, 0}});
    }
    return schedule;
}

/// A trial of a real schedule.
Record trial_of(const PipelineDag& dag, const Schedule& schedule, double seconds) {
    Record record = trial(hash_text(hash(schedule, dag)), seconds);
    record.schedule = print_json(dag, schedule);
    return record;
}

Result<KnownPipeline> known_blur() {
    Machine machine = shipped_profile(InstructionSet::X86Avx2);
    machine.parallelism = samples::task().threads;
    return KnownPipeline{samples::blur(), std::move(machine)};
}

class ReportTest : public testing::Test {
  protected:
    Report report(const Result<KnownPipeline>& pipeline = Error{"it is not there"},
                  const Profiler& profiler = nullptr) {
        return good(build_report(store_, good(store_.tasks()).front(), pipeline, profiler));
    }

    Folder folder_;
    RecordStore store_ = samples::writable(folder_.file("records.db"));
};

std::vector<double> best_so_far(const Report& report) {
    std::vector<double> seconds;
    for (const ReportTrial& each : report.trials) {
        seconds.push_back(each.best_seconds);
    }
    return seconds;
}

TEST_F(ReportTest, TheCurveFallsAndPassesOverFailures) {
    add(store_, failure("f", "crash"));
    add(store_, trial("a", 4));
    add(store_, trial("b", 5));
    add(store_, trial("c", 2));
    const Report made = report();
    EXPECT_THAT(best_so_far(made), ElementsAre(0, 4, 4, 2));
    EXPECT_FALSE(made.trials[0].is_gain);
    EXPECT_TRUE(made.trials[1].is_gain);
    EXPECT_FALSE(made.trials[2].is_gain);
    EXPECT_EQ(made.trials[3].number, 4);
    EXPECT_EQ(made.first_seconds, 4);
    EXPECT_EQ(made.speed_up(), 2);
}

TEST_F(ReportTest, WhatIsFoundWrongLaterNeverWasTheBest) {
    add(store_, trial("a", 4));
    add(store_, trial("b", 1));
    add(store_, failure("b", "refused"));
    const Report made = report();
    EXPECT_THAT(best_so_far(made), ElementsAre(4, 4, 4));
    EXPECT_TRUE(made.trials[1].withdrawn);
    ASSERT_EQ(made.best.size(), 1U);
    EXPECT_EQ(made.best[0].schedule_hash, "a");
    EXPECT_EQ(made.winner->schedule.schedule_hash, "a");
}

TEST_F(ReportTest, FinalsDecideAndAreNoTrials) {
    add(store_, trial("a", 4));
    add(store_, trial("b", 3));
    add(store_, final_of("a", 3.5));
    const Report made = report();
    EXPECT_EQ(made.trials.size(), 2U);
    EXPECT_EQ(made.winner->schedule.schedule_hash, "a");
    EXPECT_TRUE(made.winner->schedule.is_final);
    EXPECT_EQ(made.winner->schedule.trial, 1);
    EXPECT_EQ(made.winner->samples, 1);
    EXPECT_DOUBLE_EQ(made.speed_up(), 4 / 3.5);
}

TEST_F(ReportTest, TrialsAreInTheOrderOfTheirTimes) {
    Record late = trial("late", 1);
    late.created = "2026-11-23T11:20:06Z";
    add(store_, late);
    add(store_, trial("early", 2));
    const Report made = report();
    EXPECT_EQ(made.trials[0].schedule_hash, "early");
    EXPECT_EQ(made.first_seconds, 2);
}

TEST_F(ReportTest, FailuresAreCountedByKindAndMessage) {
    Record other = failure("c", "crash");
    other.message = "another reason";
    add(store_, failure("w", "wrong"));
    add(store_, other);
    add(store_, failure("a", "crash"));
    add(store_, failure("b", "crash"));
    const Report made = report();
    ASSERT_EQ(made.failures.size(), 2U);
    EXPECT_EQ(made.failures[0].outcome, "crash");
    EXPECT_EQ(made.failures[0].count, 3);
    ASSERT_EQ(made.failures[0].messages.size(), 2U);
    EXPECT_EQ(made.failures[0].messages[0].text, "why");
    EXPECT_EQ(made.failures[0].messages[0].count, 2);
    EXPECT_EQ(made.failures[0].messages[0].first_trial, 3);
    EXPECT_EQ(made.failures[1].outcome, "wrong");
    EXPECT_FALSE(made.winner);
    EXPECT_EQ(made.speed_up(), 0);
}

TEST_F(ReportTest, StructuresLeaveOutNumbers) {
    const PipelineDag dag = samples::blur();
    add(store_, trial_of(dag, blur_schedule(dag, Place::Root), 4));
    add(store_, trial_of(dag, blur_schedule(dag, Place::Tile, 32), 3));
    add(store_, trial_of(dag, blur_schedule(dag, Place::Tile, 64), 2));
    Record crashed = trial_of(dag, blur_schedule(dag, Place::Inlined), 0);
    crashed.outcome = "crash";
    add(store_, crashed);
    const Report made = report(known_blur());
    EXPECT_FALSE(made.structures_by_origin);
    ASSERT_EQ(made.structures.size(), 3U);
    EXPECT_EQ(made.structures[0].text, "root: blur_y; in blur_y.y: blur_x");
    EXPECT_EQ(made.structures[0].trials, 2);
    EXPECT_EQ(made.structures[0].best_seconds, 2);
    EXPECT_EQ(made.structures[0].first_trial, 2);
    EXPECT_EQ(made.structures[1].text, "root: blur_x, blur_y");
    EXPECT_EQ(made.structures[2].text, "root: blur_y");
    EXPECT_EQ(made.structures[2].timed, 0);
    EXPECT_EQ(made.structures[2].best_seconds, 0);
    EXPECT_EQ(made.best[0].structure, 0);
    EXPECT_EQ(made.best[2].structure, 1);
}

TEST_F(ReportTest, TheWinnerIsShownWithItsCost) {
    const PipelineDag dag = samples::blur();
    const Schedule schedule = blur_schedule(dag, Place::Tile);
    add(store_, trial_of(dag, schedule, 2));
    const Report made = report(known_blur());
    ASSERT_TRUE(made.winner && made.winner->code);
    const ReportCode& code = *made.winner->code;
    EXPECT_EQ(code.loop_nest, print_loop_nest(dag, schedule));
    EXPECT_EQ(code.cpp, print_cpp(dag, schedule));
    EXPECT_EQ(code.python, print_python(dag, schedule));
    ASSERT_EQ(code.costs.size(), 1U);
    EXPECT_EQ(code.costs[0].function, "blur_y");
    EXPECT_GT(code.cost.total(), 0);
    EXPECT_DOUBLE_EQ(code.costs[0].cost.total(), code.cost.total());
    EXPECT_EQ(made.missing, "");
}

TEST_F(ReportTest, AProfileIsAddedUpByFunctionAtRoot) {
    const PipelineDag dag = samples::blur();
    const auto profiler = [](const Schedule& /*schedule*/) -> Result<std::vector<ReportProfile>> {
        return std::vector<ReportProfile>{{"blur_y", 2, 3}, {"blur_x", 1, 2}, {"overhead", -1, 1}};
    };
    add(store_, trial_of(dag, blur_schedule(dag, Place::Root), 2));
    const auto profiled = [&] {
        std::vector<double> seconds;
        const Report made = report(known_blur(), profiler);
        for (const ReportCost& each : made.winner->code->costs) {
            seconds.push_back(each.profiled);
        }
        return seconds;
    };
    EXPECT_THAT(profiled(), ElementsAre(2, 3));
    add(store_, trial_of(dag, blur_schedule(dag, Place::Tile), 1));
    EXPECT_THAT(profiled(), ElementsAre(5));
}

TEST_F(ReportTest, WithoutAProfileItSaysWhy) {
    const PipelineDag dag = samples::blur();
    add(store_, trial_of(dag, blur_schedule(dag, Place::Root), 2));
    const Report made = report(
        known_blur(), [](const Schedule& /*schedule*/) { return Error{"it is another machine"}; });
    EXPECT_EQ(made.winner->code->profile_missing, "it is another machine");
    EXPECT_TRUE(made.winner->code->profile.empty());
    EXPECT_EQ(made.winner->code->costs[0].profiled, 0);
}

TEST_F(ReportTest, WithoutThePipelineItSaysWhyAndShowsTheRest) {
    add(store_, trial("a", 4));
    const Report made = report(Error{"it is not there"});
    EXPECT_EQ(made.missing, "it is not there");
    EXPECT_TRUE(made.structures_by_origin);
    EXPECT_EQ(made.structures[0].text, "search: from tiles");
    ASSERT_TRUE(made.winner);
    EXPECT_FALSE(made.winner->code);
    EXPECT_EQ(made.winner->json, trial("a", 4).schedule);
}

TEST_F(ReportTest, AScheduleOfAnotherPipelineIsMissingNotFatal) {
    add(store_, trial("a", 4));
    const Report made = report(known_blur());
    EXPECT_FALSE(made.winner->code);
    EXPECT_NE(made.missing, "");
    EXPECT_EQ(made.structures[0].text, "not read by this Nestor");
}

TEST(StructureText, EveryPlaceHasItsWord) {
    const PipelineDag dag = samples::zoo();
    EXPECT_EQ(structure_text(dag, empty_schedule(dag)),
              "root: out; at each use: sum#1, foreign; as its author scheduled it: user");
}

}  // namespace
}  // namespace nestor
