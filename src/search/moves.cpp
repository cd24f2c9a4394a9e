#include "search/moves.h"

#include <algorithm>

#include "schedule/phases.h"
#include "search/channel_vectors.h"
#include "search/dot_products.h"
#include "search/make_nest.h"
#include "search/nests.h"
#include "search/part_tiles.h"
#include "search/register_tiles.h"
#include "search/transpositions.h"

namespace nestor {

namespace {

constexpr std::int64_t kSmallestTile = 4;
constexpr std::int64_t kLargestTile = 1024;
constexpr int kWidestVectors = 4;  // in vectors of the machine

using Visit = std::function<void(const Plan&)>;

// Whether each point along a loop has its own formula: as copies of the code, each is known.
bool differs_by_point(const Stage& stage, int loop) {
    return std::ranges::any_of(
        stage.phases, [&](const Phase& phase) { return phase.loop == loop && phase.whole; });
}

bool is_known_point(const Stage& stage, const Coordinate& at) {
    for (int l = 0; l < std::ssize(stage.loops); l++) {
        if (at.changes_with(l)) {
            return false;
        }
    }
    return at.affine;
}

// Whether something reads a function at known points along a dimension: planes(x, y, 3).
bool has_named_points(const PipelineDag& dag, int function, int dim) {
    for (const int consumer : dag.functions[function].consumers) {
        for (const Stage& stage : dag.functions[consumer].stages) {
            for (const Load& load : stage.loads) {
                if (load.source == Source::Function && load.index == function &&
                    is_known_point(stage, load.coords[dim])) {
                    return true;
                }
            }
        }
    }
    return false;
}

class Neighbours {
  public:
    Neighbours(Builder& builder, const Plan& plan, int function, const Visit& visit)
        : builder_(builder),
          f_(builder.dag().functions[function]),
          plan_(plan),
          changed_(plan),
          function_(function),
          machine_(builder.machine()),
          visit_(visit) {}

    void run() {
        if (f_.pinned || f_.is_extern) {
            return;
        }
        places();
        run(MoveKind::RegisterTiles, [&] {
            for_each_register_tile(builder_, plan_, function_, visit_);
            for_each_part_tile(builder_.dag(), machine_, plan_, function_, visit_);
        });
        run(MoveKind::Transpositions,
            [&] { for_each_transposition(builder_.dag(), machine_, plan_, function_, visit_); });
        if (builder_.reads_channels()) {
            run(MoveKind::ChannelVectors,
                [&] { for_each_channel_vector(builder_, plan_, function_, visit_); });
        }
        if (mine().place == Place::Inlined) {
            return;
        }
        run(MoveKind::DotProducts,
            [&] { for_each_dot_product(builder_, plan_, function_, visit_); });
        run(MoveKind::StorageOrder, [&] { storage(); });
        run(MoveKind::Alignments, [&] { alignments(); });
        run(MoveKind::Turns, [&] { turns(); });
        for (int s = 0; s < static_cast<int>(f_.stages.size()); s++) {
            run(MoveKind::Widths, [&] { lanes(s); });
            run(MoveKind::VectorDims, [&] { vector_dims(s); });
            run(MoveKind::Blocks, [&] { blocks(s); });
            run(MoveKind::Steps, [&] { steps(s); });
            run(MoveKind::DotProducts, [&] { single_steps(s); });
            run(MoveKind::ReductionOrder, [&] { reductions(s); });
            run(MoveKind::LoopOrder, [&] { orders(s); });
            run(MoveKind::Selectors, [&] { selected(s); });
            if (has_tasks()) {
                run(MoveKind::Tiles, [&] { tiles(s); });
            }
            run(MoveKind::Slabs, [&] { slabs(s); });
        }
    }

    void run_finishing() {
        if (f_.pinned || f_.is_extern || mine().place == Place::Inlined) {
            return;
        }
        for (int s = 0; s < static_cast<int>(f_.stages.size()); s++) {
            run(MoveKind::WholeVectors, [&] { whole_vectors(s); });
            if (has_tasks()) {
                run(MoveKind::Tasks, [&] { task_sizes(s); });
                run(MoveKind::TileShapes, [&] { shapes(s); });
            }
        }
    }

