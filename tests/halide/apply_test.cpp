#include "halide/apply.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "halide/equivalence.h"
#include "halide/lower.h"
#include "halide/read_pipeline.h"
#include "schedule/joined.h"
#include "schedule/legality.h"

namespace nestor {
namespace {

using Halide::Func;
using Halide::Pipeline;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::Target;
using Halide::Var;

/** Whether or not this machine has it: nothing is run. */
const Target kTarget("x86-64-linux-avx2-fma");

PipelineDag read(const Pipeline& pipeline) {
    Result<PipelineDag> dag = read_pipeline(pipeline, kTarget);
    EXPECT_TRUE(dag.ok()) << (dag.ok() ? "" : dag.error());
    return dag.ok() ? std::move(dag).value() : PipelineDag{};
}

/** input, blur_x, blur_y: the functions of the dag in this order. */
struct Blur {
    Var x{"x"}, y{"y"};
    Halide::ImageParam input{Halide::UInt(16), 2, "input"};
    Func padded{"padded"}, blur_x{"blur_x"}, blur_y{"blur_y"};

    Blur() {
        padded(x, y) = input(x, y);
        blur_x(x, y) = padded(x - 1, y) + padded(x, y) + padded(x + 1, y);
        blur_y(x, y) = blur_x(x, y - 1) + blur_x(x, y) + blur_x(x, y + 1);
        blur_y.set_estimates({{0, 640}, {0, 480}});
        input.set_estimates({{-1, 642}, {-1, 482}});
    }
    [[nodiscard]] Pipeline pipeline() const { return {blur_y}; }
};

/** total(x) = sum over r of data(x, r), a histogram-like update. */
struct Sum {
    Var x{"x"}, u{"u"};
    Halide::RDom r{0, 1024, "r"};
    Func data{"data"}, total{"total"}, out{"out"};

    Sum() {
        data(x, u) = Halide::cast<int>(x * 3 + u);
        total(x) = 0;
        total(x) += data(x, r);
        out(x) = total(x) * 2;
        out.set_estimates({{0, 256}});
    }
    [[nodiscard]] Pipeline pipeline() const { return {out}; }
};

int index_of(const PipelineDag& dag, const std::string& stem) {
    const int index = dag.find({stem, 0});
    EXPECT_GE(index, 0) << stem;
    return index;
}

/** A schedule of one pipeline, with its functions by name. */
struct Draft {
    PipelineDag dag;
    Schedule schedule;

    explicit Draft(const Pipeline& pipeline) : dag(read(pipeline)), schedule(empty_schedule(dag)) {}

