#include "search/make_nest.h"

#include <algorithm>
#include <utility>

#include "base/divide.h"

namespace nestor {

namespace {

constexpr std::int64_t kTasksPerCore = 4;  // so that uneven tasks even out
constexpr std::int64_t kMostSlabs = 16;    // each begins and ends with all threads

class NestMaker {
  public:
    NestMaker(const Function& f, const Stage& stage, const NestPlan& plan,
              const std::vector<bool>& open, const std::vector<bool>& borders)
        : f_(f), stage_(stage), plan_(plan), open_(open), borders_(borders) {}

    MadeNest make(bool has_tasks, const Machine& machine) {
        nest_.splits.resize(stage_.loops.size());
        const std::vector<int> free = free_dims(f_, stage_, plan_.vector_dim);
        for (const int d : free) {
            split(d, has_tasks);
        }
        split_reductions();
        order(free);
        find_slabs(free, has_tasks);
        if (has_tasks) {
            parallelize(free, machine);
            enlarge_tasks();
        }
        keep_whole();
        while (!nest_.splits.empty() && nest_.splits.back().empty()) {
            nest_.splits.pop_back();
        }
        std::ranges::sort(nest_.unrolled);
        std::ranges::sort(nest_.parallel);
        return {std::move(nest_), sites_};
    }

  private:
    [[nodiscard]] std::int64_t extent(int d) const { return stage_.loops[d].range.extent; }
    [[nodiscard]] bool is_short(int d) const { return extent(d) <= kShort; }
    [[nodiscard]] bool is_vector(int d) const { return d == plan_.vector_dim && plan_.lanes > 1; }
    // All of it is inside of the tiles.
    [[nodiscard]] bool is_whole(int d) const { return plan_.tile[d] >= extent(d); }

    // No more vectors than the dimension has; of an output, which has no room for more, no more
    // whole ones: a guard around them would be a branch for each element that meets a border.
    [[nodiscard]] std::int64_t block(int d) const {
        const std::int64_t wanted = plan_.block[d];
        if (!is_vector(d)) {
            return wanted;
        }
        const std::int64_t whole = std::max<std::int64_t>(1, extent(d) / plan_.lanes);
        return std::min(wanted, f_.is_output ? whole : divide_up(extent(d), plan_.lanes));
    }

    // A tail of what is split first. What reads on may not compute more than it is asked for, and
    // an output has no place for more.
    [[nodiscard]] Tail outer_tail(int d, bool has_tasks) const {
        const Loop& loop = stage_.loops[d];
        const bool pure = loop.kind == LoopKind::Pure && stage_.index == 0;
        if (!pure || f_.stages.size() > 1 || f_.is_output || open_[loop.position]) {
            return Tail::GuardWithIf;
        }
        return has_tasks ? Tail::ShiftInwards : Tail::RoundUp;
    }

    // Of what is split off a split of that factor.
    [[nodiscard]] Tail inner_tail(int d, std::int64_t whole, std::int64_t factor) const {
        const bool pure = stage_.loops[d].kind == LoopKind::Pure && stage_.index == 0;
        return pure && whole % factor == 0 ? Tail::RoundUp : Tail::GuardWithIf;
    }

    void split(int d, bool has_tasks) {
        std::vector<Split>& splits = nest_.splits[d];
        const std::int64_t lanes = is_vector(d) ? plan_.lanes : 1;
        const std::int64_t unit = lanes * block(d);
        const bool tiled = has_tasks && plan_.tile[d] > 0 && !is_whole(d);
        std::vector<std::int64_t> factors;
        if (tiled) {
            factors.push_back(divide_up(plan_.tile[d], unit) * unit);
        }
        if (unit > 1) {
            factors.push_back(unit);
        }
        if (is_vector(d) && block(d) > 1) {
            factors.push_back(lanes);
        }
        for (const std::int64_t factor : factors) {
            splits.push_back({factor, splits.empty()
                                          ? outer_tail(d, has_tasks)
                                          : inner_tail(d, splits.back().factor, factor)});
        }
        const int levels = static_cast<int>(splits.size());
        if (is_vector(d)) {
            nest_.vector = LoopRef{d, levels};
        }
        if (block(d) > 1) {
            nest_.unrolled.push_back({d, is_vector(d) ? levels - 1 : levels});
        }
        tiled_.push_back(tiled);
    }

