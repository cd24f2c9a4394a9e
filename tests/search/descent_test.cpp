#include "search/descent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "cost/cost_model.h"
#include "schedule/phases.h"
#include "schedule/placement.h"
#include "schedule/print.h"
#include "schedule/sample_dags.h"
#include "search/inlining.h"
#include "search/moves.h"
#include "search/sample.h"
#include "search/scans.h"
#include "search/search.h"
#include "search/space.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

TEST(Plan, SchedulesFollowFromPlansAndAreMostlyLegal) {
    for (const PipelineDag& dag : samples::all()) {
        int legal = 0;
        for (const Start& start : make_starts(dag, avx2())) {
            const Schedule schedule = build(dag, start.plan);
            EXPECT_EQ(build(dag, start.plan), schedule) << dag.name;
            EXPECT_EQ(normalized(schedule), schedule) << dag.name;
            legal += check_legality(dag, schedule).empty() ? 1 : 0;
        }
        EXPECT_GT(legal, 0) << dag.name;
    }
}

TEST(Starts, HaveTablesAtRoot) {
    PipelineDag dag = samples::weighted_blur();
    for (const char* name : {"rows", "weights"}) {
        dag.functions[samples::find(dag, name)].can_inline = false;
    }
    const std::vector<Start> starts = make_starts(dag, avx2());
    ASSERT_GT(starts.size(), 1U);
    for (const Start& start : starts) {
        const auto place = [&](const char* name) {
            return start.plan.functions[samples::find(dag, name)].place;
        };
        EXPECT_EQ(place("weights"), Place::Root) << start.name;
        EXPECT_EQ(place("rows"), start.name == "root" ? Place::Root : Place::At) << start.name;
    }
}

TEST(Starts, OfScansHaveStripsFromEndToEnd) {
    PipelineDag dag = samples::zoo();
    EXPECT_EQ(make_starts(dag, avx2()).size(), 4U);
    Stage& scan = dag.functions[samples::find(dag, "sum#1")].stages[1];
    scan.stores = stored_at(dag.functions[0].stages[0], 2);  // at (x, r)
    ASSERT_TRUE(is_scan(scan));
    const std::vector<Start> starts = make_starts(dag, avx2());
    ASSERT_EQ(starts.size(), 5U);
    const NestPlan& out = starts.back().plan.functions[dag.outputs[0]].stages[0];
    EXPECT_EQ(out.tile[1], 100) << "all rows";
}

TEST(Starts, OfProductsAreFollowedByStripsFromEndToEnd) {
    PipelineDag dag = samples::matmul();
    EXPECT_EQ(make_starts(dag, avx2()).size(), 4U);
    const std::optional<Start> start = make_further_start(dag, avx2());
    ASSERT_TRUE(start);
    const int out = dag.outputs[0];
    const NestPlan& nest = start->plan.functions[out].stages.back();
    EXPECT_EQ(nest.tile[1], dag.functions[out].region[1].extent) << "all rows";
    EXPECT_FALSE(make_further_start(samples::weighted_blur(), avx2()))
        << "one factor has all loops";
    EXPECT_FALSE(make_further_start(samples::blur(), avx2()));
}

TEST(Plan, SlabsHostTilesAndTasks) {
    PipelineDag dag = samples::blur();
    for (Function& f : dag.functions) {  // of four rows, which are channels then
        f.stages[0].loops[1].range.extent = f.region[1].extent = 4;
    }
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    NestPlan& out = plan.functions[2].stages[0];
    out.tile = {512, 0};
    plan.functions[1].stages[0].tile = {256, 0};
    plan.functions[1].place = Place::At;
    plan.functions[1].compute = plan.functions[1].store = {2, 0, SiteKind::Slab};
    EXPECT_EQ(build(dag, plan).functions[1].compute.kind, Level::Kind::Root) << "no slabs yet";
    out.in_slabs = out.short_outside = true;
    const Schedule schedule = build(dag, plan);
    EXPECT_TRUE(check_legality(dag, schedule).empty());
    EXPECT_EQ(schedule.functions[1].compute.site, (LoopSite{2, 0, {1, 0}}));
    const LoopNest& nest = schedule.functions[2].stages[0].nest;
    EXPECT_EQ(nest.order.back(), (LoopRef{1, 0}));
    EXPECT_EQ(std::ranges::count(nest.parallel, LoopRef{1, 0}), 0) << "one after the other";
    EXPECT_EQ(std::ranges::count(nest.parallel, LoopRef{0, 0}), 1);
    EXPECT_FALSE(schedule.functions[1].stages[0].nest.parallel.empty());
}