    FunctionSchedule& operator[](const std::string& stem) {
        return schedule.functions[index_of(dag, stem)];
    }
    LoopNest& nest(const std::string& stem, int stage = 0) {
        return (*this)[stem].stages.at(stage).nest;
    }
    Level at(const std::string& stem, int stage, LoopRef loop) {
        return Level::at({index_of(dag, stem), stage, loop});
    }
    int derive(Derivation::Kind kind, const std::string& parent,
               const std::vector<std::string>& consumers, int stages) {
        FunctionSchedule derived;
        derived.derivation.emplace();
        derived.derivation->kind = kind;
        derived.derivation->parent = index_of(dag, parent);
        for (const std::string& consumer : consumers) {
            derived.derivation->consumers.push_back(index_of(dag, consumer));
        }
        derived.stages.resize(stages);
        schedule.functions.push_back(std::move(derived));
        return static_cast<int>(schedule.functions.size()) - 1;
    }
};

std::string lowered_difference(const Pipeline& a, const Pipeline& b) {
    const auto first = lower(a, kTarget);
    const auto second = lower(b, kTarget);
    if (!first.ok() || !second.ok()) {
        return "does not lower: " + (first.ok() ? second.error() : first.error());
    }
    return difference(first.value(), second.value());
}

/** Applies the draft to a copy and compares with what `by_hand` does to a pipeline of the same
 * kind. */
template <class Example>
void expect_same_as(const Draft& draft, const Example& example,
                    const std::function<void(Example&)>& by_hand) {
    const Pipeline copy = deep_copy(example.pipeline());
    const Status applied = apply(copy, draft.dag, draft.schedule);
    ASSERT_TRUE(applied.ok()) << applied.error();
    Example scheduled;
    const std::string unscheduled = lowered_difference(copy, scheduled.pipeline());
    EXPECT_NE(unscheduled, "") << "the schedule changes nothing";
    by_hand(scheduled);
    EXPECT_EQ(lowered_difference(copy, scheduled.pipeline()), "");
}

// ---- Binding and copying
// ------------------------------------------------------------------------------

TEST(BindFunctions, FindsFunctionsWhateverTheirCounters) {
    const Blur first;
    const Blur second;  // blur_x$1 and so on
    const PipelineDag dag = read(first.pipeline());
    ASSERT_NE(first.blur_x.name(), second.blur_x.name());
    const Result<std::vector<Func>> bound = bind_functions(second.pipeline(), dag);
    ASSERT_TRUE(bound.ok()) << bound.error();
    EXPECT_EQ(bound.value().at(index_of(dag, "blur_x")).name(), second.blur_x.name());
    EXPECT_EQ(bound.value().at(index_of(dag, "blur_y")).name(), second.blur_y.name());
}

TEST(BindFunctions, RanksFunctionsOfOneStemByCreation) {
    const Var x("x");
    Func one("same"), two("same"), out("out");
    one(x) = x;
    two(x) = x + 1;
    out(x) = two(x) + one(x);
    out.set_estimates({{0, 10}});
    const Pipeline pipeline(out);
    const PipelineDag dag = read(pipeline);
    const auto bound = bind_functions(pipeline, dag);
    ASSERT_TRUE(bound.ok()) << bound.error();
    EXPECT_EQ(bound.value().at(dag.find({"same", 0})).name(), one.name());
    EXPECT_EQ(bound.value().at(dag.find({"same", 1})).name(), two.name());
}

TEST(BindFunctions, RefusesAnotherPipeline) {
    const PipelineDag dag = read(Blur().pipeline());
    const auto missing = bind_functions(Sum().pipeline(), dag);
    ASSERT_FALSE(missing.ok());
    EXPECT_NE(missing.error().find("made for another pipeline"), std::string::npos)
        << missing.error();

    Blur changed;
    changed.blur_y(changed.x, changed.y) += Halide::cast<std::uint16_t>(1);
    const auto update = bind_functions(changed.pipeline(), dag);
    ASSERT_FALSE(update.ok());
    EXPECT_NE(update.error().find("update definitions"), std::string::npos) << update.error();

    Blur longer;
    Func extra("extra"), last("blur_y");
    extra(longer.x, longer.y) = longer.blur_x(longer.x, longer.y);
    last(longer.x, longer.y) = extra(longer.x, longer.y);
    EXPECT_FALSE(bind_functions(Pipeline(last), dag).ok());
}

TEST(DeepCopy, LeavesTheOriginalAlone) {
    const Blur blur;
    const Pipeline pipeline = blur.pipeline();
    const auto before = lower(pipeline, kTarget);
    const Pipeline copy = deep_copy(pipeline);
    copy.outputs()[0].compute_root();
    Func(copy.outputs()[0]).vectorize(blur.x, 8);
    ASSERT_TRUE(before.ok());
    const auto after = lower(pipeline, kTarget);
    ASSERT_TRUE(after.ok());
    EXPECT_EQ(difference(before.value(), after.value()), "");
    EXPECT_NE(lowered_difference(pipeline, copy), "");
}

TEST(DeepCopy, KeepsRequirements) {
    const Blur blur;
    Pipeline pipeline = blur.pipeline();
    Halide::Param<int> gain("gain");
    pipeline.add_requirement(gain > 3, "gain");
    EXPECT_EQ(deep_copy(pipeline).requirements().size(), 1U);
    EXPECT_EQ(lowered_difference(pipeline, deep_copy(pipeline)), "");
}

// ---- Directives
// ---------------------------------------------------------------------------------------

TEST(Apply, EmptyScheduleChangesNothing) {
    const Blur blur;
    const Draft draft(blur.pipeline());
    const Pipeline copy = deep_copy(blur.pipeline());
    ASSERT_TRUE(apply(copy, draft.dag, draft.schedule).ok());
    EXPECT_EQ(lowered_difference(copy, blur.pipeline()), "");
}

TEST(Apply, TilesVectorsAndStorage) {
    const Blur blur;
    Draft draft(blur.pipeline());
    LoopNest& nest = draft.nest("blur_y");
    nest.splits = {{{64, Tail::GuardWithIf}, {8, Tail::ShiftInwards}}, {{16, Tail::GuardWithIf}}};
    nest.order = {{0, 2}, {0, 1}, {1, 1}, {0, 0}, {1, 0}};
    nest.vector = LoopRef{0, 2};
    nest.unrolled = {{0, 1}};
    nest.partition = {{{0, 0}, PartitionPolicy::Never}};
    draft["blur_x"].compute = draft.at("blur_y", 0, {0, 0});
    draft["blur_x"].store = draft.at("blur_y", 0, {1, 0});
    draft["blur_x"].hoist = Level::root();
    draft.nest("blur_x").splits = {{{8, Tail::RoundUp}}};
    draft.nest("blur_x").vector = LoopRef{0, 1};
    draft["padded"].compute = Level::root();
    draft["padded"].memory = Memory::Heap;
    draft["padded"].storage_order = {1, 0};
    draft["padded"].alignment = {{1, 32}};
    expect_same_as<Blur>(draft, blur, [](Blur& b) {
        const Var xi("xi"), xii("xii"), yi("yi");
        b.blur_y.split(b.x, b.x, xi, 64, TailStrategy::GuardWithIf)
            .split(xi, xi, xii, 8, TailStrategy::ShiftInwards)
            .split(b.y, b.y, yi, 16, TailStrategy::GuardWithIf)
            .reorder(xii, xi, yi, b.x, b.y)
            .vectorize(xii)
            .unroll(xi)
            .never_partition(b.x);
        b.blur_x.compute_at(b.blur_y, b.x).store_at(b.blur_y, b.y).hoist_storage_root();
        b.blur_x.split(b.x, b.x, xi, 8, TailStrategy::RoundUp).vectorize(xi);
        b.padded.compute_root().store_in(Halide::MemoryType::Heap);
        b.padded.reorder_storage(b.y, b.x).align_storage(b.y, 32);
    });
}

TEST(Apply, FoldsAndPrefetches) {
    const Blur blur;
    Draft draft(blur.pipeline());
    draft["blur_x"].compute = draft.at("blur_y", 0, {1, 0});
    draft["blur_x"].store = Level::root();
    draft["blur_x"].fold = Fold{1, 4, true};
    draft["padded"].compute = Level::root();
    draft.nest("blur_y").prefetch = {
        {index_of(draft.dag, "padded"), {1, 0}, {1, 0}, 2, PrefetchBounds::Clamp}};
    expect_same_as<Blur>(draft, blur, [](Blur& b) {
        b.blur_x.store_root().compute_at(b.blur_y, b.y).fold_storage(b.y, 4);
        b.padded.compute_root();
        b.blur_y.prefetch(b.padded, b.y, b.y, 2, Halide::PrefetchBoundStrategy::Clamp);
    });
}

TEST(Apply, Specializes) {
    const Blur blur;
    Draft draft(blur.pipeline());
    StageSchedule& stage = draft["blur_y"].stages[0];
    Specialization wide{{{0, 64}, {1, 8}}, {}};
    wide.nest.splits = {{{64, Tail::ShiftInwards}}};
    wide.nest.vector = LoopRef{0, 1};
    stage.specializations = {wide};
    stage.nest.splits = {{{8, Tail::GuardWithIf}}};
    expect_same_as<Blur>(draft, blur, [](Blur& b) {
        const Var xi("xi");
        const Halide::OutputImageParam out = b.blur_y.output_buffer();
        b.blur_y.specialize(out.dim(0).extent() >= 64 && out.dim(1).extent() >= 8)
            .split(b.x, b.x, xi, 64, TailStrategy::ShiftInwards)
            .vectorize(xi);
        b.blur_y.split(b.x, b.x, xi, 8, TailStrategy::GuardWithIf);
    });
}

TEST(Apply, MakesWrappersAndClones) {
    const Blur blur;
    Draft draft(blur.pipeline());
    draft["padded"].compute = Level::root();
    draft["blur_x"].compute = Level::root();
    const int wrapper = draft.derive(Derivation::Kind::Wrapper, "padded", {"blur_x"}, 1);
    draft.schedule.functions[wrapper].compute = draft.at("blur_x", 0, {1, 0});
    expect_same_as<Blur>(draft, blur, [](Blur& b) {
        b.padded.compute_root();
        b.blur_x.compute_root();
        b.padded.in(b.blur_x).compute_at(b.blur_x, b.y);
    });
    Draft cloned(blur.pipeline());
    cloned["blur_x"].compute = Level::root();
    const int clone = cloned.derive(Derivation::Kind::Clone, "blur_x", {"blur_y"}, 1);
    cloned.schedule.functions[clone].compute = cloned.at("blur_y", 0, {1, 0});
    expect_same_as<Blur>(cloned, blur, [](Blur& b) {
        b.blur_x.compute_root();
        b.blur_x.clone_in(b.blur_y).compute_at(b.blur_y, b.y);
    });
}

TEST(Apply, Rfactors) {
    const Sum sum;
    Draft draft(sum.pipeline());
    draft["total"].compute = Level::root();
    const int intermediate = draft.derive(Derivation::Kind::Rfactor, "total", {}, 2);
    Derivation& derivation = *draft.schedule.functions[intermediate].derivation;
    derivation.splits = {{}, {{8, Tail::GuardWithIf}}};
    derivation.preserved = {{1, 1}};
    draft.schedule.functions[intermediate].compute = Level::root();
    draft.schedule.functions[intermediate].stages[0].nest.parallel = {{1, 0}};
    expect_same_as<Sum>(draft, sum, [](Sum& s) {
        const RVar inner("inner");
        const Var v("v");
        s.total.compute_root();
        s.total.update().split(s.r, s.r, inner, 8, TailStrategy::GuardWithIf);
        Func intermediate = s.total.update().rfactor(inner, v);
        intermediate.compute_root().parallel(v);
        intermediate.update().reorder(intermediate.rvars()[0], s.x, v);
    });
}

TEST(Apply, SplitsAndVectorizesReductions) {
    const Sum sum;
    Draft draft(sum.pipeline());
    draft["total"].compute = Level::root();
    LoopNest& nest = draft.nest("total", 1);
    nest.splits = {{}, {{8, Tail::GuardWithIf}}};
    nest.vector = LoopRef{1, 1};
    nest.atomic = true;
    expect_same_as<Sum>(draft, sum, [](Sum& s) {
        const RVar inner("inner");
        s.total.compute_root();
        s.total.update()
            .split(s.r, s.r, inner, 8, TailStrategy::GuardWithIf)
            .atomic()
            .vectorize(inner);
    });
}

struct TwoOutputs {
    Var x{"x"}, y{"y"};
    Func left{"left"}, right{"right"};

