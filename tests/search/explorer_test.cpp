#include "search/explorer.h"

#include <gtest/gtest.h>

#include <set>

#include "schedule/sample_dags.h"
#include "search/guards.h"
#include "search/lineage.h"
#include "search/try_plans.h"

namespace nestor {
namespace {

/** What descent proposes for a pipeline, seeds apart; nothing for some whose starts are not legal.
 */
std::vector<Proposal> proposals(const PipelineDag& dag, const Machine& machine) {
    std::vector<Proposal> with_plans;
    SearchOptions quick;
    quick.passes = 1;
    for (Proposal& each : search(dag, machine, quick, no_limits()).proposals) {
        if (each.lineage) {
            with_plans.push_back(std::move(each));
        }
    }
    return with_plans;
}

TEST(Lineage, SaysAllThatASearchKnowsOfAProposal) {
    const Machine machine = avx2();
    int count = 0;
    for (const PipelineDag& dag : samples::all()) {
        Explorer explorer(dag, machine, {});
        for (const Proposal& each : proposals(dag, machine)) {
            count++;
            const auto read = parse_lineage(print_lineage(*each.lineage), explorer.spaces());
            ASSERT_TRUE(read) << dag.name << ": " << read.error();
            EXPECT_EQ(read.value(), *each.lineage) << dag.name;
            EXPECT_EQ(explorer.make(read.value(), "").schedule, each.schedule) << dag.name;
        }
    }
    EXPECT_GT(count, 5);
}

TEST(Lineage, OfRecordsFromBeforeFoldsIsRead) {
    const PipelineDag dag = samples::blur();
    const Machine machine = avx2();
    Explorer explorer(dag, machine, {});
    Lineage folded{0, explorer.spaces().front().starts.front().plan, Guards::None, true};
    std::string text = print_lineage(folded);
    const auto read = parse_lineage(text, explorer.spaces());
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read.value(), folded);
    const std::string key = R"("folded":true,)";
    ASSERT_NE(text.find(key), std::string::npos) << text;
    const auto old = parse_lineage(text.erase(text.find(key), key.size()), explorer.spaces());
    ASSERT_TRUE(old) << old.error();
    EXPECT_FALSE(old.value().folded);
}

TEST(Explorer, WhatSlidesHasATwinThatIsFolded) {
    const Machine machine = avx2();
    int slide = 0;
    for (const PipelineDag& dag : samples::all()) {
        Explorer explorer(dag, machine, {});
        const Space& space = explorer.spaces().front();
        for (const Start& start : space.starts) {
            const Lineage lineage{0, start.plan};
            const Proposal usual = explorer.make(lineage, "");
            const auto is_folded = [](const FunctionSchedule& f) { return f.fold.has_value(); };
            EXPECT_TRUE(std::ranges::none_of(usual.schedule.functions, is_folded)) << dag.name;
            const std::optional<Proposal> twin = explorer.twin(lineage);
            if (!twin) {
                continue;
            }
            slide++;
            EXPECT_TRUE(std::ranges::any_of(twin->schedule.functions, is_folded)) << dag.name;
            const std::optional<Proposal> back = explorer.twin(*twin->lineage);
            ASSERT_TRUE(back) << dag.name;
            EXPECT_EQ(back->schedule, usual.schedule) << dag.name;
        }
    }
    EXPECT_GT(slide, 0);
}

TEST(Lineage, OfAnotherPipelineIsRefused) {
    const Machine machine = avx2();
    const std::vector<PipelineDag> dags = samples::all();
    ASSERT_GE(dags.size(), 2U);
    Explorer explorer(dags[0], machine, {});
    for (std::size_t i = 1; i < dags.size(); i++) {
        if (dags[i].functions.size() != dags[0].functions.size()) {
            const Lineage other{0, make_starts(dags[i], machine).front().plan};
            EXPECT_FALSE(parse_lineage(print_lineage(other), explorer.spaces())) << dags[i].name;
        }
    }
    for (const char* text : {"", "[]", "{}", R"({"space":0,"guarded":false,"functions":[]})"}) {
        EXPECT_FALSE(parse_lineage(text, explorer.spaces())) << text;
    }
}

TEST(Lineage, WithNumbersThatMeanNothingIsRefused) {
    const PipelineDag dag = samples::zoo();
    const Machine machine = avx2();
    Explorer explorer(dag, machine, {});
    const Lineage good{0, explorer.spaces().front().starts.front().plan};
    ASSERT_TRUE(parse_lineage(print_lineage(good), explorer.spaces()));
    const auto refused = [&](const std::function<void(Lineage&)>& spoil) {
        Lineage bad = good;
        spoil(bad);
        return !parse_lineage(print_lineage(bad), explorer.spaces());
    };
    EXPECT_TRUE(refused([](Lineage& bad) { bad.space = 99; }));
    EXPECT_TRUE(refused([](Lineage& bad) { bad.plan.functions.front().compute.function = 99; }));
    EXPECT_TRUE(refused([](Lineage& bad) { bad.plan.functions.front().dense = 9; }));
    EXPECT_TRUE(refused([](Lineage& bad) { bad.plan.functions.back().stages.clear(); }));
    EXPECT_TRUE(refused([](Lineage& bad) { bad.plan.functions.back().stages[0].vector_dim = 17; }));
    EXPECT_TRUE(
        refused([](Lineage& bad) { bad.plan.functions.back().stages[0].block.assign(1, 0); }));
}

TEST(Explorer, NeighboursDifferAndManyAreLegal) {
    const Machine machine = avx2();
    for (const PipelineDag& dag : samples::all()) {
        Explorer explorer(dag, machine, {});
        std::mt19937_64 random(1);
        const std::vector<Proposal> found = proposals(dag, machine);
        if (found.empty()) {
            continue;
        }
        const auto neighbours = explorer.neighbours(*found.front().lineage, no_limits(), random);
        ASSERT_FALSE(neighbours.empty()) << dag.name;
        std::size_t legal = 0;
        std::set<std::uint64_t> different;
        for (const Proposal& each : neighbours) {
            EXPECT_GT(each.seconds, 0) << dag.name;
            legal += explorer.is_legal(each) ? 1 : 0;
            different.insert(hash(each.schedule, dag));
        }
        EXPECT_GT(legal, neighbours.size() / 10) << dag.name;
        EXPECT_GT(different.size(), 1U) << dag.name;
    }
}

TEST(Explorer, EverythingElseThatItMakesIsLegal) {
    const Machine machine = avx2();
    int made = 0;
    for (const PipelineDag& dag : samples::all()) {
        Explorer explorer(dag, machine, {});
        std::mt19937_64 random(2);
        const std::vector<Proposal> found = proposals(dag, machine);
        for (int i = 0; i < 10 && !found.empty(); i++) {
            const Lineage& first = *found[random() % found.size()].lineage;
            const Lineage& second = *found[random() % found.size()].lineage;
            for (const auto& each :
                 {explorer.mutant(first, 3, random), explorer.cross(first, second, random),
                  explorer.random_walk(6, random)}) {
                if (each) {
                    EXPECT_TRUE(check_legality(dag, each->schedule).empty()) << dag.name;
                    made++;
                }
            }
        }
    }
    EXPECT_GT(made, 30);
}

TEST(Explorer, JoinsChangesOfDifferentFunctions) {
    const PipelineDag dag = samples::zoo();
    const Machine machine = avx2();
    Explorer explorer(dag, machine, {});
    const Lineage base{0, explorer.spaces().front().starts.front().plan};
    const std::size_t last = base.plan.functions.size() - 1;
    ASSERT_GT(last, 0U);
    Lineage one = base;
    one.plan.functions[0].stages[0].tile[0] += 32;
    ASSERT_NE(one, base);
    Lineage other = base;
    other.plan.functions[last].stages[0].tile[0] += 32;
    const std::optional<Proposal> both = explorer.joined(base, one, other);
    ASSERT_TRUE(both);
    EXPECT_EQ(both->lineage->plan.functions[0], one.plan.functions[0]);
    EXPECT_EQ(both->lineage->plan.functions[last], other.plan.functions[last]);
    EXPECT_FALSE(explorer.joined(base, one, one)) << "both say something about one function";
    Lineage elsewhere = other;
    elsewhere.space = 1;
    EXPECT_FALSE(explorer.joined(base, one, elsewhere));
}

TEST(Explorer, ChangesAlikeWhatIsAlike) {
    const PipelineDag dag = samples::blur();  // blur_x and blur_y have the same loops
    const Machine machine = avx2();
    Explorer explorer(dag, machine, {});
    Lineage base{0, explorer.spaces().front().starts.front().plan};
    FunctionPlan& first = base.plan.functions[1];
    FunctionPlan& second = base.plan.functions[2];
    first.place = second.place = Place::Root;
    second.stages = first.stages;
    Lineage changed = base;
    changed.plan.functions[2].stages[0].block[1] *= 2;
    const std::optional<Proposal> all = explorer.alike(base, changed);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->lineage->plan.functions[1].stages, changed.plan.functions[2].stages);
    EXPECT_EQ(all->lineage->plan.functions[2], changed.plan.functions[2]);
    // What was decided otherwise before stays as it is.
    first.stages[0].block[1] *= 4;
    changed.plan.functions[1] = first;
    EXPECT_FALSE(explorer.alike(base, changed));
}

