#include "cost/multiples.h"

#include <gtest/gtest.h>

#include "machine/profiles.h"
#include "schedule/sample_dags.h"

namespace nestor {
namespace {

using samples::nest;
using samples::split;

std::int64_t multiple_of(const PipelineDag& dag, const Schedule& schedule, int function, int dim) {
    const Machine machine = shipped_profile(InstructionSet::X86Avx2);
    Expansions expansions;
    ScheduleFacts facts(dag, schedule, machine, expansions);
    return known_multiple(facts, function, dim);
}

/// blur_y at root in blocks of so many columns, with a case for multiples; blur_x in its blocks.
Schedule in_blocks(int columns, std::int64_t multiple) {
    const PipelineDag dag = samples::blur();
    Schedule schedule = empty_schedule(dag);
    schedule.functions[0].compute = Level::inlined();
    schedule.functions[2].compute = Level::root();
    split(nest(schedule, 2), 0, columns, Tail::ShiftInwards);
    schedule.functions[2].stages[0].specializations = {
        {{{0, columns, -1, {}, multiple}}, nest(schedule, 2), {}}};
    schedule.functions[1].compute = Level::at({2, 0, {0, 0}});
    return schedule;
}

TEST(KnownMultiples, OfAnOutputAreThoseOfTheCaseThatRuns) {
    const PipelineDag dag = samples::blur();
    EXPECT_EQ(multiple_of(dag, in_blocks(8, 4), 2, 0), 4);
    EXPECT_EQ(multiple_of(dag, in_blocks(8, 4), 2, 1), 1);
    EXPECT_EQ(multiple_of(dag, in_blocks(8, 1), 2, 0), 1);
    EXPECT_EQ(multiple_of(dag, in_blocks(8, 7), 2, 0), 1) << "1920 is no multiple of 7";
}

TEST(KnownMultiples, FollowFromWhereReadersBegin) {
    const PipelineDag dag = samples::blur();
    EXPECT_EQ(multiple_of(dag, in_blocks(8, 4), 1, 0), 4);
    EXPECT_EQ(multiple_of(dag, in_blocks(6, 4), 1, 0), 2) << "the next block begins at 6";
    EXPECT_EQ(multiple_of(dag, in_blocks(8, 4), 1, 1), 1) << "each row";
    PipelineDag shifted = dag;
    for (Load& load : shifted.functions[2].stages[0].loads) {
        load.coords[0].offset_min = load.coords[0].offset_max = -1;
    }
    EXPECT_EQ(multiple_of(shifted, in_blocks(8, 4), 1, 0), 1);
    PipelineDag doubled = dag;
    for (Load& load : doubled.functions[2].stages[0].loads) {
        load.coords[0].rates[0] = 2;
    }
    EXPECT_EQ(multiple_of(doubled, in_blocks(8, 4), 1, 0), 8);
}

TEST(KnownMultiples, AreWhatARegionIsAlignedTo) {
    const PipelineDag dag = samples::blur();
    Schedule schedule = in_blocks(8, 1);
    schedule.functions[1].compute = Level::root();
    EXPECT_EQ(multiple_of(dag, schedule, 1, 0), 1);
    schedule.functions[1].region_alignment = {{0, 16}};
    EXPECT_EQ(multiple_of(dag, schedule, 1, 0), 16);
}

// Rows that are kept from one iteration to the next: the new ones follow those.
TEST(KnownMultiples, AreNotKnownAlongWhatSlides) {
    const PipelineDag dag = samples::blur();
    Schedule schedule = empty_schedule(dag);
    schedule.functions[0].compute = Level::inlined();
    schedule.functions[2].compute = Level::root();
    const LoopRef rows = split(nest(schedule, 2), 1, 4, Tail::ShiftInwards);
    nest(schedule, 2).order = {{0, 0}, rows, {1, 0}};
    schedule.functions[2].stages[0].specializations = {
        {{{1, 4, -1, {}, 4}, {0, 4, -1, {}, 4}}, nest(schedule, 2), {}}};
    schedule.functions[1].compute = Level::at({2, 0, {1, 0}});
    EXPECT_EQ(multiple_of(dag, schedule, 1, 1), 4);
    schedule.functions[1].store = Level::root();
    EXPECT_EQ(multiple_of(dag, schedule, 1, 1), 1);
    EXPECT_EQ(multiple_of(dag, schedule, 1, 0), 4);
}

// out(x, y) = input(x, y) - down(x / 2, y), in blocks of eight columns.
TEST(RegionsOfRunningCases, KnowQuotientsOfWhatBeginsAtAMultiple) {
    PipelineDag dag = samples::pyramid();
    dag.functions[2].stages[0].loads[0].coords[0].steps = {{2, 0}, {}};
    const auto columns = [&](std::int64_t multiple, bool of_running_cases) {
        Schedule schedule = empty_schedule(dag);
        schedule.functions[0].compute = Level::inlined();
        schedule.functions[2].compute = Level::inlined();
        schedule.functions[3].compute = Level::root();
        split(nest(schedule, 3), 0, 8, Tail::ShiftInwards);
        schedule.functions[3].stages[0].specializations = {
            {{{0, 8, -1, {}, multiple}}, nest(schedule, 3), {}}};
        schedule.functions[1].compute = Level::at({3, 0, {0, 0}});
        const Placement placement(dag, schedule);
        SharedBounds shared;
        shared.of_running_cases = of_running_cases;
        Bounds bounds(placement, shared);
        const Regions& regions = bounds.within({3, 0, {0, 0}});
        EXPECT_EQ(regions.constant(1)[0], of_running_cases && multiple == 4);
        return regions.extent(1, 0);
    };
    EXPECT_EQ(columns(4, true), 4);
    EXPECT_EQ(columns(1, true), 5);
    EXPECT_EQ(columns(3, true), 5) << "1000 is no multiple of 3";
    EXPECT_EQ(columns(4, false), 5) << "enough for all cases";
}

}  // namespace
}  // namespace nestor
