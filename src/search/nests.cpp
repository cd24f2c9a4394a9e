#include "search/nests.h"

#include <algorithm>

#include "base/divide.h"
#include "search/inlining.h"
#include "search/plan.h"

namespace nestor {

namespace {

constexpr std::int64_t kSmallExtent = 8;     // a dimension of channels, not of pixels
constexpr double kParallelWork = 50'000;     // operations below which a parallel loop does not pay
constexpr std::int64_t kTasksPerWorker = 4;  // so that uneven tasks even out

std::int64_t power_of_two_below(std::int64_t n) {
    std::int64_t power = 1;
    while (power * 2 <= n) {
        power *= 2;
    }
    return power;
}

struct Trip {
    LoopRef loop;
    std::int64_t count = 1;
};

class NestBuilder {
  public:
    NestBuilder(const Function& f, const Stage& stage, Roles roles)
        : f_(f), stage_(stage), roles_(std::move(roles)) {}

    [[nodiscard]] const Roles& roles() const { return roles_; }

    LoopRef split(int dim, std::int64_t factor) {
        if (nest_.splits.size() <= static_cast<std::size_t>(dim)) {
            nest_.splits.resize(dim + 1);
        }
        nest_.splits[dim].push_back({factor, safe_tail()});
        return {dim, static_cast<int>(nest_.splits[dim].size())};
    }

    void vectorize() {
        if (roles_.vector && roles_.lanes > 1) {
            nest_.vector = split(*roles_.vector, roles_.lanes);
            nest_.order.push_back(*nest_.vector);
        }
    }

    void add_reductions() {
        for (const int dim : roles_.reduction) {
            nest_.order.push_back({dim, 0});
        }
    }

    void add(LoopRef loop) { nest_.order.push_back(loop); }
    LoopNest& nest() { return nest_; }

    // Marks loops parallel, outermost first, until there are tasks enough.
    void parallelize(const std::vector<Trip>& outermost_first, const Machine& machine) {
        std::int64_t tasks = 1;
        for (const Trip& trip : outermost_first) {
            if (tasks >= machine.parallelism || !is_free(f_, stage_.loops[trip.loop.dim])) {
                break;
            }
            nest_.parallel.push_back(trip.loop);
            tasks *= std::max<std::int64_t>(1, trip.count);
        }
        std::sort(nest_.parallel.begin(), nest_.parallel.end());
    }