TEST(Plan, TilesHostTheirProducers) {
    const PipelineDag dag = samples::blur();
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    plan.functions[2].stages[0].tile = {128, 32};
    plan.functions[1].place = Place::At;
    Schedule schedule = build(dag, plan);
    ASSERT_EQ(schedule.functions[1].compute.kind, Level::Kind::At);
    EXPECT_EQ(schedule.functions[1].compute.site, (LoopSite{2, 0, {0, 0}}));
    EXPECT_EQ(schedule.functions[1].store.kind, Level::Kind::Default);
    plan.functions[1].compute.kind = SiteKind::Rows;
    schedule = build(dag, plan);
    EXPECT_EQ(schedule.functions[1].compute.site, (LoopSite{2, 0, {1, 1}}));
    EXPECT_EQ(schedule.functions[1].store.site, (LoopSite{2, 0, {0, 0}}));
    // Rows are there without tiles, too; tiles are not.
    plan.functions[2].stages[0].tile = {0, 0};
    schedule = build(dag, plan);
    EXPECT_EQ(schedule.functions[1].compute.site, (LoopSite{2, 0, {1, 0}}));
    EXPECT_EQ(schedule.functions[1].store.kind, Level::Kind::Default);
    plan.functions[1].compute.kind = SiteKind::Tile;
    EXPECT_EQ(build(dag, plan).functions[1].compute.kind, Level::Kind::Root);
}

TEST(Plan, SpotsAreTheLoopsAroundAllUses) {
    const PipelineDag dag = samples::blur();
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    plan.functions[2].stages[0].tile = {128, 32};
    const Machine machine = avx2();
    Builder builder(dag, machine);
    const std::vector<Spot> spots = builder.possible_spots(plan, 1);
    EXPECT_EQ(spots, (std::vector<Spot>{
                         {2, 0, SiteKind::Inner}, {2, 0, SiteKind::Rows}, {2, 0, SiteKind::Tile}}));
    EXPECT_TRUE(builder.possible_spots(plan, 2).empty());
}

TEST(Plan, LargeOutputsMoveTheirTailsInwards) {
    const PipelineDag dag = samples::blur();
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    plan.functions[2].stages[0].tile = {128, 32};
    const StageSchedule stage = build(dag, plan).functions[2].stages[0];
    ASSERT_EQ(stage.specializations.size(), 1U);
    const Specialization& large = stage.specializations[0];
    EXPECT_EQ(large.when, (std::vector<ExtentCondition>{{0, 128}, {1, 32}}));
    for (int d = 0; d < 2; d++) {
        EXPECT_EQ(large.nest.splits[d][0].tail, Tail::ShiftInwards);
        EXPECT_EQ(stage.nest.splits[d][0].tail, Tail::GuardWithIf);
    }
}

TEST(Plan, SmallSizesHaveLittleCode) {
    PipelineDag dag = samples::blur();
    Plan plan = plain_plan(dag, {true, true, false}, avx2());
    NestPlan& nest = plan.functions[2].stages[0];
    nest.tile = {128, 32};
    nest.block = {2, 4};
    nest.lanes = 8;
    const auto made = [&] { return build(dag, plan).functions[2].stages[0]; };
    const auto whole = [](const LoopNest& loops) {
        return std::ranges::all_of(loops.order, [&](const LoopRef& loop) {
            return std::ranges::count(loops.partition,
                                      LoopPartition{loop, PartitionPolicy::Never}) == 1;
        });
    };
    // What is read without a border has masks.
    StageSchedule stage = made();
    EXPECT_EQ(stage.specializations.size(), 1U);
    EXPECT_TRUE(stage.nest.vector);
    EXPECT_TRUE(stage.nest.unrolled.empty());
    for (Load& load : dag.functions[0].stages[0].loads) {
        load.coords[0].clamped = true;
        load.coords[0].clamped_loops = {true, false};
    }
    stage = made();
    ASSERT_EQ(stage.specializations.size(), 2U);
    EXPECT_EQ(stage.specializations[1].when, (std::vector<ExtentCondition>{{0, 8}}));
    EXPECT_EQ(
        stage.specializations[1].nest.splits[0],
        (std::vector<Split>{{8, Tail::ShiftInwards}, {8, Tail::RoundUp}, {8, Tail::RoundUp}}));
    EXPECT_TRUE(stage.specializations[1].nest.vector);
    EXPECT_FALSE(whole(stage.specializations[1].nest));
    EXPECT_FALSE(stage.nest.vector);
    EXPECT_TRUE(whole(stage.nest));
    EXPECT_TRUE(check_legality(dag, build(dag, plan)).empty());
    // Not where what is computed inside would be there once more. It may have the border.
    plan.functions[1].place = Place::At;
    stage = made();
    EXPECT_EQ(stage.specializations.size(), 1U);
    EXPECT_TRUE(stage.nest.vector);
    for (Load& load : dag.functions[2].stages[0].loads) {
        load.coords[0].clamped = true;
        load.coords[0].clamped_loops = {true, false};
    }
    stage = made();
    EXPECT_EQ(stage.specializations.size(), 1U);
    EXPECT_FALSE(stage.nest.vector);
    // The larger ones are what counts.
    const Schedule schedule = build(dag, plan);
    const ScheduledDag derived(dag, schedule);
    EXPECT_EQ(&Placement(*derived, schedule).running_nest(2, 0),
              &schedule.functions[2].stages[0].specializations[0].nest);
}

