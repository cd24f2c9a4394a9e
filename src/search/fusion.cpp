#include "search/fusion.h"

#include <algorithm>
#include <optional>

#include "schedule/bounds.h"
#include "schedule/trips.h"
#include "search/uses.h"

namespace nestor {

namespace {

std::vector<std::int64_t> extents_within(const Stage& stage,
                                         const std::vector<std::int64_t>& region) {
    std::vector<std::int64_t> extents;
    for (const Loop& loop : stage.loops) {
        extents.push_back(loop.is_reduction() ? loop.range.extent : region[loop.position]);
    }
    return extents;
}

bool is_ours(const Function& f) {
    return !f.pinned && !f.is_extern;
}

// Starts from "everything at root" and moves producers into tiles.
class Fusion {
  public:
    Fusion(const PipelineDag& dag, const std::vector<bool>& inlined, const Machine& machine,
           const FusionOptions& options)
        : dag_(dag),
          inlined_(inlined),
          machine_(machine),
          options_(options),
          uses_(real_uses(dag, inlined)),
          schedule_(all_at_root(dag, inlined, machine)),
          root_(dag.functions.size(), -1),
          tiles_(dag.functions.size()) {}

    Schedule run() {
        for (int i = static_cast<int>(dag_.functions.size()) - 1; i >= 0; i--) {
            if (inlined_[i] || !is_ours(dag_.functions[i])) {
                continue;
            }
            if (const auto root = common_root(i); root && fits(i, *root)) {
                root_[i] = *root;
            } else {
                offer_tiles(i);
            }
        }
        // A root into which nothing moved keeps its plain nest.
        for (std::size_t i = 0; i < tiles_.size(); i++) {
            if (tiles_[i] &&
                std::find(root_.begin(), root_.end(), static_cast<int>(i)) == root_.end()) {
                schedule_.functions[i].stages[tiles_[i]->stage].nest = tiles_[i]->plain;
            }
        }
        return std::move(schedule_);
    }

  private:
    struct Tiles {
        int stage = 0;
        TiledNest tiled;
        LoopNest plain;
        std::int64_t bytes = 0;  // of what has been fused so far
    };

    // The root whose tiles contain all uses of a function, if there is one.
    [[nodiscard]] std::optional<int> common_root(int function) const {
        std::optional<int> common;
        if (dag_.functions[function].is_output ||
            !updates_are_pointwise(dag_.functions[function])) {
            return std::nullopt;
        }
        for (const StageRef& use : uses_[function]) {
            int root = root_[use.function];
            if (root < 0) {
                const std::optional<Tiles>& tiles = tiles_[use.function];
                if (!tiles || tiles->stage != use.stage) {
                    return std::nullopt;
                }
                root = use.function;
            }
            if (use.stage < 0 || (common && *common != root)) {
                return std::nullopt;
            }
            common = root;
        }
        return common;
    }

    // Updates that write elsewhere than where they are asked for (scans, scatters) would run in
    // full in each tile.
    [[nodiscard]] static bool updates_are_pointwise(const Function& f) {
        return !f.stages[0].undefined &&
               std::all_of(f.stages.begin(), f.stages.end(), [&](const Stage& stage) {
                   return std::count_if(stage.loops.begin(), stage.loops.end(),
                                        [](const Loop& loop) { return !loop.is_reduction(); }) ==
                          f.dimensions();
               });
    }

    // Puts the function into the root's tiles; takes it out again if that recomputes or holds too
    // much.
    bool fits(int function, int root) {
        Tiles& tiles = *tiles_[root];
        FunctionSchedule& schedule = schedule_.functions[function];
        const FunctionSchedule before = schedule;
        const LoopSite tile{root, tiles.stage, tiles.tiled.tile};
        LoopSite compute = tile;
        if (options_.slide && tiles.tiled.rows) {
            compute.loop = *tiles.tiled.rows;
            schedule.store = Level::at(tile);
        }
        schedule.compute = Level::at(compute);
        const std::vector<std::int64_t> held = footprint(function, tile);
        double points = 1;
        for (const std::int64_t extent : held) {
            points *= static_cast<double>(extent);
        }
        const LoopNest& nest = schedule_.functions[root].stages[tiles.stage].nest;
        const double trips =
            enclosing_trips(nest, stage_dims(dag_, schedule_, root, tiles.stage), tile.loop);
        const Function& f = dag_.functions[function];
        const double recompute = points * trips / static_cast<double>(f.points());
        const double bytes = points * static_cast<double>(f.bytes_per_point());
        if (recompute > options_.largest_recompute ||
            bytes + static_cast<double>(tiles.bytes) > 0.5 * machine_.l2.bytes.value) {
            schedule = before;
            return false;
        }
        tiles.bytes += static_cast<std::int64_t>(bytes);
        const std::vector<std::int64_t> region = footprint(function, compute);
        for (const Stage& stage : f.stages) {
            schedule.stages[stage.index].nest =
                plain_nest(f, stage, extents_within(stage, region), machine_, false);
        }
        return true;
    }

    // What one iteration of a loop needs of a function, as the schedule is now.
    [[nodiscard]] std::vector<std::int64_t> footprint(int function, const LoopSite& site) const {
        const Placement placement(dag_, schedule_);
        return Bounds(placement).within(site).extents(function);
    }

    // The last stage of a function at root gets tiles for producers to move into.
    void offer_tiles(int function) {
        const Function& f = dag_.functions[function];
        const Stage& stage = f.stages.back();
        if (auto tiled = tiled_nest(f, stage, options_.shape, machine_)) {
            LoopNest& nest = schedule_.functions[function].stages[stage.index].nest;
            tiles_[function] = Tiles{stage.index, *tiled, nest};
            nest = tiled->nest;
        }
    }

    const PipelineDag& dag_;
    const std::vector<bool>& inlined_;
    const Machine& machine_;
    const FusionOptions& options_;
    std::vector<std::vector<StageRef>> uses_;
    Schedule schedule_;
    std::vector<int> root_;                    // whose tiles a function is computed in; -1: none
    std::vector<std::optional<Tiles>> tiles_;  // of functions at root
};

}  // namespace

Schedule all_at_root(const PipelineDag& dag, const std::vector<bool>& inlined,
                     const Machine& machine) {
    Schedule schedule = empty_schedule(dag);
    for (std::size_t i = 0; i < dag.functions.size(); i++) {
        const Function& f = dag.functions[i];
        FunctionSchedule& s = schedule.functions[i];
        if (f.pinned) {
            continue;
        }
        s.compute = inlined[i] ? Level::inlined() : Level::root();
        for (const Stage& stage : f.stages) {
            if (!inlined[i]) {
                s.stages[stage.index].nest =
                    plain_nest(f, stage, estimated_extents(stage), machine, true);
            }
        }
    }
    return schedule;
}

Schedule fuse(const PipelineDag& dag, const std::vector<bool>& inlined, const Machine& machine,
              const FusionOptions& options) {
    return Fusion(dag, inlined, machine, options).run();
}

}  // namespace nestor