    // Steps within a vector, and side by side.
    void split_reductions() {
        for (int d = 0; d < static_cast<int>(stage_.loops.size()); d++) {
            if (is_free(f_, stage_.loops[d])) {
                continue;
            }
            const std::int64_t summed = dot(d);
            const std::int64_t steps =
                extent(d) / summed % plan_.block[d] == 0 ? plan_.block[d] : 1;
            int level = 0;
            for (const std::int64_t factor : {steps * summed, summed}) {
                const std::int64_t whole =
                    nest_.splits[d].empty() ? extent(d) : nest_.splits[d].back().factor;
                if (factor > 1 && factor < whole) {
                    nest_.splits[d].push_back({factor, Tail::GuardWithIf});
                    level++;
                }
                if (factor > summed) {
                    nest_.unrolled.push_back({d, level});
                }
            }
            if (summed > 1) {
                nest_.dot = LoopRef{d, level};
                nest_.atomic = true;
            }
        }
    }

    // Steps of a dimension that run within a vector.
    [[nodiscard]] std::int64_t dot(int d) const {
        const Loop& loop = stage_.loops[d];
        const bool fits = d == plan_.dot_dim && nest_.vector && loop.constant_extent &&
                          loop.range.extent % plan_.dot == 0;
        return fits ? plan_.dot : 1;
    }

    [[nodiscard]] bool is_marked(LoopRef loop) const {
        return nest_.is_vector(loop) || std::ranges::count(nest_.unrolled, loop) > 0;
    }

    // Innermost first: the vector, blocks, reductions, what is left of the tile, the tiles.
    void order(const std::vector<int>& free) {
        std::vector<LoopRef>& order = nest_.order;
        for (const std::optional<LoopRef>& loop : {nest_.dot, nest_.vector}) {
            if (loop) {
                order.push_back(*loop);
            }
        }
        // Of an output's stores, Halide makes whole vectors only if all that is between their
        // elements (the channels of a pixel) comes one after the other.
        std::vector<int> blocks = free;
        std::ranges::stable_partition(blocks, [&](int d) {
            return f_.is_output && stage_.loops[d].position == f_.dense_dim &&
                   d != plan_.vector_dim;
        });
        for (const int d : blocks) {
            for (const LoopRef& loop : nest_.unrolled) {
                if (loop.dim == d) {
                    order.push_back(loop);
                }
            }
        }
        for (const bool steps : {true, false}) {
            for (const int d : reductions()) {
                for (int level = static_cast<int>(nest_.splits[d].size()); level >= 0; level--) {
                    const LoopRef loop{d, level};
                    if (is_marked(loop) != steps || nest_.dot == loop) {
                        continue;
                    }
                    order.push_back(loop);
                    if (!steps && nest_.dot && !site(SiteKind::Step)) {
                        site(SiteKind::Step) = loop;
                    }
                }
            }
        }
        order_tile(free);
        const std::size_t inside = order.size();
        for (const bool last : {false, true}) {
            for (const int d : free) {
                const LoopRef outer{d, 0};
                if (is_outside(d) == last && !is_marked(outer) &&
                    std::ranges::find(order, outer) == order.end()) {
                    order.push_back(outer);
                }
            }
        }
        if (inside < order.size()) {
            site(SiteKind::Tile) = order[inside];
        }
    }