TEST(Plan, WhatIsInsideHasVectorsWithoutGuardsOnly) {
    PipelineDag dag = samples::blur();
    for (Load& load : dag.functions[1].stages[0].loads) {
        load.coords[0].clamped = true;
        load.coords[0].clamped_loops = {true, false};
    }
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    plan.functions[2].stages[0].tile = {128, 32};
    plan.functions[1].place = Place::At;
    plan.functions[1].compute = {2, 0, SiteKind::Tile};
    plan.functions[1].stages[0].lanes = 8;
    const auto inside = [&] { return build(dag, plan).functions[1].stages[0]; };
    // Halide rounds up what nothing keeps from reading on.
    StageSchedule stage = inside();
    EXPECT_TRUE(stage.specializations.empty());
    EXPECT_TRUE(stage.nest.vector);
    // It may not be rounded up where that would read an input beyond what the output needs: its
    // tails have guards, and each element at a border would be a branch.
    dag.functions[0].stages[0].loads.clear();
    for (Load& load : dag.functions[1].stages[0].loads) {
        load.source = Source::Input;
        load.coords[0].clamped = false;
        load.coords[0].rates[0] = 3;
    }
    stage = inside();
    ASSERT_EQ(stage.specializations.size(), 1U);
    EXPECT_EQ(stage.specializations[0].when,
              (std::vector<ExtentCondition>{{0, 128, 2}, {1, 32, 2}}));
    EXPECT_TRUE(stage.specializations[0].nest.vector);
    EXPECT_FALSE(stage.nest.vector);
    const Schedule schedule = build(dag, plan);
    EXPECT_EQ(&Placement(dag, schedule).running_nest(1, 0),
              &schedule.functions[1].stages[0].specializations[0].nest);
    // Each of them is there once: in the tiles of its own case.
    Schedule everywhere = schedule;
    everywhere.functions[1].stages[0].specializations.clear();
    everywhere.functions[1].stages[0].nest =
        schedule.functions[1].stages[0].specializations[0].nest;
    EXPECT_LT(code_size(dag, schedule), code_size(dag, everywhere));
}

TEST(Plan, ChoicesAreMadeOutsideOfTheLoops) {
    PipelineDag dag = samples::blur();
    for (const int f : {1, 2}) {
        dag.functions[f].stages[0].selector =
            Selector{0, -1, {0, 0}, {TypeKind::UInt, 8}, {3, 5}, {}};
    }
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    plan.functions[2].stages[0].tile = {128, 32};
    Schedule schedule = build(dag, plan);
    EXPECT_TRUE(check_legality(dag, schedule).empty()) << text(check_legality(dag, schedule));
    const auto cases = [&](int f) {
        std::vector<std::pair<bool, std::optional<std::int64_t>>> cases;  // large, selected
        for (const Specialization& each : schedule.functions[f].stages[0].specializations) {
            cases.emplace_back(!each.when.empty(), each.selected);
        }
        return cases;
    };
    using Cases = std::vector<std::pair<bool, std::optional<std::int64_t>>>;
    EXPECT_EQ(cases(1), (Cases{{false, 3}, {false, 5}}));
    EXPECT_EQ(cases(2), (Cases{{true, 3}, {true, 5}, {true, {}}, {false, 3}, {false, 5}}));
    plan.functions[1].stages[0].selected = false;
    schedule = build(dag, plan);
    EXPECT_TRUE(cases(1).empty());
}

