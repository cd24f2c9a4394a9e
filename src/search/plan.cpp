#include "search/plan.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/hash.h"
#include "schedule/phases.h"
#include "search/cases.h"
#include "search/nests.h"
#include "search/scans.h"

namespace nestor {

namespace {

constexpr std::int64_t kShort = 8;         // a dimension of channels, not of pixels
constexpr std::int64_t kTasksPerCore = 4;  // so that uneven tasks even out

constexpr SiteKind kSiteKinds[] = {SiteKind::Step, SiteKind::Inner, SiteKind::Across,
                                   SiteKind::Rows, SiteKind::Tile};

// The loops of a stage at which other functions can be computed, by SiteKind.
using Sites = std::array<std::optional<LoopRef>, std::size(kSiteKinds)>;

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

bool is_reduction(const Stage& stage) {
    return std::ranges::any_of(stage.loops, [](const Loop& loop) { return loop.is_reduction(); });
}

// One stage's loops from its plan.
class NestMaker {
  public:
    NestMaker(const Function& f, const Stage& stage, const NestPlan& plan,
              const std::vector<bool>& open, const std::vector<bool>& borders)
        : f_(f), stage_(stage), plan_(plan), open_(open), borders_(borders) {}

    LoopNest make(bool at_root, const Machine& machine) {
        nest_.splits.resize(stage_.loops.size());
        const std::vector<int> free = free_dims(f_, stage_, plan_.vector_dim);
        for (const int d : free) {
            split(d, at_root);
        }
        split_reductions();
        order(free);
        if (at_root) {
            parallelize(free, machine);
        }
        keep_whole();
        while (!nest_.splits.empty() && nest_.splits.back().empty()) {
            nest_.splits.pop_back();
        }
        std::ranges::sort(nest_.unrolled);
        std::ranges::sort(nest_.parallel);
        return std::move(nest_);
    }

    // After make().
    [[nodiscard]] const Sites& sites() const { return sites_; }

  private:
    [[nodiscard]] std::int64_t extent(int d) const { return stage_.loops[d].range.extent; }
    [[nodiscard]] bool is_short(int d) const { return extent(d) <= kShort; }
    [[nodiscard]] bool is_vector(int d) const { return d == plan_.vector_dim && plan_.lanes > 1; }
    // All of it is inside of the tiles.
    [[nodiscard]] bool is_whole(int d) const { return plan_.tile[d] >= extent(d); }

    // No more vectors than the dimension has.
    [[nodiscard]] std::int64_t block(int d) const {
        const std::int64_t wanted = plan_.block[d];
        return is_vector(d) ? std::min(wanted, divide_up(extent(d), plan_.lanes)) : wanted;
    }

    // A tail of what is split first. What reads on may not compute more than it is asked for, and
    // an output has no place for more.
    [[nodiscard]] Tail outer_tail(int d, bool at_root) const {
        const Loop& loop = stage_.loops[d];
        const bool pure = loop.kind == LoopKind::Pure && stage_.index == 0;
        if (!pure || f_.stages.size() > 1 || f_.is_output || open_[loop.position]) {
            return Tail::GuardWithIf;
        }
        return at_root ? Tail::ShiftInwards : Tail::RoundUp;
    }

    // Of what is split off a split of that factor.
    [[nodiscard]] Tail inner_tail(int d, std::int64_t whole, std::int64_t factor) const {
        const bool pure = stage_.loops[d].kind == LoopKind::Pure && stage_.index == 0;
        return pure && whole % factor == 0 ? Tail::RoundUp : Tail::GuardWithIf;
    }