    // Fewer tasks of more rows each, in which everything is computed row by row as before.
    void run_taller_tiles() {
        if (f_.pinned || f_.is_extern || mine().place != Place::Root) {
            return;
        }
        for (int s = 0; s < static_cast<int>(f_.stages.size()); s++) {
            const std::vector<Loop>& loops = f_.stages[s].loops;
            for (int d = 0; d < static_cast<int>(loops.size()); d++) {
                for (const std::int64_t rows : {8, 32, 128}) {
                    if (is_free(f_, loops[d]) && mine().stages[s].tile[d] == 0 &&
                        rows < loops[d].range.extent) {
                        taller_tiles(s, d, rows);
                    }
                }
            }
        }
    }

  private:
    [[nodiscard]] bool has(MoveKind kind) const { return builder_.moves().has(kind); }

    template <class Moves>
    void run(MoveKind kind, const Moves& moves) const {
        if (has(kind)) {
            moves();
        }
    }

    [[nodiscard]] const FunctionPlan& mine() const { return plan_.functions[function_]; }

    [[nodiscard]] bool has_tasks() const {
        return mine().place == Place::Root || mine().compute.kind == SiteKind::Slab;
    }

    void offer(const std::function<void(FunctionPlan&)>& change) {
        FunctionPlan& changed = changed_.functions[function_];
        change(changed);
        if (!(changed == mine())) {
            visit_(changed_);
            changed = mine();
        }
    }

    void places() {
        const bool inlined = mine().place == Place::Inlined;
        if (inlined && !has(MoveKind::Inlining)) {
            return;
        }
        if (f_.can_inline && has(MoveKind::Inlining)) {
            offer([&](FunctionPlan& f) { f.place = Place::Inlined; });
        }
        offer([&](FunctionPlan& f) { f.place = Place::Root; });
        if (!has(MoveKind::Loops)) {
            return;
        }
        const std::vector<Spot> spots = builder_.possible_spots(plan_, function_);
        for (std::size_t compute = 0; compute < spots.size(); compute++) {
            // The innermost loop is along the vectors, where Halide keeps no circular buffer.
            const bool slides = has(MoveKind::Sliding) && spots[compute].kind != SiteKind::Inner &&
                                spots[compute].kind != SiteKind::Step;
            const std::size_t end = slides ? spots.size() : compute + 1;
            for (std::size_t store = compute; store < end; store++) {
                offer([&](FunctionPlan& f) {
                    f.place = Place::At;
                    f.compute = spots[compute];
                    f.store = spots[store];
                });
            }
        }
        run(MoveKind::Slabs, [&] { slab_around(spots); });
    }

    // Computed for one slab of the function at root around all that reads it after the other.
    void slab_around(const std::vector<Spot>& spots) {
        if (spots.empty() || plan_.functions[spots.back().function].place != Place::Root) {
            return;
        }
        const Spot slab{spots.back().function, spots.back().stage, SiteKind::Slab};
        Plan changed = plan_;
        NestPlan& nest = changed.functions[slab.function].stages[slab.stage];
        nest.short_outside = nest.in_slabs = true;
        // All channels in one slab are for those whose distance in memory matters.
        if (!builder_.reads_channels() && has_short_block(slab)) {
            return;
        }
        const std::vector<Spot> all = builder_.possible_spots(changed, function_);
        if (std::ranges::count(all, slab) == 0) {
            return;  // too many slabs, or a single one
        }
        FunctionPlan& f = changed.functions[function_];
        f.place = Place::At;
        f.compute = f.store = slab;
        visit_(changed);
    }

    [[nodiscard]] bool has_short_block(const Spot& spot) const {
        const NestPlan& nest = plan_.functions[spot.function].stages[spot.stage];
        const std::vector<Loop>& loops =
            builder_.dag().functions[spot.function].stages[spot.stage].loops;
        for (std::size_t l = 0; l < loops.size(); l++) {
            if (loops[l].range.extent <= kShort && nest.block[l] > 1 &&
                static_cast<int>(l) != nest.vector_dim) {
                return true;
            }
        }
        return false;
    }