    TwoOutputs() {
        left(x, y) = x + y;
        right(x, y) = x - y;
        left.set_estimates({{0, 64}, {0, 64}});
        right.set_estimates({{0, 64}, {0, 64}});
    }
    [[nodiscard]] Pipeline pipeline() const { return {std::vector<Func>{left, right}}; }
};

TEST(Apply, FusesStages) {
    const TwoOutputs two;
    Draft draft(two.pipeline());
    draft["right"].stages[0].compute_with = LoopSite{index_of(draft.dag, "left"), 0, {1, 0}};
    expect_same_as<TwoOutputs>(draft, two,
                               [](TwoOutputs& t) { t.right.compute_with(t.left, t.y); });
}

// The leader may be smaller than what follows it, which the schedule cannot know.
TEST(Apply, FollowersMayBeLargerThanLeaders) {
    const TwoOutputs two;
    Draft draft(two.pipeline());
    const Joined together{index_of(draft.dag, "right"), {index_of(draft.dag, "left")}};
    draft["right"].compute = Level::root();
    LoopNest& nest = draft.nest("right");
    nest.splits = {{{8, Tail::GuardWithIf}}, {{16, Tail::GuardWithIf}, {2, Tail::RoundUp}}};
    nest.order = {{0, 1}, {1, 2}, {0, 0}, {1, 1}, {1, 0}};
    nest.vector = LoopRef{0, 1};
    nest.unrolled = {{1, 2}};
    nest.parallel = {{1, 0}};
    const Schedule schedule = with_followers(draft.dag, draft.schedule, {together});
    ASSERT_EQ(text(check_legality(draft.dag, schedule)), "");
    Pipeline pipeline = two.pipeline();
    ASSERT_TRUE(apply(pipeline, draft.dag, schedule).ok());
    for (const auto& [left_size, right_size] :
         {std::pair{50, 3}, std::pair{3, 50}, std::pair{1, 1}, std::pair{33, 40}}) {
        Halide::Buffer<int> left(left_size, left_size + 7);
        Halide::Buffer<int> right(right_size, right_size);
        pipeline.realize({left, right});
        left.for_each_element([&](int x, int y) { ASSERT_EQ(left(x, y), x + y); });
        right.for_each_element([&](int x, int y) { ASSERT_EQ(right(x, y), x - y); });
    }
}

struct Pairs {
    Var x{"x"};
    Func pair{"pair"};

