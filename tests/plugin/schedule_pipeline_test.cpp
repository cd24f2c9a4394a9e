#include "plugin/schedule_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "halide/apply.h"
#include "halide/equivalence.h"
#include "halide/lower.h"
#include "halide/verify.h"
#include "machine/profiles.h"
#include "schedule/legality.h"
#include "schedule/print.h"
#include "search/folds.h"

namespace nestor {
namespace {

using Halide::Func;
using Halide::Pipeline;
using Halide::Target;
using Halide::Var;

const Target kTarget("x86-64-linux-avx2-fma");

/** Two stencils, too wide to be inlined for nothing. */
Pipeline stencils() {
    const Var x("x"), y("y");
    Halide::ImageParam input(Halide::Float(32), 2, "input");
    Func rows("rows"), out("out");
    Halide::Expr sum = 0.0f, total = 0.0f;
    for (int i = -4; i <= 4; i++) {
        sum += Halide::sqrt(input(x + i, y)) * float(i + 5);
    }
    rows(x, y) = sum;
    for (int i = -4; i <= 4; i++) {
        total += rows(x, y + i);
    }
    out(x, y) = total;
    out.set_estimates({{0, 1024}, {0, 768}});
    input.set_estimates({{-4, 1032}, {-4, 776}});
    return out;
}

ScheduleOutcome scheduled(const Pipeline& pipeline, const Params& params = {}) {
    Result<ScheduleOutcome> outcome = schedule_pipeline(pipeline, kTarget, params);
    EXPECT_TRUE(outcome) << outcome.error();
    return outcome ? std::move(outcome).value() : ScheduleOutcome{};
}

TEST(SchedulePipeline, AppliesWhatItSays) {
    const Pipeline pipeline = stencils();
    const Pipeline copy = deep_copy(pipeline);
    const ScheduleOutcome outcome = scheduled(pipeline);
    EXPECT_NE(outcome.chosen, "unscheduled");
    ASSERT_TRUE(apply(copy, outcome.dag, outcome.schedule));
    const auto a = lower(pipeline, kTarget);
    const auto b = lower(copy, kTarget);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(difference(a.value(), b.value()), "");
    EXPECT_EQ(outcome.report, "") << "silent by default";
}

TEST(SchedulePipeline, IsReproducible) {
    const ScheduleOutcome a = scheduled(stencils());
    const ScheduleOutcome b = scheduled(stencils());
    EXPECT_EQ(print_json(a.dag, a.schedule), print_json(b.dag, b.schedule));
}

// The answer is never that there was no time: the seeds are always there, and one is always tried.
TEST(SchedulePipeline, LimitsLeaveTheBestCandidateSoFar) {
    Params unsearched;
    unsearched.num_passes = 0;
    const ScheduleOutcome seed = scheduled(stencils(), unsearched);
    EXPECT_NE(scheduled(stencils()).chosen, seed.chosen);
    Params hurried;
    hurried.time_limit = 1e-9;
    EXPECT_EQ(scheduled(stencils(), hurried).chosen, seed.chosen);
    Params crammed;
    crammed.search_memory = 1;  // which a search may still find in what the process has
    EXPECT_NE(scheduled(stencils(), crammed).chosen, "unscheduled");
}

TEST(SchedulePipeline, DropOutSamplesOtherCandidatesBySeed) {
    std::set<std::uint64_t> chosen;
    Params params;
    params.random_dropout = 30;
    for (std::uint64_t seed = 0; seed < 6; seed++) {
        params.random_dropout_seed = seed;
        const ScheduleOutcome outcome = scheduled(stencils(), params);
        EXPECT_EQ(outcome.schedule, scheduled(stencils(), params).schedule);
        chosen.insert(hash(outcome.schedule, outcome.dag));
    }
    EXPECT_GT(chosen.size(), 1U);
}

TEST(SchedulePipeline, RespectsTheMemoryLimit) {
    Params params;
    params.memory_limit = 0;
    const ScheduleOutcome outcome = scheduled(stencils(), params);
    EXPECT_EQ(peak_bytes(outcome.dag, outcome.schedule, 1), 0);
    EXPECT_GT(peak_bytes(outcome.dag, scheduled(stencils()).schedule, 1), 0);
}

/** A chain of stencils, of which the last function reads the first, too. */
Pipeline long_memory() {
    const Var x("x"), y("y");
    Halide::ImageParam input(Halide::Float(32), 2, "input");
    const Func clamped = Halide::BoundaryConditions::repeat_edge(input);
    std::vector<Func> chain = {Func("first"), Func("second"), Func("third"), Func("fourth")};
    chain[0](x, y) = Halide::sqrt(clamped(x, y)) + Halide::sqrt(clamped(x, y) + 1.0f);
    for (std::size_t f = 1; f < chain.size(); f++) {
        Halide::Expr sum = 0.0f;
        for (int i = -3; i <= 3; i++) {
            sum += chain[f - 1](x + i, y - i) * float(i + 5);
        }
        chain[f](x, y) = sum;
    }
    Func out("out");
    out(x, y) = chain[0](x, y) / chain.back()(x, y);
    out.set_estimates({{0, 2048}, {0, 1536}});
    input.set_estimates({{0, 2048}, {0, 1536}});
    return out;
}

// On one thread rows slide through the whole picture, and with a tail that is shifted Halide 21
// folds none of them: 12 MiB each.
TEST(SchedulePipeline, WhatSlidesIsFolded) {
    Params params;
    params.parallelism = 1;
    params.verbosity = 2;
    const ScheduleOutcome outcome = scheduled(long_memory(), params);
    ASSERT_FALSE(outcome.lowered.allocated.empty()) << outcome.report;
    bool slides = false;
    for (const auto& [function, bytes] : outcome.lowered.allocated) {
        const FunctionSchedule& f = outcome.schedule.functions[function];
        slides = slides || !(f.store == f.compute);
        EXPECT_LT(bytes, 1 << 20) << outcome.dag.functions[function].id.text() << outcome.report;
    }
    EXPECT_TRUE(slides) << outcome.report;
}

/** Sharp pixels of a picture, of which each is scaled by how the colours around it vary. */
Pipeline varying_colours() {
    const Var x("x"), y("y");
    Halide::ImageParam input(Halide::UInt(8), 3, "input");
    const Func clamped = Halide::BoundaryConditions::repeat_edge(input);
    Func gray("gray"), across("across"), down("down"), out("out");
    gray(x, y) =
        Halide::sqrt(0.3f * clamped(x, y, 0) + 0.6f * clamped(x, y, 1) + 0.1f * clamped(x, y, 2));
    const auto difference = [&](int dx, int dy, int i) {
        return gray(x + dx + dy * i, y + dy + dx * i) - gray(x - dx + dy * i, y - dy + dx * i);
    };
    across(x, y) = difference(1, 0, -1) + 2 * difference(1, 0, 0) + difference(1, 0, 1);
    down(x, y) = difference(0, 1, -1) + 2 * difference(0, 1, 0) + difference(0, 1, 1);
    Halide::Expr sum = 0.0f;
    for (int i = -1; i <= 1; i++) {
        for (int j = -1; j <= 1; j++) {
            sum += Halide::sqrt(across(x + i, y + j) * across(x + i, y + j) +
                                down(x + i, y + j) * down(x + i, y + j));
        }
    }
    out(x, y) = gray(x, y) / (1 + sum);
    out.set_estimates({{0, 1536}, {0, 2560}});
    input.set_estimates({{0, 1540}, {0, 2564}, {0, 3}});
    return out;
}

// A fold is for all nests. Those of small outputs have guards, under which no window moves one way:
// they slide nothing (search/single_blocks.h).
TEST(SchedulePipeline, WhatSlidesInTilesMayBeFolded) {
    Params params;
    params.parallelism = 2;
    const ScheduleOutcome outcome = scheduled(varying_colours(), params);
    const Schedule folded =
        with_folds(outcome.dag, outcome.schedule, shipped_profile(InstructionSet::X86Avx2));
    const auto count = std::ranges::count_if(
        folded.functions, [](const FunctionSchedule& f) { return f.fold.has_value(); });
    EXPECT_EQ(count, 3) << print_loop_nest(outcome.dag, outcome.schedule);
    const Pipeline pipeline = varying_colours();
    const Pipeline copy = deep_copy(pipeline);
    const Status applied = apply(copy, outcome.dag, folded);
    ASSERT_TRUE(applied.ok()) << applied.error();
    const Status verified = Verifier::create(pipeline, kTarget).value().verify(copy);
    EXPECT_TRUE(verified.ok()) << verified.error();
}

/** The strongest edges of a picture whose border lies at constants. */
Pipeline edges_within_constants() {
    const Var x("x"), y("y");
    Halide::ImageParam input(Halide::UInt(8), 2, "input");
    const Func within = Halide::BoundaryConditions::repeat_edge(input, {{0, 1280}, {0, 720}});
    Func values("values"), rows("rows"), columns("columns"), along("along"), down("down");
    Func strength("strength"), out("out");
    values(x, y) = Halide::cast<float>(within(x, y));
    rows(x, y) = (values(x - 2, y) + 4 * values(x - 1, y) + 6 * values(x, y) +
                  4 * values(x + 1, y) + values(x + 2, y)) /
                 16;
    columns(x, y) = (rows(x, y - 2) + 4 * rows(x, y - 1) + 6 * rows(x, y) + 4 * rows(x, y + 1) +
                     rows(x, y + 2)) /
                    16;
    along(x, y) = columns(x + 1, y - 1) + 2 * columns(x + 1, y) + columns(x + 1, y + 1) -
                  columns(x - 1, y - 1) - 2 * columns(x - 1, y) - columns(x - 1, y + 1);
    down(x, y) = columns(x - 1, y + 1) + 2 * columns(x, y + 1) + columns(x + 1, y + 1) -
                 columns(x - 1, y - 1) - 2 * columns(x, y - 1) - columns(x + 1, y - 1);
    strength(x, y) = Halide::sqrt(along(x, y) * along(x, y) + down(x, y) * down(x, y));
    const Halide::Expr steep = Halide::abs(along(x, y)) < Halide::abs(down(x, y));
    const Halide::Expr before = select(steep, strength(x, y - 1), strength(x - 1, y));
    const Halide::Expr after = select(steep, strength(x, y + 1), strength(x + 1, y));
    out(x, y) = select(strength(x, y) > before && strength(x, y) > after, strength(x, y), 0.0f);
    out.set_estimates({{0, 1280}, {0, 720}});
    input.set_estimates({{0, 1280}, {0, 720}});
    return out;
}

// Where rounding up reads too much at smaller sizes, each start has its guarded form tried, not
// only the first; and that one is enough.
TEST(SchedulePipeline, TriesTheGuardedFormOfEachStartThatReadsTooMuch) {
    Params params;
    params.verbosity = 2;
    const ScheduleOutcome outcome = scheduled(edges_within_constants(), params);
    // Of lines "START<form>: <verdict>", the starts.
    const auto starts = [&](const std::string& form, const std::string& verdict) {
        std::set<std::string> names;
        std::istringstream lines(outcome.report);
        for (std::string line; std::getline(lines, line);) {
            const std::string start = line.substr(0, line.find(form + ": " + verdict));
            if (start != line && start.find(',') == std::string::npos) {
                names.insert(start);
            }
        }
        return names;
    };
    const std::string ends = ", guarded at constant ends";
    const std::set<std::string> refused = starts("", "refused: at ");
    const std::set<std::string> passed = starts(ends, "lowered");
    std::set<std::string> tried = starts(ends, "refused");
    tried.insert(passed.begin(), passed.end());
    EXPECT_GE(passed.size(), 2U) << outcome.report;
    EXPECT_EQ(tried, refused) << outcome.report;
    for (const std::string& start : starts(", guarded", "refused")) {
        EXPECT_FALSE(passed.contains(start)) << start;
    }
}

TEST(SchedulePipeline, NamesAScheduleThatIsNotThere) {
    Params params;
    params.schedule = "/nowhere/schedule.json";
    const Result<ScheduleOutcome> missing = schedule_pipeline(stencils(), kTarget, params);
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().find("/nowhere/schedule.json"), std::string::npos);
}

}  // namespace
}  // namespace nestor