    void slabs(int s) {
        if (mine().stages[s].in_slabs) {
            offer([&](FunctionPlan& f) { f.stages[s].in_slabs = false; });
        }
    }

    void storage() {
        for (int d = 0; d < f_.dimensions() && !f_.is_output; d++) {
            offer([&](FunctionPlan& f) { f.dense = d; });
        }
    }

    // Where the compiler knows at which point of its period a definition is, it leaves out what the
    // other points do.
    void alignments() {
        // Anything may be computed in an output's loops: its case is left out where nothing is.
        const auto counts = [&](int f) {
            return f_.is_output || plan_.functions[f].place == Place::Inlined;
        };
        std::vector<int> all_dims(mine().modulus.size(), 1);
        for (const Stage& stage : f_.stages) {
            const std::vector<int> all = periods(builder_.dag(), function_, stage.index, counts);
            for (std::size_t l = 0; l < all.size(); l++) {
                const Loop& loop = stage.loops[l];
                if (loop.is_reduction()) {
                    continue;
                }
                if (f_.is_output) {
                    all_dims[loop.position] = std::max(all_dims[loop.position], all[l]);
                    continue;
                }
                for (const int modulus : {1, all[l]}) {
                    offer([&](FunctionPlan& f) { f.modulus[loop.position] = modulus; });
                }
            }
        }
        // An output has one case for all of its dimensions, and without one of them it is no less
        // code; what is computed in blocks of several (8 x 8 pixels) would be on their borders.
        if (f_.is_output) {
            offer([&](FunctionPlan& f) { std::ranges::fill(f.modulus, 1); });
            offer([&](FunctionPlan& f) { f.modulus = all_dims; });
        }
    }

    // Vectors along another dimension pay only where neighbours along it are neighbours in memory,
    // here and in what is read: one decision for all of these functions.
    void turns() {
        for (int d = 0; d < f_.dimensions(); d++) {
            if (d == mine().dense) {
                continue;
            }
            Plan changed = plan_;
            FunctionPlan& turned = changed.functions[function_];
            turned.dense = f_.is_output ? turned.dense : d;
            for (const Stage& stage : f_.stages) {
                turn(stage, d, turned.stages[stage.index]);
            }
            std::vector<bool> seen(plan_.functions.size(), false);
            turn_sources(function_, d, changed, seen);
            if (!(changed == plan_)) {
                visit_(changed);
            }
        }
    }

    void turn(const Stage& stage, int dim, NestPlan& nest) const {
        const int loop = loop_along(stage, dim);
        if (loop >= 0 && nest.vector_dim >= 0 && is_free(f_, stage.loops[loop]) &&
            stage.loops[loop].range.extent >= nest.lanes) {
            nest.vector_dim = loop;
            nest.block.assign(nest.block.size(), 1);
        }
    }

    void turn_sources(int reader, int dim, Plan& changed, std::vector<bool>& seen) const {
        seen[reader] = true;
        const PipelineDag& dag = builder_.dag();
        for (const Stage& stage : dag.functions[reader].stages) {
            const int loop = loop_along(stage, dim);
            for (const Load& load : stage.loads) {
                if (loop < 0 || load.source != Source::Function || seen[load.index]) {
                    continue;
                }
                FunctionPlan& plan = changed.functions[load.index];
                const int along = moving_dim(load, loop);
                if (along < 0) {
                    continue;
                }
                if (plan.place == Place::Inlined) {
                    turn_sources(load.index, along, changed, seen);
                } else if (may_be_arranged(dag.functions[load.index])) {
                    plan.dense = along;
                }
            }
        }
    }

    void orders(int s) {
        offer([&](FunctionPlan& f) { f.stages[s].short_outside = !f.stages[s].short_outside; });
    }

    void selected(int s) {
        if (f_.stages[s].selector) {
            offer([&](FunctionPlan& f) { f.stages[s].selected = !f.stages[s].selected; });
        }
    }