TEST(Plan, FunctionsThatRepeatBeginAtAMultiple) {
    PipelineDag dag = samples::blur();
    for (Load& load : dag.functions[0].stages[0].loads) {
        for (Coordinate& coordinate : load.coords) {
            coordinate.clamped = true;
        }
    }
    dag.functions[1].stages[0].phases = {{0, 2, false}};
    dag.functions[1].stages[0].phase_ops = {dag.functions[1].stages[0].ops};
    dag.functions[1].stages[0].merged_phase_ops = dag.functions[1].stages[0].phase_ops;
    const Machine machine = avx2();
    Builder builder(dag, machine);
    Plan plan = plain_plan(dag, {true, false, false}, machine);
    Schedule schedule = builder.build(plan);
    EXPECT_EQ(schedule.functions[1].region_alignment, (std::vector<Alignment>{{0, 2}}));
    EXPECT_TRUE(check_legality(dag, schedule).empty()) << text(check_legality(dag, schedule));
    plan.functions[1].modulus = {1, 1};
    EXPECT_TRUE(builder.build(plan).functions[1].region_alignment.empty());
    bool aligned = false;
    for_each_neighbour(builder, plan, 1, [&](const Plan& changed) {
        aligned = aligned || changed.functions[1].modulus == std::vector<int>{2, 1};
    });
    EXPECT_TRUE(aligned);
    // Its repeating becomes that of what it is inlined into; an output begins where the caller
    // says.
    EXPECT_EQ(periods(dag, 2, 0, [](int f) { return f == 1; }), (std::vector<int>{2, 1}));
    EXPECT_EQ(periods(dag, 2, 0, [](int) { return false; }), (std::vector<int>{1, 1}));
    plan = plain_plan(dag, {true, true, false}, machine);
    EXPECT_TRUE(builder.build(plan).functions[2].region_alignment.empty());
}

TEST(Periods, ChangeWithTheRateOfACoordinate) {
    const auto through = [](double rate, int period) {
        Coordinate at;
        at.affine = true;
        at.rates = {rate};
        return period_through(at, 0, period);
    };
    EXPECT_EQ(through(1, 4), 4);
    EXPECT_EQ(through(2, 4), 2);
    EXPECT_EQ(through(-3, 4), 4);
    EXPECT_EQ(through(4, 4), 1);
    EXPECT_EQ(through(0, 4), 1);
    EXPECT_EQ(through(0.5, 4), 1) << "not known";
}

TEST(Plan, NoMoreVectorsThanADimensionHas) {
    PipelineDag dag = samples::blur();
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    for (const int f : {1, 2}) {
        dag.functions[f].stages[0].loops[0].range.extent = dag.functions[f].region[0].extent = 20;
        plan.functions[f].stages[0].lanes = 8;
        plan.functions[f].stages[0].block = {8, 1};
    }
    const Schedule schedule = build(dag, plan);
    EXPECT_EQ(schedule.functions[1].stages[0].nest.splits[0][0].factor, 24);
    EXPECT_EQ(schedule.functions[2].stages[0].nest.splits[0][0].factor, 16)
        << "an output has no room for more than whole ones";
}

TEST(Plan, ALoopThatRunsIsDivided) {
    const PipelineDag dag = samples::blur();
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    NestPlan& nest = plan.functions[2].stages[0];
    nest.lanes = 8;
    const auto whole = [&](LoopRef loop) {
        const LoopNest made = build(dag, plan).functions[2].stages[0].nest;
        return std::ranges::any_of(made.partition,
                                   [&](const LoopPartition& each) { return each.loop == loop; });
    };
    nest.tile = {128, 32};
    EXPECT_FALSE(whole({0, 1}));
    EXPECT_TRUE(whole({0, 0}));
    nest.tile = {8, 32};  // a single vector
    EXPECT_FALSE(whole({0, 0}));
    EXPECT_TRUE(whole({1, 0}));
}

TEST(Moves, TurnAFunctionWithWhatItReads) {
    const PipelineDag dag = samples::blur();
    const Machine machine = avx2();
    Builder builder(dag, machine);
    const Plan plan = plain_plan(dag, {true, false, false}, machine);
    bool turned = false;
    for_each_neighbour(builder, plan, 2, [&](const Plan& changed) {
        turned = turned || (changed.functions[2].stages[0].vector_dim == 1 &&
                            changed.functions[1].dense == 1);
    });
    EXPECT_TRUE(turned);
    Plan stored = plan;
    stored.functions[1].dense = 1;
    EXPECT_EQ(builder.build(stored).functions[1].storage_order, (std::vector<int>{1, 0}));
}

