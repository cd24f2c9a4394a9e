// Schedule as a value, and the functions that it derives.

#include "schedule/schedule.h"

#include <gtest/gtest.h>

#include "sample_dags.h"
#include "schedule/scheduled_dag.h"

namespace nestor {
namespace {

using Kind = Derivation::Kind;

std::vector<std::string> labels(const PipelineDag& dag, const Schedule& schedule, int f, int s) {
    std::vector<std::string> labels;
    for (const StageDim& dim : stage_dims(dag, schedule, f, s)) {
        labels.push_back(dim.label + (dim.kind == LoopKind::Pure ? "" : "*"));
    }
    return labels;
}

TEST(Schedule, IsAValue) {
    const PipelineDag dag = samples::blur();
    const Schedule a = empty_schedule(dag);
    Schedule b = a;
    EXPECT_EQ(a, b);
    EXPECT_EQ(hash(a, dag), hash(b, dag));
    samples::split(samples::nest(b, 1), 0, 8);
    EXPECT_NE(a, b);
    EXPECT_NE(hash(a, dag), hash(b, dag));
}

TEST(Schedule, HashIsTheSameEverywhere) {
    const PipelineDag dag = samples::blur();
    EXPECT_EQ(hash(empty_schedule(dag), dag), hash(empty_schedule(samples::blur()), dag));
}

TEST(Schedule, SpellingsOfOneMeaningHashAlike) {
    const PipelineDag dag = samples::blur();
    Schedule a = empty_schedule(dag);
    Schedule b = a;
    samples::nest(a, 2).parallel = {{0, 0}, {1, 0}};
    samples::nest(b, 2).parallel = {{1, 0}, {0, 0}};
    samples::nest(b, 2).splits.resize(2);
    samples::nest(b, 2).partition = {{{0, 0}, PartitionPolicy::Auto}};
    EXPECT_NE(a, b);
    EXPECT_EQ(normalized(a), normalized(b));
    EXPECT_EQ(hash(a, dag), hash(b, dag));
}

TEST(FunctionText, NamesDerivedFunctions) {
    const PipelineDag dag = samples::zoo();
    Schedule s = empty_schedule(dag);
    const int clone = samples::derive(dag, s, {Kind::Clone, 1, {2}, 1, {}, {}});
    const int wrapper = samples::derive(dag, s, {Kind::Wrapper, 0, {clone, 1}, 1, {}, {}});
    const int global = samples::derive(dag, s, {Kind::Wrapper, 2, {}, 1, {}, {}});
    EXPECT_EQ(function_text(dag, s, 2), "sum#1");
    EXPECT_EQ(function_text(dag, s, clone), "sum.clone_in(sum#1)");
    EXPECT_EQ(function_text(dag, s, wrapper), "input_im.in(sum.clone_in(sum#1), sum)");
    EXPECT_EQ(function_text(dag, s, global), "sum#1.in()");
}

TEST(ScheduledDag, IsTheDagWithoutDerivedFunctions) {
    const PipelineDag dag = samples::blur();
    const Schedule s = empty_schedule(dag);
    EXPECT_EQ(&*ScheduledDag(dag, s), &dag);
}

TEST(ScheduledDag, WrapperStandsBetween) {
    const PipelineDag dag = samples::zoo();
    Schedule s = empty_schedule(dag);
    const int w = samples::derive(dag, s, {Kind::Wrapper, 2, {5}, 1, {}, {}});
    const ScheduledDag graph(dag, s);
    EXPECT_TRUE(graph.problems().empty());
    EXPECT_EQ(graph->functions[w].consumers, std::vector<int>{5});
    EXPECT_EQ(graph->functions[2].consumers, (std::vector<int>{3, w}));
    EXPECT_EQ(topological_order(*graph), (std::vector<int>{0, 1, 2, 3, 4, w, 5}));
}

TEST(ScheduledDag, WrapperForOneConsumerComesBeforeTheOneForAll) {
    const PipelineDag dag = samples::pyramid();
    Schedule s = empty_schedule(dag);
    const int all = samples::derive(dag, s, {Kind::Wrapper, 0, {}, 1, {}, {}});
    const int one = samples::derive(dag, s, {Kind::Wrapper, 0, {3}, 1, {}, {}});
    const ScheduledDag graph(dag, s);
    EXPECT_TRUE(graph.problems().empty());
    EXPECT_EQ(graph->functions[all].consumers, std::vector<int>{1});
    EXPECT_EQ(graph->functions[one].consumers, std::vector<int>{3});
}

TEST(ScheduledDag, WrappersOfWrappersAndClones) {
    const PipelineDag dag = samples::pyramid();
    Schedule s = empty_schedule(dag);
    const int clone = samples::derive(dag, s, {Kind::Clone, 1, {2}, 1, {}, {}});
    const int a = samples::derive(dag, s, {Kind::Wrapper, 0, {clone}, 1, {}, {}});
    const int b = samples::derive(dag, s, {Kind::Wrapper, a, {clone}, 1, {}, {}});
    const ScheduledDag graph(dag, s);

    EXPECT_EQ(graph->functions[b].consumers, std::vector<int>{clone});
    EXPECT_EQ(graph->functions[a].consumers, std::vector<int>{b});
    EXPECT_EQ(graph->functions[1].consumers, std::vector<int>{});
}

// The loops that Halide 21 was seen to make of such an rfactor.
TEST(ScheduledDag, RfactorMovesLoops) {
    const PipelineDag dag = samples::histogram();
    Schedule s = empty_schedule(dag);
    const int intm =
        samples::derive(dag, s, {Kind::Rfactor, 1, {}, 1, {{}, {{64, Tail::Auto}}}, {{1, 0}}});
    EXPECT_EQ(function_text(dag, s, intm), "hist.rfactor(1)");
    EXPECT_EQ(stage_count(dag, s, intm), 2);
    EXPECT_EQ(labels(dag, s, intm, 0), (std::vector<std::string>{"i", "u"}));
    EXPECT_EQ(labels(dag, s, intm, 1), (std::vector<std::string>{"u", "r_x*", "r_yi*"}));
    EXPECT_EQ(labels(dag, s, 1, 1), (std::vector<std::string>{"i", "r_y*"}));
    EXPECT_EQ(stage_dims(dag, s, intm, 0)[1].extent, 8);
    const ScheduledDag graph(dag, s);
    EXPECT_TRUE(graph.problems().empty());
    // input(r_x, 64 u + r_yi)
    const Load& load = graph->functions[intm].stages[1].loads[0];
    EXPECT_EQ(load.coords[0].rates, (std::vector<double>{0, 1, 0}));
    EXPECT_EQ(load.coords[1].rates, (std::vector<double>{64, 0, 1}));
    EXPECT_EQ(graph->functions[intm].consumers, std::vector<int>{1});
}

TEST(ScheduledDag, RfactorWithNothingPreserved) {
    const PipelineDag dag = samples::matmul();
    Schedule s = empty_schedule(dag);
    const int intm = samples::derive(dag, s, {Kind::Rfactor, 2, {}, 1, {}, {}});
    EXPECT_EQ(labels(dag, s, intm, 1), (std::vector<std::string>{"x", "y", "k*"}));
    EXPECT_EQ(labels(dag, s, 2, 1), (std::vector<std::string>{"x", "y"}));
}

TEST(ScheduledDag, PreservedNamesAreNew) {
    Derivation derivation{Kind::Rfactor, 1, {}, 1, {}, {{0, 0}, {1, 0}}};
    const std::vector<StageDim> dims = {{"u", LoopKind::Reduction, 4, true},
                                        {"r", LoopKind::Reduction, 4, true}};
    EXPECT_EQ(preserved_names(derivation, {"u1"}, dims), (std::vector<std::string>{"u_", "u1_"}));
}

}  // namespace
}  // namespace nestor
