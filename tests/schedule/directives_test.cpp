// The directive list: its order and its arguments.

#include "schedule/directives.h"

#include <gtest/gtest.h>

#include "sample_dags.h"
#include "schedule/legality.h"

namespace nestor {
namespace {

using Kind = Derivation::Kind;
using samples::nest;
using samples::split;

// "1.0 split" for a directive on stage 0 of function 1, "1 compute_root" for one on the function,
// "1.0/0 split" for one on its first specialisation.
std::vector<std::string> outline(const std::vector<Directive>& list) {
    std::vector<std::string> lines;
    for (const Directive& d : list) {
        std::string line = std::to_string(d.function);
        line += d.stage >= 0 ? "." + std::to_string(d.stage) : "";
        line += d.specialization >= 0 ? "/" + std::to_string(d.specialization) : "";
        lines.push_back(line + " " + method_name(d.method));
    }
    return lines;
}

std::vector<std::string> outline(const PipelineDag& dag, const Schedule& s) {
    EXPECT_EQ(text(check_legality(dag, s)), "");
    return outline(directives(dag, s));
}

using Lines = std::vector<std::string>;

TEST(Directives, NothingForAnEmptySchedule) {
    const PipelineDag dag = samples::blur();
    EXPECT_TRUE(directives(dag, empty_schedule(dag)).empty());
}

TEST(Directives, ANestThenLevelsThenStorage) {
    const PipelineDag dag = samples::blur();
    Schedule s = empty_schedule(dag);
    split(nest(s, 2), 1, 32, Tail::GuardWithIf);
    nest(s, 2).parallel = {{1, 0}};
    nest(s, 2).partition = {{{1, 0}, PartitionPolicy::Never}};
    nest(s, 2).prefetch = {{0, {1, 1}, {1, 1}, 2, PrefetchBounds::Clamp}};
    s.functions[0].compute = Level::root();
    FunctionSchedule& f = s.functions[1];
    f.compute = Level::at({2, 0, {1, 1}});
    f.store = f.hoist = Level::at({2, 0, {1, 0}});
    f.memory = Memory::Heap;
    f.storage_order = {1, 0};
    f.alignment = {{0, 16}};
    f.region_alignment = {{0, 2}};
    f.fold = Fold{1, 4, true};
    LoopNest& n = nest(s, 1);
    n.vector = split(n, 0, 16);
    n.unrolled = {split(n, 1, 2)};
    n.order = {{0, 1}, {1, 1}, {0, 0}, {1, 0}};
    nest(s, 2).prefetch.clear();
    EXPECT_EQ(outline(dag, s),
              (Lines{"0 compute_root", "1.0 split", "1.0 split", "1.0 reorder", "1.0 vectorize",
                     "1.0 unroll", "1 compute_at", "1 store_at", "1 hoist_storage", "1 store_in",
                     "1 reorder_storage", "1 align_storage", "1 align_bounds", "1 fold_storage",
                     "2.0 split", "2.0 parallel", "2.0 partition"}));
}

TEST(Directives, SpecialisationsComeFirst) {
    const PipelineDag dag = samples::blur();
    Schedule s = empty_schedule(dag);
    nest(s, 2).vector = split(nest(s, 2), 0, 8, Tail::GuardWithIf);
    Specialization special{{{0, 8}}, nest(s, 2)};
    special.nest.splits[0][0].tail = Tail::ShiftInwards;
    s.functions[2].stages[0].specializations = {special};
    EXPECT_EQ(outline(dag, s), (Lines{"2.0 specialize", "2.0/0 split", "2.0/0 vectorize",
                                      "2.0 split", "2.0 vectorize"}));
    EXPECT_EQ(directives(dag, s)[0].result, 0);
}

TEST(Directives, AtomicComesBeforeWhatItAllows) {
    const PipelineDag dag = samples::matmul();
    Schedule s = empty_schedule(dag);
    s.functions[2].compute = Level::root();
    nest(s, 2, 1).vector = split(nest(s, 2, 1), 2, 8);
    nest(s, 2, 1).atomic = true;
    EXPECT_EQ(outline(dag, s),
              (Lines{"2.1 split", "2.1 atomic", "2.1 vectorize", "2 compute_root"}));
}

TEST(Directives, StepsWithinAVectorAreItsInnermostLoop) {
    const PipelineDag dag = samples::matmul();
    Schedule s = empty_schedule(dag);
    s.functions[2].compute = Level::root();
    samples::sum_in_vectors(nest(s, 2, 1));
    const std::vector<Directive> list = directives(dag, s);
    EXPECT_EQ(outline(dag, s), (Lines{"2.1 split", "2.1 split", "2.1 reorder", "2.1 atomic",
                                      "2.1 vectorize", "2.1 vectorize", "2 compute_root"}));
    EXPECT_EQ(std::get<VariableArg>(list[4].args[0]).name, "ki");
    EXPECT_EQ(std::get<VariableArg>(list[5].args[0]).name, "xi");
}

TEST(Directives, AnUpdateThatIsLeftAloneSaysSo) {
    const PipelineDag dag = samples::matmul();
    Schedule s = empty_schedule(dag);
    s.functions[2].compute = Level::root();
    EXPECT_EQ(outline(dag, s), (Lines{"2 compute_root"}));
    nest(s, 2, 0).parallel = {{1, 0}};
    EXPECT_EQ(outline(dag, s), (Lines{"2.0 parallel", "2.1 unscheduled", "2 compute_root"}));
}

TEST(Directives, DerivedFunctionsComeFirst) {
    const PipelineDag dag = samples::histogram();
    Schedule s = empty_schedule(dag);
    const int intm =
        samples::derive(dag, s, {Kind::Rfactor, 1, {}, 1, {{}, {{64, Tail::Auto}}}, {{1, 0}}});
    const int wrapper = samples::derive(dag, s, {Kind::Wrapper, 1, {2}, 1, {}, {}});
    s.functions[1].compute = s.functions[intm].compute = s.functions[wrapper].compute =
        Level::root();
    nest(s, 1, 1).parallel = {{0, 0}};
    const std::vector<Directive> list = directives(dag, s);
    EXPECT_EQ(outline(dag, s),
              (Lines{"1.1 split", "1.1 rfactor", "1 in", "1.1 parallel", "1 compute_root",
                     "3.1 reorder", "3 compute_root", "4 compute_root"}));
    EXPECT_EQ(list[1].result, intm);
    EXPECT_EQ(list[2].result, wrapper);
    // The reduction variables by position, the made one by name.
    const auto& old = std::get<VariableArg>(list[0].args[0]);
    EXPECT_EQ(old.original, 1);
    EXPECT_TRUE(old.reduction);
    EXPECT_EQ(old.stage, 1);
    EXPECT_EQ(std::get<VariableArg>(list[0].args[2]).name, "r_yi");
    EXPECT_EQ(std::get<VariableArg>(list[0].args[2]).original, -1);
    const auto& pairs = std::get<PreservedArg>(list[1].args[0]).pairs;
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_EQ(pairs[0].first.name, "r_y");
    EXPECT_EQ(pairs[0].second, "u");
    // After the rfactor hist(i) += is over all of hist.
    const auto& i = std::get<VariableArg>(list[3].args[0]);
    EXPECT_EQ(i.original, 0);
    EXPECT_FALSE(i.reduction);
}

TEST(Directives, ComputeWithComesLast) {
    PipelineDag dag = samples::pyramid();
    dag.functions[0].consumers = {1};
    dag.functions[3].stages[0].loads[1].index = 0;  // out no longer reads up
    dag.functions[2].stages[0].loads[0].index = 0;  // nor up down
    dag.functions[2].consumers.clear();
    dag.functions[1].consumers = {};
    Schedule s = empty_schedule(dag);
    s.functions[2].compute = s.functions[1].compute = Level::root();
    s.functions[1].stages[0].compute_with = LoopSite{2, 0, {1, 0}};
    const Lines lines = outline(directives(dag, s));
    EXPECT_EQ(lines.back(), "1.0 compute_with");
}

TEST(Directives, PositionsAreThoseOfTheArguments) {
    const PipelineDag dag = samples::zoo();
    Schedule s = empty_schedule(dag);
    s.functions[1].compute = s.functions[2].compute = Level::root();
    nest(s, 2, 1).parallel = {{0, 0}};
    nest(s, 2, 0).parallel = {{1, 0}};
    const std::vector<Directive> list = directives(dag, s);
    EXPECT_EQ(outline(dag, s),
              (Lines{"1 compute_root", "2.0 parallel", "2.1 parallel", "2 compute_root"}));
    EXPECT_EQ(std::get<VariableArg>(list[1].args[0]).original, 1);
    EXPECT_EQ(std::get<VariableArg>(list[2].args[0]).original, 0);
}

TEST(Directives, LevelsNameTheStage) {
    const PipelineDag dag = samples::matmul();
    Schedule s = empty_schedule(dag);
    s.functions[2].compute = Level::at({3, 0, {1, 0}});
    s.functions[0].compute = Level::at({2, 1, {1, 0}});
    const std::vector<Directive> list = directives(dag, s);
    EXPECT_EQ(outline(dag, s), (Lines{"0 compute_at", "2 compute_at"}));
    EXPECT_EQ(std::get<LevelArg>(list[0].args[0]).loop.stage, 1);
}

}  // namespace
}  // namespace nestor
