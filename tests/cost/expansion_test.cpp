#include "cost/expansion.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "schedule/sample_dags.h"

namespace nestor {
namespace {

// Everything but the last function inlined.
Schedule inlined(const PipelineDag& dag) {
    Schedule schedule = empty_schedule(dag);
    for (std::size_t i = 0; i + 1 < dag.functions.size(); i++) {
        schedule.functions[i].compute = Level::inlined();
    }
    schedule.functions.back().compute = Level::root();
    return schedule;
}

const Family* find(const std::vector<Family>& families, Source source, int index) {
    for (const Family& family : families) {
        if (family.source == source && family.index == index) {
            return &family;
        }
    }
    return nullptr;
}

TEST(Expansion, ReadsEachPlaceOnceHoweverOftenItIsInlined) {
    const PipelineDag dag = samples::blur();
    const Schedule schedule = inlined(dag);
    const Placement placement(dag, schedule);
    Expansions expansions;
    const Expansion& expansion = expansions.of(placement, 2, 0);
    EXPECT_TRUE(expansion.complete);
    ASSERT_NE(find(expansion.inlined, Source::Function, 1), nullptr);
    EXPECT_EQ(find(expansion.inlined, Source::Function, 1)->members, 3);
    EXPECT_EQ(find(expansion.inlined, Source::Function, 0)->members, 9);
    const Family* input = find(expansion.loads, Source::Input, 0);
    ASSERT_NE(input, nullptr);
    EXPECT_EQ(input->members, 9);
    EXPECT_EQ(input->box, (std::vector<double>{3, 3}));
    EXPECT_EQ(expansion.loads.size(), 1U);
}

TEST(Expansion, StopsAtFunctionsThatHaveMemory) {
    const PipelineDag dag = samples::blur();
    Schedule schedule = inlined(dag);
    schedule.functions[1].compute = Level::root();
    const Placement placement(dag, schedule);
    Expansions expansions;
    EXPECT_TRUE(expansions.of(placement, 2, 0).inlined.empty());
    ASSERT_NE(find(expansions.of(placement, 2, 0).loads, Source::Function, 1), nullptr);
    EXPECT_EQ(find(expansions.of(placement, 2, 0).loads, Source::Function, 1)->members, 3);
    EXPECT_EQ(find(expansions.of(placement, 1, 0).loads, Source::Input, 0)->members, 3);
}

// blur_x(x / 8, y) of what only wraps the input; and the other way round, where the wrapper's
// quotient is read at neighbours, too.
TEST(Expansion, ComposesQuotients) {
    for (const int reader : {1, 0}) {
        PipelineDag dag = samples::blur();
        for (Load& load : dag.functions[reader].stages[0].loads) {
            load.coords[0].rates[0] = 0.125;
            load.coords[0].steps = {{8, 0}, {}};
        }
        const Schedule schedule = inlined(dag);
        const Placement placement(dag, schedule);
        Expansions expansions;
        std::set<int> points;
        for (const Family& input : expansions.of(placement, 2, 0).loads) {
            points.insert(input.coords[0].steps_along(0).points);
            EXPECT_EQ(input.coords[0].steps_along(1), Steps{});
            EXPECT_EQ(input.coords[1].steps_along(0), Steps{});
            EXPECT_EQ(input.coords[1].steps_along(1), Steps{});
        }
        EXPECT_EQ(points, (reader == 1 ? std::set<int>{8} : std::set<int>{1, 8}));
    }
}

// Neighbours of f(x / 2) and f((x + 1) / 2) are shared, however LLVM finds them.
TEST(Expansion, SharesWhatShortBlocksRead) {
    for (const int points : {2, 8}) {
        PipelineDag dag = samples::blur();
        for (Load& load : dag.functions[1].stages[0].loads) {
            const bool first = load.coords[0].offset_min == 0;
            load.coords[0].rates[0] = 1.0 / points;
            load.coords[0].steps = {first ? Steps{points, 0} : Steps{1, 0}, {}};
        }
        const Schedule schedule = inlined(dag);
        const Placement placement(dag, schedule);
        Expansions expansions;
        EXPECT_EQ(expansions.of(placement, 2, 0).loads.size(), points == 2 ? 1U : 2U);
    }
}

TEST(Expansion, ComposesRates) {
    const PipelineDag dag = samples::pyramid();
    const Schedule schedule = inlined(dag);
    const Placement placement(dag, schedule);
    Expansions expansions;
    const Expansion& expansion = expansions.of(placement, 3, 0);
    // The input directly, and through up(x) = down(x / 2), down(x) = mean of input(2x .. 2x + 1).
    std::vector<std::int64_t> spans;
    for (const Family& family : expansion.loads) {
        EXPECT_EQ(family.source, Source::Input);
        EXPECT_EQ(family.coords[0].rates, (std::vector<double>{1, 0}));
        spans.push_back(family.coords[0].offset_max - family.coords[0].offset_min + 1);
    }
    EXPECT_EQ(std::accumulate(spans.begin(), spans.end(), std::int64_t{0}) > 1, true);
}

TEST(Family, CopiesShareWhatTheyHaveInCommon) {
    const PipelineDag dag = samples::blur();
    const Schedule schedule = inlined(dag);
    const Placement placement(dag, schedule);
    Expansions expansions;
    const Family& input = *find(expansions.of(placement, 2, 0).loads, Source::Input, 0);
    const auto distinct = [&](std::vector<Copies> copies) { return input.distinct(copies); };
    EXPECT_EQ(distinct({}), 9);
    EXPECT_EQ(distinct({{1, 2, 1}}), 12) << "two rows of output need four of input";
    EXPECT_EQ(distinct({{1, 4, 1}}), 18);
    EXPECT_EQ(distinct({{0, 2, 16}}), 18) << "vectors that lie side by side share nothing";
    EXPECT_EQ(distinct({{0, 2, 16}, {1, 2, 1}}), 24);
    EXPECT_EQ(input.changing_with(0b10), LoopSet{0b10});
    const std::vector<Copies> two_rows{{1, 2, 1}};
    EXPECT_EQ(input.distinct(two_rows, 0b10), 4) << "of what changes with rows only";
    EXPECT_EQ(input.distinct(two_rows, 0b01), 3) << "and with columns only";
    EXPECT_EQ(input.distinct(two_rows, 0), 1);
}

// in(2x + r), three steps of r for each of eight points: 17 places, whichever loop is inside.
TEST(Family, CopiesThatLeaveGapsShareWhatOthersFill) {
    Family input;
    input.source = Source::Input;
    Coordinate place;
    place.affine = true;
    place.rates = {2, 1};
    input.coords = {place};
    input.changes = {LoopSet{0b11}};
    input.box = {1};
    input.members = 1;
    const Copies points{0, 8, 1};
    const Copies steps{1, 3, 1};
    EXPECT_EQ(input.distinct(std::vector<Copies>{steps, points}), 17);
    EXPECT_EQ(input.distinct(std::vector<Copies>{points, steps}), 17);
    EXPECT_EQ(input.distinct(std::vector<Copies>{points}), 8);
}

TEST(Family, CopiesShareQuotientsAndRemaindersWhereTheirPhasesAreKnown) {
    Family family;
    family.members = 1;
    family.box = {1};
    family.changes = {loop_set(0)};
    Coordinate quarters;
    quarters.affine = true;
    quarters.rates = {0.25};
    quarters.steps = {{4, 0}};
    family.coords = {quarters};
    const auto distinct = [&](double count, double stride, std::int64_t multiple) {
        return family.distinct(std::vector<Copies>{{0, count, stride, multiple}});
    };
    // x / 4
    EXPECT_EQ(distinct(8, 1, 8), 2);
    EXPECT_EQ(distinct(8, 1, 1), 8) << "each at a place of its own, as far as anyone knows";
    EXPECT_EQ(distinct(8, 1, 2), 8);
    EXPECT_EQ(distinct(3, 4, 4), 3);
    // (x + 1) / 4
    family.coords[0].steps = {kUnknownSteps};
    EXPECT_EQ(distinct(8, 1, 8), 3);
    EXPECT_EQ(distinct(8, 1, 1), 8);
    // x % 4
    family.coords[0].rates = {0};
    family.coords[0].steps = {{4, 1}};
    EXPECT_EQ(distinct(8, 1, 8), 4);
    EXPECT_EQ(distinct(8, 2, 8), 2);
    EXPECT_EQ(distinct(8, 1, 1), 8);
}

TEST(Family, WhatIsNotAffineIsNeverShared) {
    const PipelineDag dag = samples::histogram();
    const Schedule schedule = inlined(dag);
    const Placement placement(dag, schedule);
    Expansions expansions;
    const Family* hist = find(expansions.of(placement, 2, 0).inlined, Source::Function, 1);
    hist = hist == nullptr ? find(expansions.of(placement, 2, 0).loads, Source::Function, 1) : hist;
    ASSERT_NE(hist, nullptr);
    EXPECT_FALSE(hist->is_affine());
    EXPECT_TRUE(hist->depends_on(0) && hist->depends_on(1));
    const std::vector<Copies> four{{1, 4, 1}};
    EXPECT_EQ(hist->distinct(four), 4);
}

}  // namespace
}  // namespace nestor