    void find_slabs(const std::vector<int>& free, bool has_tasks) {
        const LoopRef outer = nest_.order.empty() ? LoopRef{} : nest_.order.back();
        if (!plan_.in_slabs || !has_tasks || nest_.order.empty() || is_marked(outer) ||
            std::ranges::count(free, outer.dim) == 0 || outer.level > 0 || extent(outer.dim) <= 1 ||
            trips(outer) > kMostSlabs ||
            nest_.splits[outer.dim].size() > (block(outer.dim) > 1 ? 1 : 0)) {
            return;
        }
        for (std::optional<LoopRef>& site : sites_) {
            if (site == outer) {
                site.reset();
            }
        }
        site(SiteKind::Slab) = outer;
    }

    // Innermost first.
    [[nodiscard]] std::vector<int> reductions() const {
        std::vector<int> dims;
        for (int d = 0; d < static_cast<int>(stage_.loops.size()); d++) {
            if (!is_free(f_, stage_.loops[d])) {
                dims.insert(d == plan_.inner ? dims.begin() : dims.end(), d);
            }
        }
        return dims;
    }

    [[nodiscard]] bool is_outside(int d) const {
        return plan_.short_outside && is_short(d) && d != plan_.vector_dim;
    }

    // A long dimension that is not tiled, where others are, is one of tiles of a single point.
    void order_tile(const std::vector<int>& free) {
        const bool has_tiles = std::ranges::count(tiled_, true) > 0;
        for (std::size_t i = 0; i < free.size(); i++) {
            const int d = free[i];
            const LoopRef within{d, tiled_[i] ? 1 : 0};
            const bool inside =
                tiled_[i] || is_whole(d) || !has_tiles || d == plan_.vector_dim || is_short(d);
            if (!inside || is_outside(d) || is_marked(within)) {
                continue;
            }
            nest_.order.push_back(within);
            if (!site(SiteKind::Inner)) {
                site(SiteKind::Inner) = within;
            }
            if (d != plan_.vector_dim && !is_short(d)) {
                site(SiteKind::Rows) = within;
                if (!site(SiteKind::Across)) {
                    site(SiteKind::Across) = within;
                }
            }
        }
        if (site(SiteKind::Across) == site(SiteKind::Rows)) {
            site(SiteKind::Across).reset();  // one loop is one place
        }
    }

    std::optional<LoopRef>& site(SiteKind kind) { return sites_[static_cast<std::size_t>(kind)]; }

    // Halide takes the iterations that meet a border or a tail out of loops. Out of the innermost
    // one, that is what makes its vectors fast; out of those around it, whole tiles at borders
    // would be slow, and the code as many times as large.
    void keep_whole() {
        const std::optional<LoopRef> divided = innermost_along_vectors();
        const std::optional<LoopRef> guarded = innermost_guarded();
        for (const LoopRef& loop : nest_.order) {
            if (loop != divided && loop != guarded && !is_marked(loop) && !is_over_blocks(loop)) {
                nest_.partition.push_back({loop, PartitionPolicy::Never});
            }
        }
        std::ranges::sort(nest_.partition, {}, &LoopPartition::loop);
    }

    // The last iterations of a domain with a condition, such as rfactor makes of splits.
    [[nodiscard]] std::optional<LoopRef> innermost_guarded() const {
        for (const LoopRef& loop : nest_.order) {
            if (!is_marked(loop)) {
                const bool reduction = !is_free(f_, stage_.loops[loop.dim]);
                return stage_.predicated && reduction ? std::optional(loop) : std::nullopt;
            }
        }
        return std::nullopt;
    }

    // Of an update that adds what is computed in its blocks: all but the last are whole, which is
    // what keeps sums in registers. So are its tiles, if they come out even at the estimates: else
    // the last tile, which may be a large share of them, would have guards in all of its blocks.
    // The same of rows that may not be rounded up.
    [[nodiscard]] bool is_over_blocks(LoopRef loop) const {
        const bool unrolled = block(loop.dim) > 1;
        const bool adds = stage_.index > 0 && !has_reduction(stage_);
        const bool added = adds && (unrolled || is_vector(loop.dim));
        const bool open = unrolled && has_open_rows(loop.dim);
        if (!added && !open) {
            return false;
        }
        const int inside = unrolled && is_vector(loop.dim) ? 1 : 0;
        const int over = static_cast<int>(nest_.splits[loop.dim].size()) - inside - 1;
        const bool even = extent(loop.dim) % nest_.splits[loop.dim][0].factor == 0;
        return loop.level == over || (loop.level == 0 && (even || trips({loop.dim, over}) <= 1));
    }