  private:
    const Function& f_;
    const Stage& stage_;
    Roles roles_;
    LoopNest nest_;
};

double work_of(const Stage& stage, const std::vector<std::int64_t>& extents) {
    double work = 1.0 + stage.ops.arithmetic() + stage.ops.load;
    for (const std::int64_t extent : extents) {
        work *= static_cast<double>(extent);
    }
    return work;
}

}  // namespace

int widest_bytes(const Function& f) {
    int bytes = 1;
    for (const ScalarType& type : f.types) {
        bytes = std::max(bytes, type.bytes());
    }
    return bytes;
}

Tail safe_tail() {
    return Tail::GuardWithIf;
}

std::vector<std::int64_t> estimated_extents(const Stage& stage) {
    std::vector<std::int64_t> extents;
    for (const Loop& loop : stage.loops) {
        extents.push_back(loop.range.extent);
    }
    return extents;
}

Roles assign_roles(const Function& f, const Stage& stage, const std::vector<std::int64_t>& extents,
                   const Machine& machine) {
    Roles roles;
    const std::int64_t natural = machine.lanes(widest_bytes(f));
    std::vector<int> free;
    for (int d = 0; d < static_cast<int>(stage.loops.size()); d++) {
        (is_free(f, stage.loops[d]) ? free : roles.reduction).push_back(d);
    }
    const auto is_long = [&](int d) { return extents[d] > kSmallExtent; };
    // The first dimension is contiguous in memory; one that fills less than half a vector is not
    // worth it if another fills a whole one.
    const auto fits =
        std::find_if(free.begin(), free.end(), [&](int d) { return 2 * extents[d] >= natural; });
    const auto longest = std::max_element(free.begin(), free.end(),
                                          [&](int a, int b) { return extents[a] < extents[b]; });
    if (!free.empty()) {
        roles.vector = fits != free.end() ? *fits : *longest;
        roles.lanes =
            static_cast<int>(std::min(natural, power_of_two_below(extents[*roles.vector])));
    }
    for (const int d : free) {
        if (roles.vector == d) {
            continue;
        }
        if (!is_long(d)) {
            roles.small.push_back(d);
        } else if (!roles.rows) {
            roles.rows = d;
        } else {
            roles.outer.push_back(d);
        }
    }
    return roles;
}

LoopNest plain_nest(const Function& f, const Stage& stage, const std::vector<std::int64_t>& extents,
                    const Machine& machine, bool parallel) {
    NestBuilder builder(f, stage, assign_roles(f, stage, extents, machine));
    const Roles& roles = builder.roles();
    std::vector<int> outer = roles.small;
    if (roles.rows) {
        outer.push_back(*roles.rows);
    }
    outer.insert(outer.end(), roles.outer.begin(), roles.outer.end());
    const bool share = parallel && work_of(stage, extents) > kParallelWork;
    const std::int64_t tasks = machine.parallelism * kTasksPerWorker;
    std::vector<Trip> trips;  // outermost first
    // Strips of a lone dimension are whole vectors.
    const bool chunks =
        share && outer.empty() && roles.vector && extents[*roles.vector] > 2 * tasks * roles.lanes;
    if (chunks) {
        const std::int64_t chunk =
            divide_up(extents[*roles.vector], tasks * roles.lanes) * roles.lanes;
        builder.split(*roles.vector, chunk);
        trips.push_back({{*roles.vector, 0}, tasks});
    }
    builder.vectorize();
    builder.add_reductions();
    if (chunks) {
        builder.add({*roles.vector, 1});
    }
    if (roles.vector) {
        builder.add({*roles.vector, 0});
    }
    for (const int d : outer) {
        const bool strips = share && d == outer.back() && extents[d] > 2 * tasks;
        if (strips) {
            builder.add(builder.split(d, divide_up(extents[d], tasks)));
        }
        builder.add({d, 0});
        trips.insert(trips.begin(), {{d, 0}, strips ? tasks : extents[d]});
    }
    if (share) {
        builder.parallelize(trips, machine);
    }
    return builder.nest();
}

std::optional<TiledNest> tiled_nest(const Function& f, const Stage& stage, const TileShape& shape,
                                    const Machine& machine) {
    const std::vector<std::int64_t> extents = estimated_extents(stage);
    NestBuilder builder(f, stage, assign_roles(f, stage, extents, machine));
    const Roles& roles = builder.roles();
    if (!roles.vector || roles.lanes < 2) {
        return std::nullopt;
    }
    const int x = *roles.vector;
    const bool split_width = shape.width > roles.lanes && extents[x] > shape.width;
    const bool split_height = roles.rows && shape.height > 0 && extents[*roles.rows] > shape.height;
    if (!split_width && !split_height) {
        return std::nullopt;
    }
    TiledNest result;
    const LoopRef inner_width = split_width ? builder.split(x, shape.width) : LoopRef{x, 0};
    builder.vectorize();
    builder.add_reductions();
    builder.add(inner_width);
    for (const int d : roles.small) {
        builder.add({d, 0});
    }
    if (split_height) {
        result.rows = builder.split(*roles.rows, shape.height);
        builder.add(*result.rows);
    }
    std::vector<Trip> trips;  // outermost first
    const auto add_tile_loop = [&](int d, std::int64_t size) {
        builder.add({d, 0});
        trips.insert(trips.begin(), {{d, 0}, divide_up(extents[d], size)});
    };
    if (split_width) {
        add_tile_loop(x, shape.width);
    }
    if (roles.rows) {
        add_tile_loop(*roles.rows, split_height ? shape.height : 1);
    }
    result.tile = split_width ? LoopRef{x, 0} : LoopRef{*roles.rows, 0};
    for (const int d : roles.outer) {
        add_tile_loop(d, 1);
    }
    builder.parallelize(trips, machine);
    result.nest = builder.nest();
    return result;
}

}  // namespace nestor