    void lanes(int s) {
        const NestPlan& nest = mine().stages[s];
        if (nest.vector_dim < 0) {
            return;
        }
        int narrowest = 8;  // bytes
        for (const ScalarType& type : f_.types) {
            narrowest = std::min(narrowest, type.bytes());
        }
        const int widest = kWidestVectors * machine_.lanes(narrowest);
        // From scalars back to whole vectors where channels are rearranged on the way: half a
        // vector is no better than a scalar then. Elsewhere that only leads the search astray.
        const bool whole = builder_.reads_channels() && nest.lanes == 1;
        const int wider = whole ? machine_.lanes(widest_bytes(f_)) : nest.lanes * 2;
        for (const int lanes : {1, nest.lanes / 2, wider}) {
            const bool fits = lanes <= f_.stages[s].loops[nest.vector_dim].range.extent;
            if (lanes >= 1 && lanes <= widest && fits) {
                offer([&](FunctionPlan& f) { f.stages[s].lanes = lanes; });
            }
        }
    }

    void task_sizes(int s) {
        for (const int size : {32, 16, 8, 4, 2, 1}) {
            offer([&](FunctionPlan& f) { f.stages[s].task = size; });
        }
    }

    // Half a vector may be no better than a scalar, and a whole one be.
    void whole_vectors(int s) {
        const NestPlan& nest = mine().stages[s];
        const int whole = machine_.lanes(widest_bytes(f_));
        if (nest.vector_dim >= 0 && nest.lanes < whole &&
            whole <= f_.stages[s].loops[nest.vector_dim].range.extent) {
            offer([&](FunctionPlan& f) { f.stages[s].lanes = whole; });
            offer([&](FunctionPlan& f) {
                f.stages[s].lanes = whole;
                f.stages[s].block.assign(nest.block.size(), 1);
            });
        }
    }

    // Tiles of the same size, but wider or higher.
    void shapes(int s) {
        const NestPlan& nest = mine().stages[s];
        const std::vector<Loop>& loops = f_.stages[s].loops;
        for (std::size_t shorter = 0; shorter < loops.size(); shorter++) {
            for (std::size_t longer = 0; longer < loops.size(); longer++) {
                const std::int64_t length = 2 * nest.tile[longer];
                if (shorter != longer && nest.tile[longer] > 0 &&
                    length < loops[longer].range.extent && length <= kLargestTile &&
                    nest.tile[shorter] >= 2 * kSmallestTile &&
                    nest.tile[shorter] < loops[shorter].range.extent) {
                    offer([&](FunctionPlan& f) {
                        f.stages[s].tile[longer] = length;
                        f.stages[s].tile[shorter] /= 2;
                    });
                }
            }
        }
    }

    void vector_dims(int s) {
        const NestPlan& nest = mine().stages[s];
        for (int d = 0; d < static_cast<int>(f_.stages[s].loops.size()); d++) {
            const Loop& loop = f_.stages[s].loops[d];
            if (d == nest.vector_dim || !is_free(f_, loop) || loop.range.extent < nest.lanes) {
                continue;
            }
            offer([&](FunctionPlan& f) {
                NestPlan& changed = f.stages[s];
                changed.vector_dim = d;
                changed.block.assign(changed.block.size(), 1);
            });
        }
    }

    void blocks(int s) {
        const NestPlan& nest = mine().stages[s];
        const std::vector<Loop>& loops = f_.stages[s].loops;
        for (int d = 0; d < static_cast<int>(loops.size()); d++) {
            if (!is_free(f_, loops[d])) {
                continue;
            }
            const std::int64_t extent = loops[d].range.extent;
            std::vector<int> sizes{1};
            if (extent > kLargestBlock) {
                sizes = {nest.block[d] / 2, nest.block[d] * 2};
                std::erase_if(sizes, [](int size) { return size < 1 || size > kLargestBlock; });
            }
            if (extent <= kLargestBlock || has_own_points(f_.stages[s], d)) {
                sizes.push_back(static_cast<int>(extent));
            }
            for (const int size : sizes) {
                offer([&](FunctionPlan& f) { f.stages[s].block[d] = size; });
            }
        }
    }

    // Whether more than those of a block may be copies of the code.
    [[nodiscard]] bool has_own_points(const Stage& stage, int d) const {
        return differs_by_point(stage, d) ||
               (stage.loops[d].range.extent <= kLongestWhole &&
                has_named_points(builder_.dag(), function_, stage.loops[d].position));
    }

