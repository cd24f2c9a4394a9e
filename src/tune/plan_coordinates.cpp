#include "tune/plan_coordinates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/hash.h"

namespace nestor {

namespace {

constexpr float kChoice = 0.5F;
constexpr float kDoubling = 0.5F;
constexpr float kPlace = 1;
constexpr float kSpace = 1;
// Sizes are told from this one, so that where there is no size (not split) is not far from any.
constexpr float kUsualTile = 3;  // in doublings

enum class Aspect : std::uint8_t {
    Space,
    Guarded,
    Place,
    Compute,
    Store,
    Modulus,
    Dense,
    Tile,
    Whole,
    Block,
    VectorDim,
    Lanes,
    ShortOutside,
    InSlabs,
    Inner,
    Dot,
    Selected,
    Task,
    Folded,
};

// Of what a decision is about, and, of a choice, what is chosen.
std::uint64_t key(Aspect aspect, std::uint64_t about, const std::array<int, 4>& more) {
    std::uint64_t all = hash_bytes({}, about + static_cast<std::uint64_t>(aspect));
    for (const int each : more) {
        all = hash_bytes({}, all + static_cast<std::uint64_t>(each));
    }
    return all;
}

float doublings(std::int64_t size) {
    return std::log2(static_cast<float>(size));
}

}  // namespace

std::size_t PlanCoordinates::place(std::uint64_t key) {
    return places_.emplace(key, places_.size()).first->second;
}

std::vector<float> PlanCoordinates::of(const Lineage& lineage) {
    const PipelineDag& graph = spaces_[lineage.space].variant.graph();
    std::vector<float> at(places_.size());
    const auto set = [&](std::uint64_t key, float value) {
        const std::size_t i = place(key);
        at.resize(std::max(at.size(), i + 1));
        at[i] = value;
    };
    set(key(Aspect::Space, 0, {lineage.space}), kSpace);
    set(key(Aspect::Guarded, 0, {}), lineage.guards != Guards::None ? kChoice : 0);
    set(key(Aspect::Folded, 0, {}), lineage.folded ? kChoice : 0);
    for (std::size_t f = 0; f < graph.functions.size(); f++) {
        const FunctionPlan& plan = lineage.plan.functions[f];
        const std::uint64_t about = hash_bytes(graph.functions[f].id.text());
        const auto spot = [&](Aspect aspect, const Spot& spot) {
            // By name, because the same function has other numbers in other spaces.
            const std::string name =
                spot.function < 0 ? "" : graph.functions[spot.function].id.text();
            set(key(aspect, about ^ hash_bytes(name), {spot.stage, static_cast<int>(spot.kind)}),
                kChoice);
        };
        set(key(Aspect::Place, about, {static_cast<int>(plan.place)}), kPlace);
        if (plan.place == Place::At) {
            spot(Aspect::Compute, plan.compute);
            spot(Aspect::Store, plan.store);
        }
        for (int d = 0; d < std::ssize(plan.modulus); d++) {
            set(key(Aspect::Modulus, about, {d}), kDoubling * doublings(plan.modulus[d]));
        }
        set(key(Aspect::Dense, about, {plan.dense}), kChoice);
        for (int s = 0; s < std::ssize(plan.stages); s++) {
            const NestPlan& nest = plan.stages[s];
            for (int d = 0; d < std::ssize(nest.tile); d++) {
                if (nest.tile[d] > 0) {
                    set(key(Aspect::Tile, about, {s, d}),
                        kDoubling * (doublings(nest.tile[d]) - kUsualTile));
                } else {
                    set(key(Aspect::Whole, about, {s, d}), kChoice);
                }
            }
            for (int d = 0; d < std::ssize(nest.block); d++) {
                set(key(Aspect::Block, about, {s, d}), kDoubling * doublings(nest.block[d]));
            }
            set(key(Aspect::VectorDim, about, {s, nest.vector_dim}), kChoice);
            set(key(Aspect::Lanes, about, {s}), kDoubling * (doublings(nest.lanes) - kUsualTile));
            set(key(Aspect::Inner, about, {s, nest.inner}), kChoice);
            set(key(Aspect::Dot, about, {s, nest.dot_dim, nest.dot}), kChoice);
            set(key(Aspect::ShortOutside, about, {s}), nest.short_outside ? kChoice : 0);
            set(key(Aspect::InSlabs, about, {s}), nest.in_slabs ? kChoice : 0);
            set(key(Aspect::Task, about, {s}), kDoubling * doublings(nest.task));
            set(key(Aspect::Selected, about, {s}), nest.selected ? kChoice : 0);
        }
    }
    return at;
}

}  // namespace nestor
