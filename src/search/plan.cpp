#include "search/plan.h"

#include <algorithm>
#include <optional>

#include "search/nests.h"
#include "search/uses.h"

namespace nestor {

namespace {

constexpr std::int64_t kShort = 8;         // a dimension of channels, not of pixels
constexpr std::int64_t kTasksPerCore = 4;  // so that uneven tasks even out

// The loops at which other functions can be computed.
struct Sites {
    int stage = 0;
    LoopRef tile;
    LoopRef rows;
};

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

// One stage's loops from its plan.
class NestMaker {
  public:
    NestMaker(const Function& f, const Stage& stage, const NestPlan& plan, bool guarded)
        : f_(f), stage_(stage), plan_(plan), guarded_(guarded) {}

    LoopNest make(bool at_root, const Machine& machine) {
        const std::size_t dims = stage_.loops.size();
        nest_.splits.resize(dims);
        const std::vector<int> free = free_dims(f_, stage_, plan_.vector_dim);
        for (const int d : free) {
            split(d, at_root);
        }
        order(free);
        if (at_root) {
            parallelize(free, machine);
        }
        while (!nest_.splits.empty() && nest_.splits.back().empty()) {
            nest_.splits.pop_back();
        }
        std::ranges::sort(nest_.unrolled);
        std::ranges::sort(nest_.parallel);
        return std::move(nest_);
    }

    // After make().
    [[nodiscard]] Sites sites() const { return sites_; }
    [[nodiscard]] bool has_tiles() const { return has_tiles_; }

  private:
    [[nodiscard]] std::int64_t extent(int d) const { return stage_.loops[d].range.extent; }

    // A tail of what is split first, and of what is split off it.
    [[nodiscard]] Tail outer_tail(int d, bool at_root) const {
        const bool pure = stage_.loops[d].kind == LoopKind::Pure;
        if (guarded_ || !pure || stage_.index > 0 || f_.stages.size() > 1 || f_.is_output) {
            return Tail::GuardWithIf;
        }
        return at_root ? Tail::ShiftInwards : Tail::RoundUp;
    }

    void split(int d, bool at_root) {
        std::vector<Split>& splits = nest_.splits[d];
        const bool is_vector = d == plan_.vector_dim && plan_.lanes > 1;
        const std::int64_t lanes = is_vector ? plan_.lanes : 1;
        const std::int64_t unit = lanes * plan_.block[d];
        const bool tiled = at_root && plan_.tile[d] > 0 && plan_.tile[d] < extent(d);
        if (tiled) {
            splits.push_back({std::max(plan_.tile[d], unit), outer_tail(d, at_root)});
            has_tiles_ = true;
        }
        const auto inner = [&](std::int64_t factor) {
            const bool exact = !splits.empty() && splits.back().factor % factor == 0;
            const Tail tail = splits.empty()                            ? outer_tail(d, at_root)
                              : exact && stage_.loops[d].kind == LoopKind::Pure && stage_.index == 0
                                  ? Tail::RoundUp
                                  : Tail::GuardWithIf;
            splits.push_back({factor, tail});
        };
        if (unit > 1) {
            inner(unit);
        }
        if (is_vector && plan_.block[d] > 1) {
            inner(lanes);
        }
        const int levels = static_cast<int>(splits.size());
        if (is_vector) {
            nest_.vector = LoopRef{d, levels};
        }
        if (plan_.block[d] > 1) {
            nest_.unrolled.push_back({d, is_vector ? levels - 1 : levels});
        }
        tiled_.push_back(tiled);
    }

    [[nodiscard]] bool is_marked(LoopRef loop) const {
        return nest_.vector == loop || std::ranges::count(nest_.unrolled, loop) > 0;
    }

    // Innermost first: the vector, blocks, reductions, what is left of the tile, the tiles.
    void order(const std::vector<int>& free) {
        std::vector<LoopRef>& order = nest_.order;
        if (nest_.vector) {
            order.push_back(*nest_.vector);
        }
        for (const int d : free) {
            for (const LoopRef& loop : nest_.unrolled) {
                if (loop.dim == d) {
                    order.push_back(loop);
                }
            }
        }
        for (int d = 0; d < static_cast<int>(stage_.loops.size()); d++) {
            if (!is_free(f_, stage_.loops[d])) {
                order.push_back({d, 0});
            }
        }
        std::vector<LoopRef> rows;
        for (std::size_t i = 0; i < free.size(); i++) {
            const int d = free[i];
            const LoopRef within{d, tiled_[i] ? 1 : 0};
            // A long dimension that is not tiled is one of tiles of a single point.
            const bool inside = tiled_[i] || !has_tiles_ || d == plan_.vector_dim || extent(d) <= kShort;
            if (inside && !is_marked(within)) {
                order.push_back(within);
                if (d != plan_.vector_dim && extent(d) > kShort) {
                    rows.push_back(within);
                }
            }
        }
        sites_.rows = rows.empty() ? LoopRef{} : rows.back();
        const std::size_t inside = order.size();
        for (std::size_t i = 0; i < free.size(); i++) {
            const LoopRef outer{free[i], 0};
            if (has_tiles_ && !is_marked(outer) &&
                std::ranges::find(order, outer) == order.end()) {
                order.push_back(outer);
            }
        }
        sites_.tile = inside < order.size() ? order[inside] : LoopRef{};
        if (rows.empty()) {
            sites_.rows = sites_.tile;
        }
        sites_.stage = stage_.index;
        has_tiles_ = has_tiles_ && inside < order.size();
    }