    // Unrolled steps of a reduction whose extent is known.
    void steps(int s) {
        const std::vector<Loop>& loops = f_.stages[s].loops;
        for (int d = 0; d < static_cast<int>(loops.size()); d++) {
            const auto extent = static_cast<int>(loops[d].range.extent);
            if (is_free(f_, loops[d]) || !loops[d].constant_extent || extent <= 1) {
                continue;
            }
            for (const int size : {1, 2, 4, extent}) {
                if (size <= kLargestBlock && extent % size == 0) {
                    offer([&](FunctionPlan& f) { f.stages[s].block[d] = size; });
                }
            }
        }
    }

    void single_steps(int s) {
        offer([&](FunctionPlan& f) {
            f.stages[s].dot_dim = -1;
            f.stages[s].dot = 1;
        });
    }

    // Which loop of a reduction that may be reordered is the innermost.
    void reductions(int s) {
        const Stage& stage = f_.stages[s];
        if (!stage.associative || !stage.commutative) {
            return;
        }
        for (int d = 0; d < static_cast<int>(stage.loops.size()); d++) {
            if (!is_free(f_, stage.loops[d]) && stage.loops[d].range.extent > 1) {
                offer([&](FunctionPlan& f) { f.stages[s].inner = d; });
            }
        }
    }

    void tiles(int s) {
        const NestPlan& nest = mine().stages[s];
        const std::vector<Loop>& loops = f_.stages[s].loops;
        for (int d = 0; d < static_cast<int>(loops.size()); d++) {
            const std::int64_t extent = loops[d].range.extent;
            if (!is_free(f_, loops[d]) || extent <= kSmallestTile) {
                continue;
            }
            std::vector<std::int64_t> sizes{0, nest.tile[d] / 2, nest.tile[d] * 2};
            if (nest.tile[d] == 0 || nest.tile[d] >= extent) {
                sizes = {0, 8, 32, 128};
            }
            for (const std::int64_t size : sizes) {
                const bool allowed =
                    size == 0 || (size >= kSmallestTile && size <= kLargestTile && size < extent);
                if (allowed) {
                    offer([&](FunctionPlan& f) { f.stages[s].tile[d] = size; });
                }
            }
            if (builder_.has_scans() && is_tiled_besides(s, d)) {
                offer([&](FunctionPlan& f) { f.stages[s].tile[d] = extent; });
            }
        }
    }

    void taller_tiles(int s, int d, std::int64_t size) {
        Plan changed = plan_;
        changed.functions[function_].stages[s].tile[d] = size;
        const auto is_here = [&](const Spot& spot) {
            const bool is_mine = spot.function == function_ && spot.stage == s;
            return spot.kind == SiteKind::Tile && (is_mine || spot.function < 0);
        };
        bool any = false;
        for (FunctionPlan& f : changed.functions) {
            if (f.place == Place::At && is_here(f.compute)) {
                f.store.kind = is_here(f.store) ? SiteKind::Rows : f.store.kind;
                f.compute.kind = SiteKind::Rows;
                any = true;
            }
        }
        if (any) {
            visit_(changed);
        }
    }

    [[nodiscard]] bool is_tiled_besides(int s, int dim) const {
        const std::vector<std::int64_t>& tile = mine().stages[s].tile;
        for (int d = 0; d < static_cast<int>(tile.size()); d++) {
            if (d != dim && tile[d] > 0 && tile[d] < f_.stages[s].loops[d].range.extent) {
                return true;
            }
        }
        return false;
    }

    Builder& builder_;
    const Function& f_;
    const Plan& plan_;
    Plan changed_;  // the same but for the change that is on offer
    const int function_;
    const Machine& machine_;
    const Visit& visit_;
};

}  // namespace

void for_each_neighbour(Builder& builder, const Plan& plan, int function, const Visit& visit) {
    Neighbours(builder, plan, function, visit).run();
}

void for_each_finishing_move(Builder& builder, const Plan& plan, int function, const Visit& visit) {
    Neighbours(builder, plan, function, visit).run_finishing();
}

void for_each_tall_tile(Builder& builder, const Plan& plan, int function, const Visit& visit) {
    Neighbours(builder, plan, function, visit).run_taller_tiles();
}

}  // namespace nestor
