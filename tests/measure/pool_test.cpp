// Candidates that crash, hang, devour memory or compute something else end themselves, never the
// run.

#include "measure/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "halide/pipeline_file.h"
#include "halide/read_pipeline.h"
#include "machine/profiles.h"
#include "schedule/print.h"
#include "search/seeds.h"

namespace nestor {
namespace {

using ::testing::HasSubstr;

const std::string kFaults = std::string(NESTOR_FAULTS) + "/lib";

std::string library(const std::string& name) {
    return kFaults + name + ".so";
}

/// Blurs what an extern function hands through.
Halide::Pipeline faulty_pipeline(int size) {
    Halide::Var x("x");
    Halide::Var y("y");
    Halide::Func through("through");
    through(x, y) = Halide::Internal::Call::make(Halide::Int(32), "with_fault", {x % 100 + y % 7},
                                                 Halide::Internal::Call::Extern);
    Halide::Func out("out");
    out(x, y) = through(x, y) + through(x + 1, y);
    out.set_estimates({{0, size}, {0, size}});
    return {out};
}

Halide::Pipeline blur() {
    Halide::Var x("x");
    Halide::Var y("y");
    Halide::ImageParam in(Halide::Float(32), 2, "in");
    Halide::Func clamped = Halide::BoundaryConditions::repeat_edge(in);
    Halide::Func across("across");
    across(x, y) = clamped(x - 1, y) + clamped(x, y) + clamped(x + 1, y);
    Halide::Func out("out");
    out(x, y) = across(x, y - 1) + across(x, y) + across(x, y + 1);
    in.set_estimates({{0, 500}, {0, 300}});
    out.set_estimates({{0, 500}, {0, 300}});
    return {out};
}

/// Half of its pixels are white, and which ones depends on the last bit of a sum of products.
Halide::Pipeline tips_over() {
    Halide::Var x("x");
    Halide::Var y("y");
    Halide::ImageParam in(Halide::Float(32), 2, "in");
    Halide::Func product("product");
    product(x, y) = in(x, y) * 0.7310585f;
    Halide::Func out("out");
    const Halide::Expr step = Halide::cast<int>(4096.0f * (product(x, y) + product(x + 1, y)));
    out(x, y) = Halide::cast<uint8_t>(step % 2 * 255);
    in.set_estimates({{0, 501}, {0, 300}});
    out.set_estimates({{0, 500}, {0, 300}});
    return {out};
}

/// Sums of rows, and of these.
Halide::Pipeline scans() {
    Halide::Var x("x");
    Halide::Var y("y");
    Halide::ImageParam in(Halide::Int(32), 2, "in");
    const Halide::RDom row(1, 299, "row");
    Halide::Func down("down");
    down(x, y) = in(x, y);
    down(x, row) += down(x, row - 1);
    Halide::Func across("across");
    const Halide::RDom column(1, 499, "column");
    across(x, y) = down(x, y);
    across(column, y) += across(column - 1, y);
    Halide::Func out("out");
    out(x, y) = across(x, y);
    in.set_estimates({{0, 500}, {0, 300}});
    out.set_estimates({{0, 500}, {0, 300}});
    return {out};
}

/// Every function at root, in scalars.
Candidate at_root(const PipelineDag& dag) {
    Schedule schedule = empty_schedule(dag);
    for (FunctionSchedule& f : schedule.functions) {
        f.compute = Level::root();
    }
    return {print_json(dag, schedule)};
}

class MeasurePoolTest : public ::testing::Test {
  protected:
    MeasurePoolTest() {
        folder_ =
            std::filesystem::temp_directory_path() / ("nestor_measure_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
        options_.threads = 2;
        options_.run_seconds = 1;
        options_.timing_seconds = 0.05;
    }
    ~MeasurePoolTest() override { std::filesystem::remove_all(folder_); }

    void save(const Halide::Pipeline& pipeline) {
        options_.pipeline = (folder_ / "pipeline.hlpipe").string();
        const Status saved = save_pipeline(pipeline, options_.pipeline);
        ASSERT_TRUE(saved) << saved.error();
    }
    std::unique_ptr<MeasurePool> start() {
        Result<std::unique_ptr<MeasurePool>> pool =
            MeasurePool::start({NESTOR_COMMAND, "measure-worker"}, options_);
        EXPECT_TRUE(pool) << pool.error();
        return pool ? std::move(pool).value() : nullptr;
    }

    std::filesystem::path folder_;
    MeasureOptions options_;
};

// Where products stay in memory, they are rounded before they are added.
TEST_F(MeasurePoolTest, WhatARoundingTipsOverIsNotWrong) {
    save(tips_over());
    const auto pool = start();
    ASSERT_NE(pool, nullptr);
    const Result<PipelineDag> dag = read_pipeline(tips_over(), Halide::get_host_target());
    ASSERT_TRUE(dag) << dag.error();
    const std::vector<Candidate> candidates{{"none"}, at_root(dag.value())};
    for (const Measurement& m : pool->measure(candidates)) {
        EXPECT_EQ(m.outcome, Outcome::Timed) << m.message;
    }
}

// Unscheduled, Halide 21 computes the first row's vertical differences of one row only: such a
// pipeline is wrong as it is, and what computes the right values is not.
TEST_F(MeasurePoolTest, TheReferenceHasNoDividedLoops) {
    Halide::Var x("x");
    Halide::Var y("y");
    Halide::ImageParam in(Halide::UInt(8), 2, "in");
    in.dim(0).set_min(0);
    in.dim(1).set_min(0);
    const Halide::Func clamped = Halide::BoundaryConditions::repeat_edge(in);
    const Halide::RDom r(0, in.dim(0).extent(), 1, in.dim(1).extent() - 1, "r");
    Halide::Func paths("paths");
    paths(x, y) = Halide::cast<int>(Halide::absd(clamped(x + 1, y), clamped(x - 1, y))) +
                  Halide::cast<int>(Halide::absd(clamped(x, y + 1), clamped(x, y - 1)));
    const Halide::Expr left =
        paths(Halide::clamp(Halide::likely(r.x - 1), 0, in.dim(0).extent() - 1), r.y - 1);
    paths(r.x, r.y) += Halide::min(paths(r.x, r.y - 1), left);
    in.set_estimates({{0, 128}, {0, 96}});
    paths.set_estimates({{0, 128}, {0, 96}});
    const Halide::Pipeline pipeline(paths);
    save(pipeline);
    const auto pool = start();
    ASSERT_NE(pool, nullptr);
    const Result<PipelineDag> dag = read_pipeline(pipeline, Halide::get_host_target());
    ASSERT_TRUE(dag) << dag.error();
    const std::vector<Candidate> candidates{at_root(dag.value())};
    const Measurement right = pool->measure(candidates).front();
    EXPECT_EQ(right.outcome, Outcome::Timed) << right.message;
}

// As it is, each pixel would take a scan of its own: four hours.
TEST_F(MeasurePoolTest, ScansWithoutAPlaceAreAtRootInTheReference) {
    options_.reference_seconds = 30;
    save(scans());
    const auto pool = start();
    ASSERT_NE(pool, nullptr);
    EXPECT_EQ(pool->verified_against(), "the pipeline with every function at root");
}

TEST_F(MeasurePoolTest, EverySeedIsTimedAndRight) {
    save(blur());
    const auto pool = start();
    ASSERT_NE(pool, nullptr);
    EXPECT_EQ(pool->verified_against(), "the unscheduled pipeline");
    const Result<PipelineDag> dag = read_pipeline(blur(), Halide::get_host_target());
    ASSERT_TRUE(dag) << dag.error();
    std::vector<Candidate> candidates{{"none"}};
    for (const Seed& seed : make_seeds(dag.value(), shipped_profile(InstructionSet::X86Avx2))) {
        candidates.push_back({print_json(dag.value(), seed.schedule)});
    }
    std::vector<bool> told(candidates.size(), false);
    const std::vector<Measurement> results =
        pool->measure(candidates, [&](std::size_t i, const Measurement&) { told[i] = true; });
    ASSERT_EQ(results.size(), candidates.size());
    for (std::size_t i = 0; i < results.size(); i++) {
        const Measurement& m = results[i];
        EXPECT_EQ(m.outcome, Outcome::Timed) << m.message;
        EXPECT_TRUE(told[i]);
        EXPECT_GT(m.seconds, 0);
        EXPECT_GT(m.drift, 0);
        EXPECT_GT(m.build_seconds, 0);
        EXPECT_FALSE(m.samples.empty());
        EXPECT_EQ(m.machine.threads, 2);
        EXPECT_EQ(m.verified_against, pool->verified_against());
    }
}

TEST_F(MeasurePoolTest, FaultsAreOutcomes) {
    // Some hundreds with NESTOR_TEST_FAULTS, which takes minutes.
    const char* asked = std::getenv("NESTOR_TEST_FAULTS");
    const int rounds = asked != nullptr ? std::atoi(asked) / 5 : 2;
    ASSERT_GT(rounds, 0);
    save(faulty_pipeline(32));
    options_.load = {library("nestor_faults")};
    const auto pool = start();
    ASSERT_NE(pool, nullptr);
    const int worker = pool->worker();
    const std::vector<std::pair<std::string, Outcome>> kinds = {
        {"crash", Outcome::Crash}, {"loop", Outcome::Timeout}, {"allocate", Outcome::OutOfMemory},
        {"wrong", Outcome::Wrong}, {"abort", Outcome::Crash},  {"", Outcome::Timed}};
    std::vector<Candidate> candidates;
    std::vector<Outcome> expected;
    for (int round = 0; round < rounds; round++) {
        for (const auto& [kind, outcome] : kinds) {
            candidates.push_back({"none"});
            if (!kind.empty()) {
                candidates.back().load = {library("fault_" + kind)};
            }
            expected.push_back(outcome);
        }
    }
    const std::vector<Measurement> results = pool->measure(candidates);
    std::map<std::string, int> counts;
    for (std::size_t i = 0; i < results.size(); i++) {
        EXPECT_EQ(results[i].outcome, expected[i])
            << kinds[i % kinds.size()].first << ": " << results[i].message;
        counts[outcome_name(results[i].outcome)]++;
    }
    for (const auto& [name, count] : counts) {
        std::cout << name << ": " << count << "\n";
    }
    EXPECT_EQ(pool->worker(), worker) << "the worker itself died";
}

TEST_F(MeasurePoolTest, AResultThatGoesWrongLaterIsSeen) {
    save(faulty_pipeline(64));
    options_.load = {library("nestor_faults")};
    const auto pool = start();
    ASSERT_NE(pool, nullptr);
    const std::vector<Candidate> candidates{{"none", {library("fault_late")}}};
    const Measurement result = pool->measure(candidates).front();
    EXPECT_EQ(result.outcome, Outcome::Wrong) << result.message;
    EXPECT_THAT(result.message, HasSubstr("in a later run"));
}

TEST_F(MeasurePoolTest, AWorkerThatDiesIsReplaced) {
    save(faulty_pipeline(32));
    options_.load = {library("nestor_faults")};
    const auto pool = start();
    ASSERT_NE(pool, nullptr);
    const std::vector<Candidate> candidates(8, Candidate{"none"});
    bool killed = false;
    const std::vector<Measurement> results =
        pool->measure(candidates, [&](std::size_t, const Measurement&) {
            if (!killed) {
                killed = kill(pool->worker(), SIGKILL) == 0;
            }
        });
    EXPECT_TRUE(killed);
    for (const Measurement& result : results) {
        EXPECT_EQ(result.outcome, Outcome::Timed) << result.message;
    }
}

// Whatever the machine does meanwhile, a candidate takes as long as itself.
TEST_F(MeasurePoolTest, BesideAnAnchorTimesAreRelative) {
    options_.timing_seconds = 0.5;
    save(blur());
    const auto pool = start();
    ASSERT_NE(pool, nullptr);
    const Result<PipelineDag> dag = read_pipeline(blur(), Halide::get_host_target());
    ASSERT_TRUE(dag) << dag.error();
    const Candidate scalar = at_root(dag.value());
    const double said = 1000;  // a million times what it takes
    pool->set_anchor(scalar, said);
    const std::vector<Seed> seeds =
        make_seeds(dag.value(), shipped_profile(InstructionSet::X86Avx2));
    const std::vector<Candidate> candidates{scalar, {print_json(dag.value(), seeds[0].schedule)}};
    const std::vector<Measurement> results = pool->measure(candidates);
    for (const Measurement& m : results) {
        ASSERT_EQ(m.outcome, Outcome::Timed) << m.message;
        EXPECT_GT(m.anchor_seconds, 0);
        EXPECT_EQ(m.drift, m.anchor_seconds / said);
    }
    EXPECT_NEAR(results[0].seconds, said, said / 2);
    EXPECT_LT(results[1].seconds, said);  // in vectors, on two threads
    // One that another worker would have, too.
    ASSERT_EQ(kill(pool->worker(), SIGKILL), 0);
    EXPECT_GT(pool->measure(candidates)[0].anchor_seconds, 0);
}

TEST_F(MeasurePoolTest, AnAnchorThatCannotBeRunIsNone) {
    save(faulty_pipeline(32));
    options_.load = {library("nestor_faults")};
    const auto pool = start();
    ASSERT_NE(pool, nullptr);
    const int worker = pool->worker();
    const std::vector<Candidate> anchors{{"no schedule"},
                                         {"none", {library("fault_crash")}},
                                         {"none", {library("fault_loop")}},
                                         {"none", {library("fault_leave")}},
                                         {"none", {library("fault_stop")}}};
    for (const Candidate& anchor : anchors) {
        pool->set_anchor(anchor, 1);
        const std::vector<Candidate> candidates(3, Candidate{"none"});
        for (const Measurement& m : pool->measure(candidates)) {
            EXPECT_EQ(m.outcome, Outcome::Timed) << m.message;
            EXPECT_EQ(m.anchor_seconds, 0);
        }
    }
    EXPECT_EQ(pool->worker(), worker) << "the worker itself died";
}

TEST_F(MeasurePoolTest, WithoutItsExternFunctionsAPipelineIsLoweredOnly) {
    save(faulty_pipeline(32));
    const auto pool = start();
    ASSERT_NE(pool, nullptr);
    EXPECT_EQ(pool->verified_against(), "");
    const std::vector<Candidate> candidates{{"none"}};
    const Measurement result = pool->measure(candidates).front();
    EXPECT_EQ(result.outcome, Outcome::NotRun);
    EXPECT_THAT(result.message, HasSubstr("with_fault"));
    EXPECT_THAT(result.message, HasSubstr("--load"));
}

TEST_F(MeasurePoolTest, WhatIsNoScheduleIsRefused) {
    save(blur());
    const auto pool = start();
    ASSERT_NE(pool, nullptr);
    const std::vector<Candidate> candidates{{"{}"}, {"no JSON", {}}};
    for (const Measurement& result : pool->measure(candidates)) {
        EXPECT_EQ(result.outcome, Outcome::Refused);
        EXPECT_FALSE(result.message.empty());
    }
}

TEST_F(MeasurePoolTest, WhatCannotBeMeasuredIsAnError) {
    options_.pipeline = (folder_ / "missing.hlpipe").string();
    const auto pool = MeasurePool::start({NESTOR_COMMAND, "measure-worker"}, options_);
    ASSERT_FALSE(pool);
    EXPECT_THAT(pool.error(), HasSubstr("missing.hlpipe"));
    const auto nothing = MeasurePool::start({"/nowhere/nestor"}, options_);
    ASSERT_FALSE(nothing);
    EXPECT_THAT(nothing.error(), HasSubstr("/nowhere/nestor"));
}

}  // namespace
}  // namespace nestor