/// Sizes of the blocks along the rows that the neighbours of a plan have.
std::set<int> row_blocks(const PipelineDag& dag, int function = 2) {
    const Machine machine = avx2();
    Builder builder(dag, machine);
    const Plan plan = plain_plan(dag, {true, false, false}, machine);
    std::set<int> sizes;
    for_each_neighbour(builder, plan, function, [&](const Plan& changed) {
        sizes.insert(changed.functions[function].stages[0].block[1]);
    });
    return sizes;
}

// Nine formulas, one a row: in one copy of the code, each row would evaluate them all.
TEST(Moves, UnrollWhatHasItsOwnFormulas) {
    PipelineDag dag = samples::blur();
    Stage& stage = dag.functions[2].stages[0];
    stage.loops[1].range.extent = 9;
    EXPECT_EQ(row_blocks(dag), (std::set<int>{1, 2}));
    stage.phases = {{1, 9, true}};
    EXPECT_EQ(row_blocks(dag), (std::set<int>{1, 2, 9}));
}

// blur_x has nine rows, and blur_y reads the first of them.
TEST(Moves, UnrollWhatIsReadPointByPoint) {
    PipelineDag dag = samples::blur();
    dag.functions[1].stages[0].loops[1].range.extent = 9;
    EXPECT_EQ(row_blocks(dag, 1), (std::set<int>{1, 2}));
    for (Load& load : dag.functions[2].stages[0].loads) {
        load.coords[1].rates = {0, 0};
    }
    EXPECT_EQ(row_blocks(dag, 1), (std::set<int>{1, 2, 9}));
    for (Load& load : dag.functions[2].stages[0].loads) {
        load.coords[1].steps.resize(2);
        load.coords[1].steps[1].points = 2;
    }
    EXPECT_EQ(row_blocks(dag, 1), (std::set<int>{1, 2})) << "y % 2 is no known point";
}

TEST(Plan, BlocksAreUnrolledAroundTheVector) {
    const PipelineDag dag = samples::blur();
    Plan plan = plain_plan(dag, {true, false, false}, avx2());
    NestPlan& nest = plan.functions[2].stages[0];
    nest.tile = {128, 32};
    nest.block = {2, 4};
    nest.lanes = 8;
    const LoopNest made = build(dag, plan).functions[2].stages[0].specializations[0].nest;
    EXPECT_EQ(made.vector, (LoopRef{0, 3}));
    EXPECT_EQ(made.unrolled, (std::vector<LoopRef>{{0, 2}, {1, 2}}));
    EXPECT_EQ(made.order,
              (std::vector<LoopRef>{{0, 3}, {0, 2}, {1, 2}, {0, 1}, {1, 1}, {0, 0}, {1, 0}}));
    EXPECT_EQ(made.splits[0][1].factor, 16);
    EXPECT_EQ(made.splits[0][2].factor, 8);
    EXPECT_FALSE(made.parallel.empty());
}

TEST(Moves, ChangeOneFunction) {
    for (const PipelineDag& dag : samples::all()) {
        const Machine machine = avx2();
        Builder builder(dag, machine);
        const Plan plan = plain_plan(dag, choose_inlined(dag), machine);
        for (int f = 0; f < static_cast<int>(dag.functions.size()); f++) {
            for_each_neighbour(builder, plan, f, [&](const Plan& changed) {
                EXPECT_FALSE(changed == plan);
                const std::vector<int>& readers = dag.functions[f].consumers;
                for (int other = 0; other < static_cast<int>(dag.functions.size()); other++) {
                    // Storage is turned together with what reads it, a register tile is one of
                    // the reader, too, which may have a panel of what it reads, and slabs are those
                    // of the function around it.
                    FunctionPlan without = changed.functions[other];
                    without.dense = plan.functions[other].dense;
                    for (std::size_t s = 0; s < without.stages.size(); s++) {
                        const NestPlan& before = plan.functions[other].stages[s];
                        without.stages[s].in_slabs = before.in_slabs;
                        without.stages[s].short_outside = before.short_outside;
                    }
                    const bool is_panel = readers.size() == 1 && without.place == Place::At &&
                                          without.compute == Spot{readers[0], 0, SiteKind::Tile} &&
                                          std::ranges::find(dag.functions[other].consumers, f) !=
                                              dag.functions[other].consumers.end();
                    EXPECT_TRUE(other == f || without == plan.functions[other] ||
                                readers == std::vector<int>{other} || is_panel);
                }
                EXPECT_FALSE(dag.functions[f].pinned);
            });
        }
    }
}