    Pairs() {
        pair(x) = Halide::Tuple(x, x * 2);
        pair.set_estimates({{0, 64}});
    }
    [[nodiscard]] Pipeline pipeline() const { return {pair}; }
};

TEST(Apply, SpecializesTuples) {
    const Pairs pairs;
    Draft draft(pairs.pipeline());
    Specialization wide{{{0, 8}}, {}};
    wide.nest.splits = {{{8, Tail::ShiftInwards}}};
    draft["pair"].stages[0].specializations = {wide};
    draft.nest("pair").parallel = {{0, 0}};
    expect_same_as<Pairs>(draft, pairs, [](Pairs& p) {
        const Var xi("xi");
        p.pair.specialize(p.pair.output_buffers()[0].dim(0).extent() >= 8)
            .split(p.x, p.x, xi, 8, TailStrategy::ShiftInwards);
        p.pair.parallel(p.x);
    });
}

// The estimates are 640 x 480.
TEST(ApplyForEstimates, LeavesOutWhatOtherSizesNeed) {
    const Blur blur;
    Draft draft(blur.pipeline());
    const auto wide = [](std::int64_t least, int vector) {
        Specialization made{{{0, least}}, {}};
        made.nest.splits = {{{vector, Tail::ShiftInwards}}};
        made.nest.vector = LoopRef{0, 1};
        return made;
    };
    StageSchedule& stage = draft["blur_y"].stages[0];
    stage.nest.splits = {{{4, Tail::GuardWithIf}}};
    const auto expect = [&](const std::function<void(Blur&)>& by_hand) {
        const Pipeline copy = deep_copy(blur.pipeline());
        const Status applied = apply_for_estimates(copy, draft.dag, draft.schedule);
        ASSERT_TRUE(applied.ok()) << applied.error();
        Blur scheduled;
        by_hand(scheduled);
        EXPECT_EQ(lowered_difference(copy, scheduled.pipeline()), "");
    };
    // The first that holds.
    stage.specializations = {wide(1000, 32), wide(640, 16), wide(8, 8)};
    expect([](Blur& b) {
        const Var xi("xi");
        b.blur_y.specialize(b.blur_y.output_buffer().dim(0).extent() >= 640)
            .split(b.x, b.x, xi, 16, TailStrategy::ShiftInwards)
            .vectorize(xi);
        b.blur_y.split(b.x, b.x, xi, 4, TailStrategy::GuardWithIf);
        b.blur_y.specialize_fail("this is compiled for other sizes");
    });
    // None does.
    stage.specializations = {wide(1000, 32)};
    expect([](Blur& b) { b.blur_y.split(b.x, b.x, Var("xi"), 4, TailStrategy::GuardWithIf); });
    // Which strides a buffer has shows only when it runs.
    stage.specializations = {wide(8, 8)};
    stage.specializations.front().strides = {
        {Source::Function, index_of(draft.dag, "blur_y"), 0, 3}};
    expect([](Blur& b) {
        const Var xi("xi");
        const Halide::OutputImageParam out = b.blur_y.output_buffer();
        b.blur_y.specialize(out.dim(0).extent() >= 8 && out.dim(0).stride() == 3)
            .split(b.x, b.x, xi, 8, TailStrategy::ShiftInwards)
            .vectorize(xi);
        b.blur_y.split(b.x, b.x, xi, 4, TailStrategy::GuardWithIf);
    });
}

TEST(Apply, ReportsWhatHalideRefuses) {
    const Sum sum;
    Draft draft(sum.pipeline());
    draft["total"].compute = Level::root();
    draft.nest("total", 1).parallel = {{1, 0}};  // a race
    const Status applied = apply(deep_copy(sum.pipeline()), draft.dag, draft.schedule);
    ASSERT_FALSE(applied.ok());
    EXPECT_NE(applied.error().find("update(0).parallel"), std::string::npos) << applied.error();
}

}  // namespace
}  // namespace nestor
