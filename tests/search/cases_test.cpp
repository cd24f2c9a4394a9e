#include "search/cases.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "machine/profiles.h"
#include "schedule/enough_points.h"
#include "schedule/legality.h"
#include "schedule/sample_dags.h"

namespace nestor {
namespace {

/** blur_y and blur_x over three rows, which nothing but an assumption says. */
PipelineDag three_rows() {
    PipelineDag dag = samples::blur();
    for (const int f : {1, 2}) {
        dag.functions[f].constant = dag.functions[f].assumed = {false, true};
    }
    dag.functions[2].region[1] = {0, 3};
    dag.functions[2].stages[0].loops[1].range = {0, 3};
    dag.assumptions = {{2, 1, {0, 3}}};
    return dag;
}

Schedule build_legal(const PipelineDag& dag, const Plan& plan) {
    const Machine machine = shipped_profile(InstructionSet::X86Avx2);
    Builder builder(dag, machine);
    Schedule schedule = builder.build(plan);
    EXPECT_TRUE(check_legality(dag, schedule).empty()) << text(check_legality(dag, schedule));
    return schedule;
}

Plan rows_unrolled(const PipelineDag& dag, bool producer_inlined) {
    Plan plan =
        plain_plan(dag, {true, producer_inlined, false}, shipped_profile(InstructionSet::X86Avx2));
    plan.functions[1].stages[0].block = {1, 5};
    plan.functions[2].stages[0].tile = {128, 0};
    return plan;
}

// The producer's, in the output's innermost loop.
Plan rows_unrolled_inside(const PipelineDag& dag) {
    Plan plan = rows_unrolled(dag, false);
    plan.functions[2].stages[0].tile = {0, 0};
    plan.functions[1].place = Place::At;
    plan.functions[1].compute = plan.functions[1].store = {2, 0, SiteKind::Inner};
    return plan;
}

TEST(AssumedSizes, HaveCodeOfTheirOwn) {
    const PipelineDag dag = three_rows();
    const Schedule schedule = build_legal(dag, rows_unrolled(dag, false));
    const StageSchedule& producer = schedule.functions[1].stages[0];
    ASSERT_EQ(producer.specializations.size(), 1U);
    EXPECT_EQ(producer.specializations[0].when, (std::vector<ExtentCondition>{{1, 3, 2, 0}}));
    EXPECT_FALSE(producer.specializations[0].nest.unrolled.empty());
    EXPECT_TRUE(producer.nest.unrolled.empty()) << "little code for all other sizes";
    // The output's case is that of its tiles, too.
    const StageSchedule& output = schedule.functions[2].stages[0];
    ASSERT_EQ(output.specializations.size(), 1U);
    EXPECT_EQ(output.specializations[0].when,
              (std::vector<ExtentCondition>{{0, 128}, {1, 3, -1, 0}}));
}

// The fuzzer's seed 2611040: a guard around a block of two vectors of 32 lanes, in an output of 36
// points that meets a border, was a branch for each element, and LLVM took more than two minutes.
TEST(Sizes, HaveRoomForTheBlocksOfAnOutput) {
    PipelineDag dag = samples::blur();
    dag.functions[2].region[0].extent = 36;
    dag.functions[2].stages[0].loops[0].range.extent = 36;
    Plan plan = rows_unrolled(dag, false);
    NestPlan& nest = plan.functions[2].stages[0];
    nest.tile = {0, 0};
    nest.lanes = 32;
    nest.block = {2, 1};
    const Schedule schedule = build_legal(dag, plan);
    const StageSchedule& output = schedule.functions[2].stages[0];
    ASSERT_FALSE(output.specializations.empty());
    EXPECT_EQ(output.specializations[0].nest.splits[0],
              (std::vector<Split>{{32, Tail::ShiftInwards}}));
}

TEST(AssumedSizes, AreNothingToWhatDoesNotDependOnThem) {
    PipelineDag dag = three_rows();
    dag.functions[1].assumed = {false, false};
    EXPECT_TRUE(
        build_legal(dag, rows_unrolled(dag, false)).functions[1].stages[0].specializations.empty())
        << "three rows in any case";
    dag = three_rows();
    dag.assumptions.clear();
    EXPECT_TRUE(
        build_legal(dag, rows_unrolled(dag, false)).functions[1].stages[0].specializations.empty());
}

TEST(AssumedSizes, AreKnownInWhatIsComputedInside) {
    const PipelineDag dag = three_rows();
    const Schedule schedule = build_legal(dag, rows_unrolled_inside(dag));
    ASSERT_EQ(schedule.functions[1].compute.kind, Level::Kind::At);
    EXPECT_EQ(schedule.functions[2].stages[0].specializations.size(), 1U);
}

// What is in its loops has the output's nests around it, and needs no case of its own.
TEST(Layouts, AreCasesOfWhatIsAtRoot) {
    PipelineDag dag = samples::blur();
    dag.layouts = {{{Source::Input, 0, 0, 1}}, {{Source::Input, 0, 0, 3}}};
    Plan plan = plain_plan(dag, {true, false, false}, shipped_profile(InstructionSet::X86Avx2));
    plan.functions[2].stages[0].tile = {128, 8};
    const Schedule apart = build_legal(dag, plan);
    EXPECT_EQ(apart.functions[1].stages[0].specializations.size(), 2U) << "it reads the input";
    for (const Specialization& each : apart.functions[2].stages[0].specializations) {
        EXPECT_TRUE(each.strides.empty()) << "it does not";
    }
    plan.functions[1].place = Place::At;
    plan.functions[1].compute = plan.functions[1].store = {2, 0, SiteKind::Inner};
    const Schedule inside = build_legal(dag, plan);
    ASSERT_EQ(inside.functions[1].compute.kind, Level::Kind::At);
    EXPECT_TRUE(inside.functions[1].stages[0].specializations.empty());
    const std::vector<Specialization>& cases = inside.functions[2].stages[0].specializations;
    ASSERT_EQ(cases.size(), 5U) << "large and small for each layout; large for the others";
    EXPECT_EQ(cases[0].strides, dag.layouts[0]);
    EXPECT_EQ(cases[2].strides, dag.layouts[1]);
    EXPECT_TRUE(cases[4].strides.empty());
    EXPECT_EQ(cases[0].nest, cases[2].nest);
}

// The producer's rows, of which there are five then, in blocks of five.
PipelineDag five_rows_before() {
    PipelineDag dag = three_rows();
    dag.functions[1].region[1] = {0, 5};
    dag.functions[1].stages[0].loops[1].range = {0, 5};
    return dag;
}

// Halide does not see in the producer's nest that the output's three rows need five: a guard would
// be around each of the five copies (conv_gradient took 9.0 instead of 5.2 ms).
TEST(AssumedSizes, NeedNoGuardsWhereBlocksComeOutEven) {
    const PipelineDag dag = five_rows_before();
    Plan plan = rows_unrolled(dag, false);
    const Schedule schedule = build_legal(dag, plan);
    const StageSchedule& producer = schedule.functions[1].stages[0];
    ASSERT_EQ(producer.specializations.size(), 1U);
    EXPECT_EQ(producer.specializations[0].nest.splits[1], (std::vector<Split>{{5, Tail::RoundUp}}));
    EXPECT_EQ(producer.nest.splits[1], (std::vector<Split>{{5, Tail::GuardWithIf}}))
        << "at other sizes, more of the input would be read";
    const Caps careful = {.careful_reads = true};
    EXPECT_TRUE(check_legality(dag, schedule, careful).empty())
        << text(check_legality(dag, schedule, careful));
    Schedule other = schedule;
    other.functions[1].stages[0].specializations[0].when[0].extent = 4;
    EXPECT_FALSE(check_legality(dag, other, careful).empty()) << "not the size that is assumed";
    plan.functions[1].stages[0].block = {1, 2};
    EXPECT_EQ(build_legal(dag, plan).functions[1].stages[0].specializations[0].nest.splits[1],
              (std::vector<Split>{{2, Tail::GuardWithIf}}));
}

// Three of the five rows for each of the output's.
TEST(AssumedSizes, MayBeDividedByLoopsAround) {
    const PipelineDag dag = five_rows_before();
    const Schedule schedule = build_legal(dag, rows_unrolled_inside(dag));
    ASSERT_EQ(schedule.functions[1].compute.kind, Level::Kind::At);
    for (const Specialization& each : schedule.functions[1].stages[0].specializations) {
        EXPECT_EQ(each.nest.splits[1], (std::vector<Split>{{5, Tail::GuardWithIf}}));
    }
    EXPECT_FALSE(schedule.functions[1].stages[0].specializations.empty());
}

TEST(AssumedSizes, HoldForTheWholeRangeOnly) {
    const ExtentCondition three{1, 3, 2, 0};
    EXPECT_TRUE(three.holds({0, 3}));
    EXPECT_FALSE(three.holds({0, 4}));
    EXPECT_FALSE(three.holds({1, 3}));
    EXPECT_TRUE((ExtentCondition{1, 3}.holds({7, 4})));
}

// The output does something else at every second point of a row.
PipelineDag even_and_odd() {
    PipelineDag dag = samples::blur();
    dag.functions[2].stages[0].phases = {{0, 2}};
    return dag;
}

TEST(Multiples, OfAnOutputThatRepeatsHaveACase) {
    const PipelineDag dag = even_and_odd();
    Plan plan = rows_unrolled(dag, false);
    EXPECT_EQ(plan.functions[2].modulus, (std::vector<int>{2, 1}));
    const Schedule schedule = build_legal(dag, plan);
    const StageSchedule& output = schedule.functions[2].stages[0];
    ASSERT_EQ(output.specializations.size(), 2U);
    EXPECT_EQ(output.specializations[0].when, (std::vector<ExtentCondition>{{0, 128, -1, {}, 2}}));
    EXPECT_EQ(output.specializations[1].when, (std::vector<ExtentCondition>{{0, 128}}))
        << "pictures of odd width have vectors, too";
    EXPECT_TRUE(output.specializations[1].nest.unrolled.empty()) << "but less code";
    plan.functions[2].modulus = {1, 1};
    EXPECT_EQ(build_legal(dag, plan).functions[2].stages[0].specializations.size(), 1U);
}

TEST(Multiples, AreThoseOfTilesAndOfTheSizeAtTheEstimates) {
    PipelineDag dag = even_and_odd();
    dag.functions[2].stages[0].phases = {{1, 2}};
    Plan plan = rows_unrolled(dag, false);
    const auto cases = [&] {
        return build_legal(dag, plan).functions[2].stages[0].specializations.size();
    };
    EXPECT_EQ(cases(), 1U) << "one row after the other: nothing knows which one it is";
    plan.functions[2].stages[0].block = {1, 3};
    EXPECT_EQ(cases(), 1U) << "of three rows, the first is of the first kind in every second block";
    plan.functions[2].stages[0].block = {1, 2};
    EXPECT_EQ(cases(), 2U);
    dag.functions[2].region[1].extent = dag.functions[2].stages[0].loops[1].range.extent = 1079;
    EXPECT_EQ(cases(), 1U);
}

TEST(Multiples, OfWhatIsComputedInsideCount) {
    PipelineDag dag = samples::blur();
    dag.functions[1].stages[0].phases = {{0, 2}};
    Plan plan = rows_unrolled(dag, false);
    const auto cases = [&] {
        return build_legal(dag, plan).functions[2].stages[0].specializations.size();
    };
    EXPECT_EQ(cases(), 1U) << "at root, it begins where its own region does";
    plan.functions[1].place = Place::At;
    plan.functions[1].compute = plan.functions[1].store = {2, 0, SiteKind::Inner};
    EXPECT_EQ(cases(), 2U);
}

TEST(Multiples, HoldWhereTheBeginningIsOneToo) {
    const ExtentCondition even{0, 8, -1, {}, 2};
    EXPECT_TRUE(even.holds({-2, 10}));
    EXPECT_FALSE(even.holds({1, 10}));
    EXPECT_FALSE(even.holds({2, 9}));
    EXPECT_TRUE(even.implies({0, 4}));
    EXPECT_FALSE(even.implies({0, 16}));
    EXPECT_FALSE((ExtentCondition{0, 8}.implies(even)));
    EXPECT_FALSE(even.implies({1, 4}));
}

// blur_x at root in tiles of 128, of which blur_y's 128 columns need one, and nothing beyond.
TEST(SizesOfRoot, MoveTheLastTileInwardsWhereOneIsNeeded) {
    const PipelineDag dag = samples::blur();
    Schedule schedule = build_legal(dag, rows_unrolled(dag, false));
    StageSchedule& mine = schedule.functions[1].stages[0];
    mine.specializations.clear();
    mine.nest.splits = {{{128, Tail::GuardWithIf}, {8, Tail::GuardWithIf}}};
    mine.nest.vector = LoopRef{0, 2};
    mine.nest.unrolled.clear();
    mine.nest.order = {{0, 2}, {0, 1}, {0, 0}, {1, 0}};
    mine.nest.parallel.clear();
    mine.nest.partition.clear();
    add_sizes_of_root(dag, 1, schedule);
    ASSERT_EQ(mine.specializations.size(), 1U);
    EXPECT_EQ(mine.specializations[0].when, (std::vector<ExtentCondition>{{0, 128, 2}}));
    EXPECT_EQ(mine.specializations[0].nest.splits[0],
              (std::vector<Split>{{128, Tail::ShiftInwards}, {8, Tail::RoundUp}}));
    EXPECT_EQ(mine.nest.splits[0][0].tail, Tail::GuardWithIf);
    const Caps careful = {.careful_reads = true};
    EXPECT_TRUE(check_legality(dag, schedule, careful).empty())
        << text(check_legality(dag, schedule, careful));
    mine.specializations[0].when[0].extent = 127;
    EXPECT_FALSE(check_legality(dag, schedule, careful).empty()) << "not a whole tile";
}

// The case for sizes that are assumed keeps its copies, which the general nest has not.
TEST(SizesOfRoot, AreOfEachCaseByItself) {
    const PipelineDag dag = three_rows();
    Schedule schedule = build_legal(dag, rows_unrolled(dag, false));
    StageSchedule& mine = schedule.functions[1].stages[0];
    ASSERT_EQ(mine.specializations.size(), 1U);
    Specialization& assumed = mine.specializations[0];
    for (LoopNest* nest : {&assumed.nest, &mine.nest}) {
        for (Split& split : nest->splits[0]) {
            split.tail = Tail::GuardWithIf;
        }
    }
    const std::vector<LoopRef> copies = assumed.nest.unrolled;
    const std::int64_t tile = assumed.nest.splits[0][0].factor;
    add_sizes_of_root(dag, 1, schedule);
    ASSERT_EQ(mine.specializations.size(), 3U) << "two for large sizes, one for small ones";
    EXPECT_EQ(mine.specializations[0].nest.unrolled, copies);
    EXPECT_EQ(mine.specializations[0].nest.splits[0][0].tail, Tail::ShiftInwards);
    const std::vector<ExtentCondition>& when = mine.specializations[0].when;
    EXPECT_EQ(when.front(), (ExtentCondition{1, 3, 2, 0}));
    EXPECT_EQ(std::ranges::count(when, ExtentCondition{0, tile, 2}), 1);
    EXPECT_TRUE(mine.specializations[1].nest.unrolled.empty());
}

TEST(SizesOfRoot, FollowFromOutputsOnly) {
    const PipelineDag dag = samples::pyramid();
    EXPECT_EQ(enough_for(dag, 3, 0, 8), (ExtentCondition{0, 8, 3}));
    EXPECT_EQ(enough_for(dag, 2, 0, 8), (ExtentCondition{0, 8, 3}));
    EXPECT_EQ(enough_for(dag, 1, 0, 8), (ExtentCondition{0, 15, 3})) << "up(14) reads down(7)";
    PipelineDag clamped = dag;
    for (Load& load : clamped.functions[2].stages[0].loads) {
        load.coords[0].clamped = true;
    }
    EXPECT_FALSE(enough_for(clamped, 1, 0, 8));
}

}  // namespace
}  // namespace nestor