    // Outermost first, until there are tasks enough.
    void parallelize(const std::vector<int>& free, const Machine& machine) {
        std::int64_t tasks = 1;
        for (auto loop = nest_.order.rbegin(); loop != nest_.order.rend(); ++loop) {
            if (tasks >= kTasksPerCore * machine.parallelism || loop->level > 0 || is_marked(*loop) ||
                std::ranges::count(free, loop->dim) == 0) {
                break;
            }
            const std::vector<Split>& splits = nest_.splits[loop->dim];
            const std::int64_t trips =
                splits.empty() ? extent(loop->dim) : divide_up(extent(loop->dim), splits[0].factor);
            nest_.parallel.push_back(*loop);
            tasks *= trips;
        }
        if (tasks <= 1 || machine.parallelism <= 1) {
            nest_.parallel.clear();
        }
    }

    const Function& f_;
    const Stage& stage_;
    const NestPlan& plan_;
    const bool guarded_;
    LoopNest nest_;
    std::vector<bool> tiled_;  // of the free dimensions, in their order
    bool has_tiles_ = false;
    Sites sites_;
};

class ScheduleMaker {
  public:
    ScheduleMaker(const PipelineDag& dag, const Plan& plan, const Machine& machine)
        : dag_(dag),
          plan_(plan),
          machine_(machine),
          schedule_(empty_schedule(dag)),
          host_(dag.functions.size(), -1),
          sites_(dag.functions.size()) {}

    Schedule run() {
        std::vector<bool> inlined;
        for (const FunctionPlan& f : plan_.functions) {
            inlined.push_back(f.place == Place::Inlined);
        }
        uses_ = real_uses(dag_, inlined);
        for (int i = static_cast<int>(dag_.functions.size()) - 1; i >= 0; i--) {
            const Function& f = dag_.functions[i];
            if (f.pinned) {
                continue;
            }
            if (inlined[i]) {
                schedule_.functions[i].compute = Level::inlined();
            } else {
                place(i);
            }
        }
        return std::move(schedule_);
    }

  private:
    void place(int i) {
        const Function& f = dag_.functions[i];
        const FunctionPlan& plan = plan_.functions[i];
        FunctionSchedule& schedule = schedule_.functions[i];
        schedule.compute = Level::root();
        if (f.is_extern) {
            return;
        }
        const bool inside = plan.place == Place::Tile || plan.place == Place::Rows;
        const std::optional<int> host = inside ? common_host(i) : std::nullopt;
        if (host) {
            const Sites& sites = *sites_[*host];
            const LoopSite tile{*host, sites.stage, sites.tile};
            const LoopSite rows{*host, sites.stage, sites.rows};
            schedule.compute = Level::at(plan.place == Place::Rows ? rows : tile);
            if (plan.place == Place::Rows && rows.loop != tile.loop) {
                schedule.store = Level::at(tile);
            }
            host_[i] = *host;
        }
        for (const Stage& stage : f.stages) {
            NestMaker maker(f, stage, plan.stages[stage.index], plan_.guarded);
            schedule.stages[stage.index].nest = maker.make(!host, machine_);
            if (!host && stage.index + 1 == static_cast<int>(f.stages.size()) && maker.has_tiles()) {
                sites_[i] = maker.sites();
            }
        }
    }

    // The root whose tiles contain all uses of a function.
    [[nodiscard]] std::optional<int> common_host(int i) const {
        std::optional<int> common;
        if (dag_.functions[i].is_output) {
            return std::nullopt;
        }
        for (const StageRef& use : uses_[i]) {
            int host = host_[use.function];
            if (host < 0) {
                const std::optional<Sites>& sites = sites_[use.function];
                if (!sites || sites->stage != use.stage) {
                    return std::nullopt;
                }
                host = use.function;
            }
            if (use.stage < 0 || (common && *common != host)) {
                return std::nullopt;
            }
            common = host;
        }
        return common;
    }

    const PipelineDag& dag_;
    const Plan& plan_;
    const Machine& machine_;
    Schedule schedule_;
    std::vector<std::vector<StageRef>> uses_;
    std::vector<int> host_;                    // the root in whose tiles it is; -1: none
    std::vector<std::optional<Sites>> sites_;  // of functions at root with tiles
};

}  // namespace

bool is_free(const Function& f, const Loop& loop) {
    // The memory of an undefined pure definition is only as large as the updates make it, and
    // Halide 21 gets the bounds of such an update wrong when its reduction loops are split.
    return loop.kind == LoopKind::Pure ||
           (loop.kind == LoopKind::RaceFree && !f.stages[0].undefined);
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

Plan plain_plan(const PipelineDag& dag, const std::vector<bool>& inlined, const Machine& machine) {
    Plan plan;
    for (std::size_t i = 0; i < dag.functions.size(); i++) {
        const Function& f = dag.functions[i];
        FunctionPlan function{inlined[i] ? Place::Inlined : Place::Root, {}};
        for (const Stage& stage : f.stages) {
            NestPlan nest;
            nest.tile.assign(stage.loops.size(), 0);
            nest.block.assign(stage.loops.size(), 1);
            const Roles roles = assign_roles(f, stage, estimated_extents(stage), machine);
            if (roles.vector && roles.lanes > 1) {
                nest.vector_dim = *roles.vector;
                nest.lanes = roles.lanes;
            }
            function.stages.push_back(std::move(nest));
        }
        plan.functions.push_back(std::move(function));
    }
    return plan;
}

Schedule build(const PipelineDag& dag, const Plan& plan, const Machine& machine) {
    return ScheduleMaker(dag, plan, machine).run();
}

}  // namespace nestor
