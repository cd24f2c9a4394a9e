#include "tune/plan_coordinates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "machine/profiles.h"
#include "schedule/sample_dags.h"

namespace nestor {
namespace {

double apart(std::vector<float> a, std::vector<float> b) {
    a.resize(std::max(a.size(), b.size()));
    b.resize(a.size());
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); i++) {
        sum += std::abs(a[i] - b[i]);
    }
    return sum;
}

TEST(PlanCoordinates, AreFurtherApartTheMoreIsDecidedDifferently) {
    const PipelineDag dag = samples::zoo();
    const std::vector<Space> spaces = make_spaces(dag, shipped_profile(InstructionSet::X86Avx2));
    PlanCoordinates coordinates(spaces);
    const Lineage base{0, spaces.front().starts.front().plan};
    const auto distance = [&](const std::function<void(FunctionPlan&)>& change) {
        Lineage other = base;
        change(other.plan.functions.back());
        return apart(coordinates.of(base), coordinates.of(other));
    };
    const auto set_block = [](int size) {
        return [size](FunctionPlan& f) { f.stages[0].block[0] = size; };
    };
    EXPECT_EQ(distance([](FunctionPlan&) {}), 0);
    const int now = base.plan.functions.back().stages[0].block[0];
    const double twice = distance(set_block(2 * now));
    EXPECT_GT(twice, 0);
    EXPECT_NEAR(distance(set_block(8 * now)), 3 * twice, 1e-5) << "sizes count by doublings";
    const double both = distance([&](FunctionPlan& f) {
        set_block(2 * now)(f);
        f.stages[0].short_outside = !f.stages[0].short_outside;
    });
    EXPECT_GT(both, twice);
    // Every decision that a plan can tell apart has a place.
    const std::vector<std::function<void(FunctionPlan&)>> changes{
        [](FunctionPlan& f) { f.dense++; },
        [](FunctionPlan& f) { f.modulus.at(0) *= 2; },
        [](FunctionPlan& f) { f.place = f.place == Place::Root ? Place::Inlined : Place::Root; },
        [](FunctionPlan& f) { f.place = Place::At; },
        [](FunctionPlan& f) { f.stages[0].tile[0] = f.stages[0].tile[0] > 0 ? 0 : 64; },
        [](FunctionPlan& f) { f.stages[0].vector_dim++; },
        [](FunctionPlan& f) { f.stages[0].lanes *= 2; },
        [](FunctionPlan& f) { f.stages[0].in_slabs = !f.stages[0].in_slabs; },
        [](FunctionPlan& f) { f.stages[0].task *= 8; },
        [](FunctionPlan& f) { f.stages[0].inner++; },
        [](FunctionPlan& f) { f.stages[0].dot *= 4; },
        [](FunctionPlan& f) { f.stages[0].selected = !f.stages[0].selected; },
    };
    for (std::size_t i = 0; i < changes.size(); i++) {
        EXPECT_GT(distance(changes[i]), 0) << "change " << i;
    }
    Lineage guarded = base;
    guarded.guards = Guards::Blocks;
    EXPECT_GT(apart(coordinates.of(base), coordinates.of(guarded)), 0);
    Lineage folded = base;
    folded.folded = true;
    EXPECT_GT(apart(coordinates.of(base), coordinates.of(folded)), 0);
    EXPECT_GT(apart(coordinates.of(guarded), coordinates.of(folded)), 0);
}

TEST(PlanCoordinates, TellSpotsApart) {
    const PipelineDag dag = samples::zoo();
    const std::vector<Space> spaces = make_spaces(dag, shipped_profile(InstructionSet::X86Avx2));
    PlanCoordinates coordinates(spaces);
    Lineage at{0, spaces.front().starts.front().plan};
    FunctionPlan& first = at.plan.functions.front();
    first.place = Place::At;
    first.compute = first.store = {-1, 0, SiteKind::Tile};
    const std::vector<float> outermost = coordinates.of(at);
    first.compute.kind = SiteKind::Rows;
    const std::vector<float> rows = coordinates.of(at);
    first.compute.function = static_cast<int>(at.plan.functions.size()) - 1;
    const std::vector<float> of_output = coordinates.of(at);
    EXPECT_GT(apart(outermost, rows), 0);
    EXPECT_GT(apart(rows, of_output), 0);
}

}  // namespace
}  // namespace nestor