TEST(Explorer, TheSameSeedMakesTheSame) {
    const PipelineDag dag = samples::zoo();
    const Machine machine = avx2();
    const auto walk = [&](std::uint64_t seed) {
        Explorer explorer(dag, machine, {});
        std::mt19937_64 random(seed);
        std::vector<std::uint64_t> hashes;
        for (int i = 0; i < 5; i++) {
            const auto made = explorer.random_walk(8, random);
            hashes.push_back(made ? hash(made->schedule, dag) : 0);
        }
        return hashes;
    };
    EXPECT_EQ(walk(3), walk(3));
    EXPECT_NE(walk(3), walk(4));
}

TEST(Explorer, LocalSearchPredictsNoWorse) {
    const Machine machine = avx2();
    for (const PipelineDag& dag : samples::all()) {
        Explorer explorer(dag, machine, {});
        std::mt19937_64 random(5);
        const Lineage start{0, explorer.spaces().front().starts.front().plan};
        const Proposal before = explorer.make(start, "");
        if (const auto after = explorer.improved(start, 500, no_limits(), random)) {
            EXPECT_LE(after->seconds, before.seconds) << dag.name;
        }
    }
}

TEST(Guards, AreOnBlocksOfWhatIsComputedInLoops) {
    const PipelineDag dag = samples::blur();
    Schedule schedule = empty_schedule(dag);
    for (const int f : {1, 2}) {
        LoopNest& nest = schedule.functions[f].stages[0].nest;
        nest.splits = {{{8, Tail::RoundUp}}, {{2, Tail::RoundUp}}};
        nest.vector = LoopRef{0, 1};
    }
    schedule.functions[1].compute = Level::at({2, 0, {1, 0}});
    schedule.functions[2].compute = Level::root();
    const Schedule guarded = with_guards(dag, schedule, Guards::Blocks);
    const auto tail = [&](int f, int dim) {
        return guarded.functions[f].stages[0].nest.splits[dim][0].tail;
    };
    EXPECT_EQ(tail(1, 1), Tail::GuardWithIf);
    EXPECT_EQ(tail(1, 0), Tail::RoundUp) << "vectors stay whole";
    EXPECT_EQ(guarded.functions[2], schedule.functions[2]) << "at root";
}

TEST(Guards, AreOnAllTailsOfWhatIsClampedAtAConstant) {
    PipelineDag dag = samples::blur();
    Schedule schedule = empty_schedule(dag);
    LoopNest& nest = schedule.functions[1].stages[0].nest;
    nest.splits = {{{8, Tail::RoundUp}}, {}};
    nest.vector = LoopRef{0, 1};
    schedule.functions[1].compute = Level::root();
    schedule.functions[1].region_alignment = {{0, 2}};
    const auto guarded = [&] { return with_guards(dag, schedule, Guards::ConstantEnds); };
    std::vector<Load>& loads = dag.functions[1].stages[0].loads;
    for (Load& load : loads) {
        load.coords[0].clamped = true;
    }
    EXPECT_EQ(guarded(), schedule) << "at the end of the input";
    for (Load& load : loads) {
        load.coords[0].constant_end = true;
    }
    EXPECT_EQ(guarded().functions[1].stages[0].nest.splits[0][0].tail, Tail::GuardWithIf);
    EXPECT_TRUE(guarded().functions[1].region_alignment.empty());
}

}  // namespace
}  // namespace nestor