    // Rows of which no more than are needed may be computed, of a function without updates.
    [[nodiscard]] bool has_open_rows(int d) const {
        return f_.stages.size() == 1 && !f_.is_output && !is_vector(d) &&
               open_[stage_.loops[d].position];
    }

    // A loop of one iteration is none to Halide: it takes nothing out of it. Then the loop around
    // it has to do, if there is something to take out here, or guards in what is computed inside:
    // borders there would be on gathers in its whole first and last iteration.
    [[nodiscard]] std::optional<LoopRef> innermost_along_vectors() {
        const std::optional<LoopRef>& inner = site(SiteKind::Inner);
        if (!inner || inner->dim != plan_.vector_dim || inner->level == 0 || trips(*inner) > 1 ||
            !is_divided(stage_.loops[inner->dim].position)) {
            return inner;
        }
        return LoopRef{inner->dim, 0};
    }

    [[nodiscard]] bool is_divided(int dim) const { return borders_[dim] || open_[dim]; }

    [[nodiscard]] std::int64_t trips(LoopRef loop) const {
        const std::vector<Split>& splits = nest_.splits[loop.dim];
        const auto level = static_cast<std::size_t>(loop.level);
        const std::int64_t whole = level == 0 ? extent(loop.dim) : splits[level - 1].factor;
        return level < splits.size() ? divide_up(whole, splits[level].factor) : whole;
    }

    // Outermost first, until there are tasks enough.
    void parallelize(const std::vector<int>& free, const Machine& machine) {
        std::int64_t tasks = 1;
        for (auto loop = nest_.order.rbegin(); loop != nest_.order.rend(); ++loop) {
            if (site(SiteKind::Slab) == *loop) {
                continue;
            }
            if (tasks >= kTasksPerCore * machine.parallelism || loop->level > 0 ||
                is_marked(*loop) || std::ranges::count(free, loop->dim) == 0) {
                break;
            }
            nest_.parallel.push_back(*loop);
            tasks *= trips(*loop);
        }
        if (tasks <= 1 || machine.parallelism <= 1) {
            nest_.parallel.clear();
        }
    }

    // Several iterations of the parallel loop, one after the other, in what is still the place for
    // all that is computed in an iteration.
    void enlarge_tasks() {
        if (plan_.task <= 1 || nest_.parallel.size() != 1) {
            return;
        }
        const LoopRef tasks = nest_.parallel[0];
        if (!nest_.splits[tasks.dim].empty() || trips(tasks) <= plan_.task) {
            return;
        }
        const LoopRef within{tasks.dim, 1};
        nest_.splits[tasks.dim].push_back({plan_.task, Tail::GuardWithIf});
        nest_.order.insert(std::ranges::find(nest_.order, tasks), within);
        for (std::optional<LoopRef>& site : sites_) {
            site = site == tasks ? within : site;
        }
    }

    const Function& f_;
    const Stage& stage_;
    const NestPlan& plan_;
    const std::vector<bool>& open_;     // see Reach::beyond, by dimension
    const std::vector<bool>& borders_;  // see real_borders, by dimension
    LoopNest nest_;
    std::vector<bool> tiled_;  // of the free dimensions, in their order
    Sites sites_;
};

}  // namespace

MadeNest make_nest(const Function& f, const Stage& stage, const NestPlan& plan,
                   const std::vector<bool>& open, const std::vector<bool>& borders, bool has_tasks,
                   const Machine& machine) {
    return NestMaker(f, stage, plan, open, borders).make(has_tasks, machine);
}

}  // namespace nestor
