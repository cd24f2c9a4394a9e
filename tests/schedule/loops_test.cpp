// Names, extents and orders of loops.

#include "schedule/loops.h"

#include <gtest/gtest.h>

#include <set>

#include "sample_dags.h"

namespace nestor {
namespace {

std::vector<StageDim> dims(const std::vector<std::string>& labels) {
    std::vector<StageDim> dims;
    for (const std::string& label : labels) {
        dims.push_back({label, LoopKind::Pure, 100, false});
    }
    return dims;
}

TEST(LoopName, AddsAnIForEachLevel) {
    EXPECT_EQ(loop_name(dims({"x", "y"}), {0, 0}), "x");
    EXPECT_EQ(loop_name(dims({"x", "y"}), {1, 1}), "yi");
    EXPECT_EQ(loop_name(dims({"x", "y"}), {1, 2}), "yii");
}

TEST(LoopName, GivesWayToLabels) {
    EXPECT_EQ(loop_name(dims({"x", "xi"}), {0, 1}), "xi_");
    EXPECT_EQ(loop_name(dims({"x", "xi"}), {1, 0}), "xi");
    EXPECT_EQ(loop_name(dims({"x", "xi", "xi_"}), {0, 1}), "xi__");
}

TEST(LoopName, IsUniqueInItsStage) {
    for (const auto& labels : std::vector<std::vector<std::string>>{
             {"x", "y"}, {"x", "xi", "xii"}, {"i", "ii", "iii"}, {"x", "x_", "xi_", "xi", "xii"}}) {
        std::set<std::string> names;
        for (int d = 0; d < static_cast<int>(labels.size()); d++) {
            for (int level = 0; level < 4; level++) {
                EXPECT_TRUE(names.insert(loop_name(dims(labels), {d, level})).second);
            }
        }
    }
}

TEST(LoopExtent, CountsIterationsWithTails) {
    LoopNest nest;
    samples::split(nest, 0, 32);
    samples::split(nest, 0, 8);
    const std::vector<StageDim> d = dims({"x"});
    EXPECT_EQ(loop_extent(nest, d, {0, 0}), 4);
    EXPECT_EQ(loop_extent(nest, d, {0, 1}), 4);
    EXPECT_EQ(loop_extent(nest, d, {0, 2}), 8);
    EXPECT_EQ(loop_stride(nest, {0, 0}), 32);
    EXPECT_EQ(loop_stride(nest, {0, 1}), 8);
    EXPECT_EQ(loop_stride(nest, {0, 2}), 1);
    EXPECT_FALSE(has_constant_extent(d, {0, 0}));
    EXPECT_TRUE(has_constant_extent(d, {0, 2}));
    EXPECT_TRUE(has_loop(nest, d, {0, 2}));
    EXPECT_FALSE(has_loop(nest, d, {0, 3}));
    EXPECT_FALSE(has_loop(nest, d, {1, 0}));
}

// Halide puts the reduction loops of an update inside of its pure ones.
TEST(LoopOrder, IsHalidesUnlessGiven) {
    const PipelineDag dag = samples::matmul();
    const Schedule schedule = empty_schedule(dag);
    LoopNest nest;
    samples::split(nest, 2, 8);
    const std::vector<LoopRef> order = loop_order(nest, stage_dims(dag, schedule, 2, 1));
    EXPECT_EQ(order, (std::vector<LoopRef>{{2, 1}, {2, 0}, {0, 0}, {1, 0}}));
    nest.order = {{0, 0}, {2, 1}, {2, 0}, {1, 0}};
    EXPECT_EQ(loop_order(nest, stage_dims(dag, schedule, 2, 1)), nest.order);
    EXPECT_EQ(position(nest.order, {2, 0}), 2);
    EXPECT_EQ(position(nest.order, {2, 7}), -1);
}

TEST(MakesTasks, WhereTheSplitIsAroundNothingElse) {
    LoopNest nest;
    nest.splits = {{}, {{8, Tail::GuardWithIf}}};
    nest.order = {{0, 0}, {1, 1}, {1, 0}};
    EXPECT_FALSE(makes_tasks(nest, 1)) << "not parallel";
    nest.parallel = {{1, 0}};
    EXPECT_TRUE(makes_tasks(nest, 1));
    EXPECT_FALSE(makes_tasks(nest, 0));
    nest.order = {{1, 1}, {0, 0}, {1, 0}};
    EXPECT_FALSE(makes_tasks(nest, 1)) << "tiles";
    nest.order = {{0, 0}, {1, 2}, {1, 1}, {1, 0}};
    nest.splits[1].push_back({4, Tail::RoundUp});
    EXPECT_FALSE(makes_tasks(nest, 1)) << "blocks within";
}

}  // namespace
}  // namespace nestor