TEST(Descent, OnlyImprovesAndStaysLegal) {
    for (const PipelineDag& dag : samples::all()) {
        for (const Start& start : make_starts(dag, avx2())) {
            const Schedule before = build(dag, start.plan);
            if (!check_legality(dag, before).empty()) {
                continue;
            }
            const Machine machine = avx2();
            Evaluator evaluator(dag, machine);
            Builder builder(dag, machine);
            const auto found = descend(builder, evaluator, start, {}, no_limits());
            ASSERT_TRUE(found);
            EXPECT_TRUE(check_legality(dag, found->schedule).empty()) << dag.name;
            EXPECT_LE(found->seconds, evaluator.seconds(before));
            EXPECT_DOUBLE_EQ(found->seconds, predict(dag, found->schedule, avx2()).cost.total());
        }
    }
}

TEST(LocalSearch, EndsWhereNothingIsFoundForLong) {
    const PipelineDag dag = samples::blur();
    const Machine machine = avx2();
    const auto states = [&](std::int64_t work) {
        Evaluator evaluator(dag, machine);
        Builder builder(dag, machine);
        const Start start = make_starts(dag, machine).front();
        const auto found = descend(builder, evaluator, start, {}, no_limits());
        return shake(builder, evaluator, *found, {}, no_limits(), 1, work).states;
    };
    constexpr std::int64_t kMoreThanIsEverDone = std::int64_t{1} << 50;
    EXPECT_LT(states(1'000), states(kMoreThanIsEverDone));
    EXPECT_EQ(states(kMoreThanIsEverDone), states(2 * kMoreThanIsEverDone));
}

// Moves that were worse are left out on the way, not at the end.
TEST(LocalSearch, EndsWhereNoMoveHelps) {
    const Machine machine = avx2();
    const PipelineDag dag = samples::dead_element();
    const Caps caps = search_caps(dag, machine, {});
    int better = 0;
    for (const Start& start : make_starts(dag, machine)) {
        Evaluator evaluator(dag, machine);
        Builder builder(dag, machine);
        const auto from = descend(builder, evaluator, start, caps, no_limits());
        if (!from) {
            continue;
        }
        // With these seeds, what was left out is what helps.
        for (const std::uint64_t seed : {17, 27}) {
            const Found found = shake(builder, evaluator, *from, caps, no_limits(), seed, 20'000);
            better += found.seconds < from->seconds ? 1 : 0;
            const auto again =
                descend(builder, evaluator, {"again", found.plan}, caps, no_limits());
            ASSERT_TRUE(again);
            EXPECT_EQ(again->plan, found.plan) << "from " << start.name << ", seed " << seed;
        }
    }
    EXPECT_GT(better, 0);
}

// What a descent has just looked at is not looked at again.
TEST(LocalSearch, GoesOnFromWhatADescentKnows) {
    const Machine machine = avx2();
    int unchanged = 0;
    for (const PipelineDag& dag : samples::all()) {
        const Caps caps = search_caps(dag, machine, {});
        const Start start = make_starts(dag, machine).front();
        Evaluator evaluator(dag, machine);
        Builder builder(dag, machine);
        Outcomes outcomes;
        const auto found = descend(builder, evaluator, start, caps, no_limits(), {}, {}, &outcomes);
        ASSERT_TRUE(found) << dag.name;
        EXPECT_EQ(outcomes.settled, found->plan) << dag.name;
        EXPECT_FALSE(outcomes.of_joint);
        const auto states = [&](Outcomes* known) {
            return shake(builder, evaluator, *found, caps, no_limits(), 1, 0, {}, known).states -
                   found->states;
        };
        const int anew = states(nullptr);
        const int first = states(&outcomes);
        EXPECT_TRUE(outcomes.of_joint);
        if (found->plan == outcomes.settled) {  // joint moves change nothing
            unchanged++;
            EXPECT_LT(first, anew) << dag.name;
            EXPECT_EQ(states(&outcomes), 0) << dag.name;
        }
    }
    EXPECT_GT(unchanged, 0);
}

TEST(LocalSearch, DoesNotGoOnWhereDescentsAgree) {
    constexpr std::int64_t kWork = 32'000;  // of the four passes after the first
    const Machine machine = avx2();
    for (const PipelineDag& dag : samples::all()) {
        if (make_spaces(dag, machine, {}).size() > 1 || make_further_start(dag, machine)) {
            continue;
        }
        const Caps caps = search_caps(dag, machine, {});
        std::vector<double> seconds;
        int states = 0;
        for (const Start& start : make_starts(dag, machine)) {
            Evaluator evaluator(dag, machine);
            Builder builder(dag, machine);
            auto found = descend(builder, evaluator, start, caps, no_limits());
            if (!found) {
                continue;
            }
            found = shake(builder, evaluator, *found, caps, no_limits(), seconds.size(), kWork);
            seconds.push_back(found->seconds);
            found = finish(builder, evaluator, *found, caps, no_limits());
            states += found->states;
        }
        std::ranges::sort(seconds);
        if (seconds.size() < 3 || seconds[2] >= 1.005 * seconds[0]) {
            continue;
        }
        const SearchResult all = search(dag, machine, {}, no_limits());
        const SearchResult seeds = search(
            dag, machine, {.caps = {}, .passes = 0, .dropout = {}, .moves = {}}, no_limits());
        // Each function at root is tried as the others have it.
        const auto recombined = static_cast<int>((seconds.size() - 1) * dag.functions.size());
        EXPECT_LE(all.states, states + seeds.states + recombined);
        return;
    }
    FAIL() << "there are such pipelines among the samples";
}

TEST(Search, IsTheSameTwiceAndBestFirst) {
    for (const PipelineDag& dag : samples::all()) {
        const SearchResult once = search(dag, avx2(), {}, no_limits());
        const SearchResult twice = search(dag, avx2(), {}, no_limits());
        ASSERT_FALSE(once.proposals.empty()) << dag.name;
        ASSERT_EQ(once.proposals.size(), twice.proposals.size());
        for (std::size_t i = 0; i < once.proposals.size(); i++) {
            EXPECT_EQ(once.proposals[i].schedule, twice.proposals[i].schedule);
            EXPECT_TRUE(i == 0 || once.proposals[i - 1].seconds <= once.proposals[i].seconds);
        }
        EXPECT_EQ(once.states, twice.states);
    }
}

TEST(Search, WithoutImprovementItIsTheSeeds) {
    const PipelineDag dag = samples::blur();
    const SearchResult seeds =
        search(dag, avx2(), {.caps = {}, .passes = 0, .dropout = {}, .moves = {}}, no_limits());
    const SearchResult all = search(dag, avx2(), {}, no_limits());
    EXPECT_LT(seeds.proposals.size(), all.proposals.size());
    EXPECT_LE(all.proposals[0].seconds, seeds.proposals[0].seconds);
}

TEST(Search, EffortPays) {
    for (const PipelineDag& dag : samples::all()) {
        const auto found = [&](int beam, int passes) {
            return search(dag, avx2(),
                          {.caps = {}, .beam = beam, .passes = passes, .dropout = {}, .moves = {}},
                          no_limits());
        };
        const SearchResult greedy = found(1, 1);
        const SearchResult wide = found(32, 1);
        const SearchResult whole = found(32, 5);
        EXPECT_LE(greedy.states, wide.states) << dag.name;
        EXPECT_LT(wide.states, whole.states) << dag.name;
        EXPECT_LE(wide.proposals[0].seconds, greedy.proposals[0].seconds) << dag.name;
        EXPECT_LE(whole.proposals[0].seconds, wide.proposals[0].seconds) << dag.name;
    }
}

TEST(Search, DropoutSamplesTheSpaceBySeed) {
    const PipelineDag dag = samples::sums();
    std::set<std::uint64_t> found;
    for (std::uint64_t seed = 0; seed < 8; seed++) {
        const auto best = [&] {
            return search(dag, avx2(),
                          {.caps = {}, .passes = 1, .dropout = {40, seed}, .moves = {}},
                          no_limits())
                .proposals[0];
        };
        EXPECT_EQ(best().schedule, best().schedule);
        found.insert(hash(best().schedule, dag));
    }
    EXPECT_GT(found.size(), 6U);
}

TEST(Search, StopsWhenTimeIsUpWithWhatItHas) {
    const PipelineDag dag = samples::blur();
    const Limits none(0, std::int64_t{1} << 40U);
    EXPECT_FALSE(search(dag, avx2(), {}, none).proposals.empty());
}

TEST(Samples, AreLegalDifferentAndTheSameForASeed) {
    for (const PipelineDag& dag : samples::all()) {
        const auto some = sample_schedules(dag, avx2(), {}, 12, 7);
        EXPECT_EQ(sample_schedules(dag, avx2(), {}, 12, 7), some);
        std::set<std::uint64_t> hashes;
        for (const Schedule& schedule : some) {
            EXPECT_TRUE(check_legality(dag, schedule).empty()) << dag.name;
            EXPECT_TRUE(hashes.insert(hash(schedule, dag)).second);
        }
    }
    const PipelineDag dag = samples::blur();
    EXPECT_EQ(sample_schedules(dag, avx2(), {}, 12, 7).size(), 12U);
    EXPECT_NE(sample_schedules(dag, avx2(), {}, 12, 8), sample_schedules(dag, avx2(), {}, 12, 7));
}

TEST(Frontier, IsLegalDifferentAndNearTheBest) {
    const Machine machine = avx2();
    for (const PipelineDag& dag : samples::all()) {
        const std::vector<Schedule> frontier =
            frontier_schedules(dag, machine, {}, 10, no_limits());
        ASSERT_FALSE(frontier.empty()) << dag.name;
        EXPECT_LE(frontier.size(), 10U);
        const double best = predict(dag, frontier[0], machine).cost.total();
        std::set<std::uint64_t> hashes;
        for (const Schedule& schedule : frontier) {
            EXPECT_TRUE(check_legality(dag, schedule).empty()) << dag.name;
            EXPECT_TRUE(hashes.insert(hash(schedule, dag)).second);
            EXPECT_LE(predict(dag, schedule, machine).cost.total(), 4.001 * best);
        }
    }
    const PipelineDag dag = samples::blur();
    EXPECT_EQ(frontier_schedules(dag, machine, {}, 10, no_limits()).size(), 10U);
    EXPECT_TRUE(frontier_schedules(dag, machine, {}, 0, no_limits()).empty());
}

TEST(Samples, AreEvaluatedAsTheModelPredicts) {
    const Machine machine = avx2();
    for (const PipelineDag& dag : samples::all()) {
        Evaluator evaluator(dag, machine);
        for (const Schedule& schedule : sample_schedules(dag, machine, {}, 60, 3)) {
            EXPECT_DOUBLE_EQ(evaluator.seconds(schedule),
                             predict(dag, schedule, machine).cost.total())
                << dag.name << "\n"
                << print_loop_nest(dag, schedule);
        }
    }
}

// An evaluation that may end early says no less than was enough, and no more than the time is.
TEST(Samples, AreEvaluatedNoFurtherThanIsEnough) {
    const Machine machine = avx2();
    int early = 0;
    for (const PipelineDag& dag : samples::all()) {
        Evaluator whole(dag, machine);
        for (const Schedule& schedule : sample_schedules(dag, machine, {}, 20, 4)) {
            const double seconds = whole.seconds(schedule);
            for (const double share : {0.1, 0.5, 0.99, 1.01}) {
                Evaluator evaluator(dag, machine);
                const double enough = share * seconds;
                const double some = evaluator.seconds(schedule, enough);
                if (share > 1) {
                    EXPECT_DOUBLE_EQ(some, seconds) << dag.name;
                } else {
                    EXPECT_GE(some, enough) << dag.name;
                    EXPECT_LE(some, seconds * (1 + 1e-12)) << dag.name;
                    early += some < seconds ? 1 : 0;
                }
                EXPECT_DOUBLE_EQ(evaluator.seconds(schedule), seconds) << dag.name;
            }
        }
    }
    EXPECT_GT(early, 0);
}

// What a builder keeps from plan to plan makes no difference.
TEST(Builder, MakesTheSameWhateverItMadeBefore) {
    const Machine machine = avx2();
    std::mt19937_64 random(5);
    for (const PipelineDag& dag : samples::all()) {
        Builder builder(dag, machine);
        Plan plan = make_starts(dag, machine).back().plan;
        for (int step = 0; step < 40; step++) {
            const auto function = static_cast<int>(random() % dag.functions.size());
            std::vector<Plan> plans;
            for_each_neighbour(builder, plan, function, [&](const Plan& each) {
                EXPECT_EQ(builder.build(each), Builder(dag, machine).build(each)) << dag.name;
                plans.push_back(each);
            });
            plan = plans.empty() ? plan : plans[random() % plans.size()];
        }
    }
}

// Pipelines whose code is large however they are scheduled, and definitions that are.
TEST(Search, IsForLargePipelinesToo) {
    for (const int nodes : {20, 4'000, 400'000}) {
        PipelineDag dag = samples::blur();
        for (const int f : {1, 2}) {
            Stage& stage = dag.functions[f].stages[0];
            stage.expression_size = nodes;
            stage.distinct_nodes = nodes;
        }
        const SearchResult result = search(dag, avx2(), {}, no_limits());
        const auto found = std::ranges::count_if(
            result.proposals, [](const Proposal& each) { return each.lineage.has_value(); });
        EXPECT_GT(found, 0) << nodes << " nodes";
    }
}

}  // namespace
}  // namespace nestor