    void split(int d, bool at_root) {
        std::vector<Split>& splits = nest_.splits[d];
        const std::int64_t lanes = is_vector(d) ? plan_.lanes : 1;
        const std::int64_t unit = lanes * block(d);
        const bool tiled = at_root && plan_.tile[d] > 0 && !is_whole(d);
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
                                          ? outer_tail(d, at_root)
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
        for (const int d : free) {
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
    [[nodiscard]] bool is_over_blocks(LoopRef loop) const {
        const bool unrolled = block(loop.dim) > 1;
        if (stage_.index == 0 || is_reduction(stage_) || !(unrolled || is_vector(loop.dim))) {
            return false;
        }
        const int inside = unrolled && is_vector(loop.dim) ? 1 : 0;
        const int over = static_cast<int>(nest_.splits[loop.dim].size()) - inside - 1;
        const bool even = extent(loop.dim) % nest_.splits[loop.dim][0].factor == 0;
        return loop.level == over || (loop.level == 0 && (even || trips({loop.dim, over}) <= 1));
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

    const Function& f_;
    const Stage& stage_;
    const NestPlan& plan_;
    const std::vector<bool>& open_;     // see Reach::beyond, by dimension
    const std::vector<bool>& borders_;  // see real_borders, by dimension
    LoopNest nest_;
    std::vector<bool> tiled_;  // of the free dimensions, in their order
    Sites sites_;
};

class ScheduleMaker {
  public:
    ScheduleMaker(const PipelineDag& dag, const Plan& plan, const Machine& machine,
                  const Reach& reach, const Inlining& inlining)
        : dag_(dag),
          plan_(plan),
          machine_(machine),
          reach_(reach),
          inlining_(inlining),
          schedule_(empty_schedule(dag)),
          compute_(dag.functions.size()),
          sites_(dag.functions.size()) {}

    Schedule run() {
        place_consumers_of(-1);
        for (const int output : dag_.outputs) {
            const Function& f = dag_.functions[output];
            if (!f.pinned && f.stages.size() == 1) {
                add_sizes(dag_, output, schedule_);
            }
            for (int s = 1; !f.pinned && s < static_cast<int>(f.stages.size()); s++) {
                if (adds_what_is_inside(output, s)) {
                    add_update_sizes(dag_, output, s, schedule_);
                }
            }
        }
        return std::move(schedule_);
    }

    std::vector<Spot> spots_of(int function) {
        place_consumers_of(function);
        return common_spots(function);
    }

  private:
    // Whether something is computed in the loops of an update without a reduction.
    [[nodiscard]] bool adds_what_is_inside(int function, int stage) const {
        return std::ranges::any_of(compute_,
                                   [&](const std::optional<Spot>& spot) {
                                       return spot && spot->function == function &&
                                              spot->stage == stage;
                                   }) &&
               !is_reduction(dag_.functions[function].stages[stage]);
    }

    void place_consumers_of(int function) {
        for (int i = static_cast<int>(dag_.functions.size()) - 1; i > function; i--) {
            if (dag_.functions[i].pinned) {
                continue;
            }
            if (plan_.functions[i].place == Place::Inlined) {
                schedule_.functions[i].compute = Level::inlined();
            } else {
                place(i);
            }
        }
    }

    void place(int i) {
        const Function& f = dag_.functions[i];
        const FunctionPlan& plan = plan_.functions[i];
        FunctionSchedule& schedule = schedule_.functions[i];
        schedule.compute = Level::root();
        if (f.is_extern) {
            return;
        }
        if (plan.place == Place::At) {
            place_at_loop(i);
        }
        if (plan.dense != 0) {
            schedule.storage_order = {plan.dense};
            for (int d = 0; d < f.dimensions(); d++) {
                if (d != plan.dense) {
                    schedule.storage_order.push_back(d);
                }
            }
        }
        std::vector<bool> open;
        for (int d = 0; d < f.dimensions(); d++) {
            open.push_back(reach_.beyond(i, d));
            if (plan.modulus[d] > 1 && !open[d] && !f.is_output) {
                schedule.region_alignment.push_back({d, plan.modulus[d]});
            }
        }
        for (const Stage& stage : f.stages) {
            NestMaker maker(f, stage, plan.stages[stage.index], open, inlining_.borders[i]);
            schedule.stages[stage.index].nest = maker.make(!compute_[i], machine_);
            sites_[i].push_back(maker.sites());
            add_selected(stage, plan.stages[stage.index], schedule.stages[stage.index]);
        }
    }

    void place_at_loop(int i) {
        const FunctionPlan& plan = plan_.functions[i];
        const std::vector<Spot> common = common_spots(i);
        const auto compute = find(common, common.begin(), plan.compute);
        if (compute == common.end()) {
            return;
        }
        compute_[i] = *compute;
        schedule_.functions[i].compute = Level::at(loop_site(*compute));
        if (!(plan.store == plan.compute)) {
            const auto store = find(common, compute, plan.store);
            if (store != common.end() && store != compute) {
                schedule_.functions[i].store = Level::at(loop_site(*store));
            }
        }
    }

    using Position = std::vector<Spot>::const_iterator;

    [[nodiscard]] Position find(const std::vector<Spot>& common, Position from,
                                const Spot& wanted) const {
        Position outermost = common.end();
        for (Position each = from; each != common.end(); ++each) {
            // One loop may be of two kinds: the rows are the innermost where there are no vectors.
            const Sites& sites = sites_[each->function][each->stage];
            const bool is_kind = sites[static_cast<std::size_t>(each->kind)] ==
                                 sites[static_cast<std::size_t>(wanted.kind)];
            if (is_kind && each->function == wanted.function && each->stage == wanted.stage) {
                return each;
            }
            outermost = is_kind ? each : outermost;
        }
        return outermost;
    }

    [[nodiscard]] LoopSite loop_site(const Spot& spot) const {
        return {spot.function, spot.stage,
                *sites_[spot.function][spot.stage][static_cast<std::size_t>(spot.kind)]};
    }

    [[nodiscard]] std::vector<Spot> common_spots(int i) const {
        if (dag_.functions[i].is_output || inlining_.uses[i].empty()) {
            return {};
        }
        std::optional<std::vector<Spot>> common;
        for (const StageRef& use : inlining_.uses[i]) {
            std::vector<Spot> around;
            if (use.stage >= 0) {
                add_around({use.function, use.stage, SiteKind::Step}, around);
            }
            if (!common) {
                common = std::move(around);
            } else {
                std::erase_if(*common, [&](const Spot& spot) {
                    return std::ranges::count(around, spot) == 0;
                });
            }
        }
        return *common;
    }

    // All spots around that one, itself included, innermost first.
    void add_around(const Spot& spot, std::vector<Spot>& spots) const {
        if (sites_[spot.function].empty()) {
            return;  // pinned, or an extern stage
        }
        const Sites& sites = sites_[spot.function][spot.stage];
        std::optional<LoopRef> last;
        for (const SiteKind kind : kSiteKinds) {
            const std::optional<LoopRef>& loop = sites[static_cast<std::size_t>(kind)];
            if (kind >= spot.kind && loop && loop != last) {
                spots.push_back({spot.function, spot.stage, kind});
            }
            last = loop ? loop : last;
        }
        if (compute_[spot.function]) {
            add_around(*compute_[spot.function], spots);
        }
    }

    const PipelineDag& dag_;
    const Plan& plan_;
    const Machine& machine_;
    const Reach& reach_;
    const Inlining& inlining_;
    Schedule schedule_;
    std::vector<std::optional<Spot>> compute_;  // of functions that are computed at a loop
    std::vector<std::vector<Sites>> sites_;     // [function][stage]
};

}  // namespace

bool is_free(const Function& f, const Loop& loop) {
    // The memory of an undefined pure definition is only as large as the updates make it, and
    // Halide 21 gets the bounds of such an update wrong when its reduction loops are split.
    return loop.kind == LoopKind::Pure ||
           (loop.kind == LoopKind::RaceFree && !f.stages[0].undefined);
}

int loop_along(const Stage& stage, int dim) {
    for (std::size_t l = 0; l < stage.loops.size(); l++) {
        if (!stage.loops[l].is_reduction() && stage.loops[l].position == dim) {
            return static_cast<int>(l);
        }
    }
    return -1;
}

std::vector<int> free_dims(const Function& f, const Stage& stage, int vector_dim) {
    std::vector<int> dims;
    if (vector_dim >= 0) {
        dims.push_back(vector_dim);
    }
    for (const bool is_short : {true, false}) {
        for (int d = 0; d < static_cast<int>(stage.loops.size()); d++) {
            if (d != vector_dim && is_free(f, stage.loops[d]) &&
                (stage.loops[d].range.extent <= kShort) == is_short) {
                dims.push_back(d);
            }
        }
    }
    return dims;
}

std::uint64_t hash(const FunctionPlan& plan) {
    std::string words;
    const auto add = [&](const auto&... values) {
        ((words += std::to_string(static_cast<std::int64_t>(values)) + ' '), ...);
    };
    const auto add_all = [&](const auto& values) {
        for (const auto value : values) {
            add(value);
        }
        words += ';';
    };
    add(plan.place, plan.dense);
    for (const Spot& spot : {plan.compute, plan.store}) {
        add(spot.function, spot.stage, spot.kind);
    }
    add_all(plan.modulus);
    for (const NestPlan& nest : plan.stages) {
        add_all(nest.tile);
        add_all(nest.block);
        add(nest.vector_dim, nest.lanes, nest.short_outside, nest.inner, nest.dot_dim, nest.dot,
            nest.selected);
    }
    return hash_bytes(words);
}

Plan plain_plan(const PipelineDag& dag, const std::vector<bool>& inlined, const Machine& machine) {
    Plan plan;
    for (std::size_t i = 0; i < dag.functions.size(); i++) {
        const Function& f = dag.functions[i];
        FunctionPlan function;
        function.place = inlined[i] ? Place::Inlined : Place::Root;
        function.modulus.assign(f.args.size(), 1);
        for (const Stage& stage : f.stages) {
            NestPlan nest;
            nest.tile.assign(stage.loops.size(), 0);
            nest.block.assign(stage.loops.size(), 1);
            const Roles roles = assign_roles(f, stage, estimated_extents(stage), machine);
            if (roles.vector && roles.lanes > 1) {
                nest.vector_dim = *roles.vector;
                nest.lanes = roles.lanes;
                const Loop& along = stage.loops[nest.vector_dim];
                if (!along.is_reduction()) {
                    int& modulus = function.modulus[along.position];
                    const std::vector<int> all = periods(dag, static_cast<int>(i), stage.index,
                                                         [&](int g) { return inlined[g]; });
                    modulus = std::max(modulus, all[nest.vector_dim]);
                }
            }
            function.stages.push_back(std::move(nest));
        }
        plan.functions.push_back(std::move(function));
    }
    return plan;
}

Builder::Builder(const PipelineDag& dag, const Machine& machine)
    : dag_(dag), machine_(machine), reach_(dag), has_scans_(nestor::has_scans(dag)) {}

Schedule Builder::build(const Plan& plan) {
    return ScheduleMaker(dag_, plan, machine_, reach_, inlining(plan)).run();
}

std::vector<Spot> Builder::possible_spots(const Plan& plan, int function) {
    return ScheduleMaker(dag_, plan, machine_, reach_, inlining(plan)).spots_of(function);
}

const Inlining& Builder::inlining(const Plan& plan) {
    std::vector<bool> inlined;
    for (const FunctionPlan& f : plan.functions) {
        inlined.push_back(f.place == Place::Inlined);
    }
    const auto known = inlinings_.find(inlined);
    if (known != inlinings_.end()) {
        return known->second;
    }
    Inlining inlining{real_uses(dag_, inlined), real_borders(dag_, inlined)};
    return inlinings_.emplace(inlined, std::move(inlining)).first->second;
}

}  // namespace nestor
