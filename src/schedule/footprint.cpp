#include "schedule/footprint.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "schedule/loops.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

// The coordinates that one iteration of the site covers along a dimension:
//   [lo, hi] + sum over the dimensions d of the site's stage of rates[d] * (position of the
//   iteration in d).
struct Span {
    bool whole = false;  // everything there is
    double lo = 0;
    double hi = 0;
    bool varies = false;  // hi - lo is not the same in every run
    std::vector<double> rates;
};

using Region = std::vector<Span>;

// The extent that a dimension gets from the tails of a function's stages.
std::int64_t with_tails(const Placement& placement, int function, int dim, std::int64_t extent) {
    const Function& f = placement.graph().functions[function];
    std::int64_t result = extent;
    for (int s = 0; s < static_cast<int>(f.stages.size()); s++) {
        for (int l = 0; l < static_cast<int>(f.stages[s].loops.size()); l++) {
            const Loop& loop = f.stages[s].loops[l];
            if (loop.is_reduction() || loop.position != dim) {
                continue;
            }
            for (const LoopNest* nest : placement.nests(function, s)) {
                result =
                    std::max(result, stored_extent(extent, splits_of(*nest, l), LoopKind::Pure, s));
            }
        }
    }
    return result;
}

class Footprints {
  public:
    Footprints(const Placement& placement, const LoopSite& site)
        : placement_(placement), site_(site) {}

    // None if nothing in the loop loads the function.
    std::optional<Region> needed(int function) {
        if (const auto known = known_.find(function); known != known_.end()) {
            return known->second;
        }
        std::optional<Region> region;
        for (const int consumer : graph().functions[function].consumers) {
            add_loads_of(consumer, function, region);
        }
        if (region) {
            widen_for_updates(function, *region);
        }
        known_[function] = region;
        return region;
    }

    // Extents of a region, no more than the function's own, tails included.
    std::vector<std::int64_t> extents(int function, const Region& region) const {
        const Function& f = graph().functions[function];
        std::vector<std::int64_t> extents;
        for (int d = 0; d < f.dimensions(); d++) {
            std::int64_t extent = f.region[d].extent;
            if (!region[d].whole) {
                const double exact = std::ceil(region[d].hi - region[d].lo) + 1;
                extent = std::min(extent, static_cast<std::int64_t>(exact));
            }
            extents.push_back(with_tails(placement_, function, d, extent));
        }
        return extents;
    }

  private:
    const PipelineDag& graph() const { return placement_.graph(); }
    const Stage& site_stage() const {
        return graph().functions[site_.function].stages[site_.stage];
    }

    void add_loads_of(int consumer, int function, std::optional<Region>& region) {
        const Function& c = graph().functions[consumer];
        const bool inside = consumer == site_.function || placement_.is_transparent(consumer) ||
                            placement_.is_computed_inside(consumer, site_);
        if (!inside) {
            return;
        }
        if (std::ranges::count(c.extern_inputs, function) > 0) {
            region = Region(graph().functions[function].args.size(), everything());
        }
        for (int s = 0; s < static_cast<int>(c.stages.size()); s++) {
            std::optional<Region> iterations;
            for (const Load& load : c.stages[s].loads) {
                if (load.source != Source::Function || load.index != function) {
                    continue;
                }
                if (!iterations) {
                    iterations = iterations_of(consumer, s);
                }
                if (iterations) {
                    add(loaded_by(load, *iterations), region);
                }
            }
        }
    }

    // The values that the loop variables of a stage take during one iteration of the site.
    std::optional<Region> iterations_of(int function, int stage) {
        if (function == site_.function) {
            return stage == site_.stage ? std::optional(tile()) : std::nullopt;
        }
        const std::optional<Region> computed = needed(function);
        if (!computed) {
            return std::nullopt;
        }
        const std::vector<std::int64_t> sizes = extents(function, *computed);
        Region iterations;
        for (const Loop& loop : graph().functions[function].stages[stage].loops) {
            if (loop.is_reduction()) {
                iterations.push_back(fixed(loop.range, !loop.constant_extent));
                continue;
            }
            Span span = (*computed)[loop.position];
            if (span.whole) {
                span = fixed(graph().functions[function].region[loop.position], true);
            }
            if (!placement_.is_transparent(function)) {
                const double extent = static_cast<double>(sizes[loop.position]);
                span.hi = std::max(span.hi, span.lo + extent - 1);
            }
            iterations.push_back(std::move(span));
        }
        return iterations;
    }

    // The part of the site's own stage that one iteration of the site runs through.
    Region tile() const {
        const std::vector<StageDim> dims = own_dims();
        const bool at_root = placement_.kind(site_.function) != Placement::Kind::At;
        Region tile;
        for (int d = 0; d < static_cast<int>(dims.size()); d++) {
            const Loop& loop = site_stage().loops[d];
            std::int64_t extent = 1;
            bool complete = true;
            bool varies = false;
            for (const LoopNest* nest : placement_.nests(site_.function, site_.stage)) {
                const InnerPart part = inner_part(*nest, dims, d);
                extent = std::max(extent, part.extent);
                complete = complete && part.complete;
                varies = varies || part.varies;
            }
            if (complete && (at_root || loop.is_reduction())) {
                tile.push_back(fixed({loop.range.min, extent}, varies));
                continue;
            }
            Span span{false, 0, static_cast<double>(extent - 1), varies, no_rates()};
            span.rates[d] = 1;
            tile.push_back(std::move(span));
        }
        return tile;
    }

    struct InnerPart {
        std::int64_t extent = 1;
        bool complete = false;  // all of the dimension
        bool varies = false;    // the extent is not the same in every run
    };

    InnerPart inner_part(const LoopNest& nest, const std::vector<StageDim>& dims, int dim) const {
        const std::vector<LoopRef> order = loop_order(nest, dims);
        const int site_at = position(order, site_.loop);
        const int levels = split_count(nest, dim);
        int outermost = levels + 1;
        InnerPart part;
        bool contiguous = true;
        for (int level = levels; level >= 0; level--) {
            const LoopRef loop{dim, level};
            if (position(order, loop) >= site_at) {
                continue;
            }
            part.extent += (loop_extent(nest, dims, loop) - 1) * loop_stride(nest, loop);
            part.varies = part.varies || !has_constant_extent(dims, loop);
            contiguous = contiguous && level == outermost - 1;
            outermost = level;
        }
        if (contiguous && outermost <= levels) {
            const std::int64_t whole =
                outermost == 0 ? dims[dim].extent : nest.splits[dim][outermost - 1].factor;
            part.extent = stored_extent(whole, splits_of(nest, dim), dims[dim].kind, site_.stage,
                                        static_cast<std::size_t>(outermost));
        }
        part.complete = contiguous && outermost == 0;
        return part;
    }

    // The site's dimensions, as large as one computation of its function is.
    std::vector<StageDim> own_dims() const {
        std::vector<StageDim> dims = placement_.dims(site_.function, site_.stage);
        if (placement_.kind(site_.function) != Placement::Kind::At) {
            return dims;
        }
        const LoopSite& around = placement_.schedule().functions[site_.function].compute.site;
        Footprints outer(placement_, around);
        const std::optional<Region> region = outer.needed(site_.function);
        if (!region) {
            return dims;
        }
        const std::vector<std::int64_t> extents = outer.extents(site_.function, *region);
        for (std::size_t d = 0; d < dims.size(); d++) {
            const Loop& loop = site_stage().loops[d];
            if (!loop.is_reduction()) {
                dims[d].extent = extents[loop.position];
                const Span& span = (*region)[loop.position];
                dims[d].constant_extent = !span.whole && !span.varies;
            }
        }
        return dims;
    }

    Region loaded_by(const Load& load, const Region& iterations) const {
        Region region;
        for (const Coordinate& coordinate : load.coords) {
            if (!coordinate.affine) {
                region.push_back(everything());
                continue;
            }
            Span span{false, static_cast<double>(coordinate.offset_min),
                      static_cast<double>(coordinate.offset_max), false, no_rates()};
            for (std::size_t l = 0; l < iterations.size(); l++) {
                const double rate = coordinate.rates[l];
                const Span& values = iterations[l];
                // Halide proves no bound on the extent of x / 2 over a range of x.
                const bool uneven = rate != std::floor(rate) && values.hi > values.lo;
                span.varies = span.varies || uneven || (rate != 0 && values.varies);
                span.lo += rate * (rate >= 0 ? values.lo : values.hi);
                span.hi += rate * (rate >= 0 ? values.hi : values.lo);
                for (std::size_t d = 0; d < span.rates.size(); d++) {
                    span.rates[d] += rate * values.rates[d];
                }
            }
            region.push_back(std::move(span));
        }
        return region;
    }

    void add(const Region& loaded, std::optional<Region>& region) const {
        if (!region) {
            region = loaded;
            return;
        }
        for (std::size_t d = 0; d < region->size(); d++) {
            (*region)[d] = united((*region)[d], loaded[d]);
        }
    }

    Span united(Span a, Span b) const {
        if (a.whole || b.whole) {
            return everything();
        }
        for (std::size_t d = 0; d < a.rates.size(); d++) {
            if (a.rates[d] != b.rates[d]) {
                take_all_positions(a, d);
                take_all_positions(b, d);
            }
        }
        a.lo = std::min(a.lo, b.lo);
        a.hi = std::max(a.hi, b.hi);
        a.varies = a.varies || b.varies;
        return a;
    }

    void take_all_positions(Span& span, std::size_t d) const {
        const Range& range = site_stage().loops[d].range;
        const double first = span.rates[d] * static_cast<double>(range.min);
        const double last = span.rates[d] * static_cast<double>(range.max());
        span.lo += std::min(first, last);
        span.hi += std::max(first, last);
        span.rates[d] = 0;
        span.varies = true;
    }

    // An update that addresses a dimension by something else than its pure variable may touch all
    // of it.
    void widen_for_updates(int function, Region& region) const {
        const Function& f = graph().functions[function];
        for (std::size_t s = 1; s < f.stages.size(); s++) {
            for (int d = 0; d < f.dimensions(); d++) {
                const bool pure = std::ranges::any_of(f.stages[s].loops, [&](const Loop& loop) {
                    return !loop.is_reduction() && loop.position == d;
                });
                if (!pure) {
                    region[d] = everything();
                }
            }
        }
    }

    std::vector<double> no_rates() const {
        return std::vector<double>(site_stage().loops.size(), 0.0);
    }
    Span fixed(const Range& range, bool varies) const {
        return {false, static_cast<double>(range.min), static_cast<double>(range.max()), varies,
                no_rates()};
    }
    Span everything() const { return {true, 0, 0, true, no_rates()}; }

    const Placement& placement_;
    const LoopSite site_;
    std::map<int, std::optional<Region>> known_;
};

// A function that is computed anew for each point that a consumer loads.
std::int64_t points_at_each_use(const Function& f) {
    std::int64_t points = 1;
    for (int d = 0; d < f.dimensions(); d++) {
        const bool pure = std::ranges::all_of(f.stages, [&](const Stage& stage) {
            return std::ranges::any_of(stage.loops, [&](const Loop& loop) {
                return !loop.is_reduction() && loop.position == d;
            });
        });
        points *= pure ? 1 : f.region[d].extent;
    }
    return points;
}

}  // namespace

std::vector<std::int64_t> footprint(const PipelineDag& graph, const Schedule& schedule,
                                    int function, const LoopSite& site) {
    const Placement placement(graph, schedule);
    Footprints footprints(placement, site);
    const std::optional<Region> region = footprints.needed(function);
    return region ? footprints.extents(function, *region) : std::vector<std::int64_t>{};
}

std::vector<bool> has_constant_footprint(const PipelineDag& graph, const Schedule& schedule,
                                         int function, const LoopSite& site) {
    const Placement placement(graph, schedule);
    Footprints footprints(placement, site);
    const std::optional<Region> region = footprints.needed(function);
    std::vector<bool> constant;
    for (int d = 0; d < graph.functions[function].dimensions(); d++) {
        constant.push_back(region && !(*region)[d].varies);
    }
    return constant;
}

std::vector<std::int64_t> whole_region(const PipelineDag& graph, const Schedule& schedule,
                                       int function) {
    const Placement placement(graph, schedule);
    std::vector<std::int64_t> extents;
    for (int d = 0; d < graph.functions[function].dimensions(); d++) {
        const std::int64_t extent = graph.functions[function].region[d].extent;
        extents.push_back(with_tails(placement, function, d, extent));
    }
    return extents;
}

std::int64_t allocation_bytes(const PipelineDag& graph, const Schedule& schedule, int function) {
    const Function& f = graph.functions[function];
    const Placement placement(graph, schedule);
    const Placement::Kind kind = placement.kind(function);
    if (f.is_output || kind == Placement::Kind::Inlined) {
        return 0;
    }
    if (kind == Placement::Kind::AtEachUse) {
        return points_at_each_use(f) * f.bytes_per_point();
    }
    const Level level = placement.store(function);
    std::vector<std::int64_t> extents = level.kind == Level::Kind::At
                                            ? footprint(graph, schedule, function, level.site)
                                            : whole_region(graph, schedule, function);
    if (extents.empty() && f.dimensions() > 0) {
        return 0;
    }
    const FunctionSchedule& s = schedule.functions[function];
    if (s.fold) {
        extents[s.fold->dim] = s.fold->factor;
    }
    for (const Alignment& a : s.alignment) {
        extents[a.dim] = (extents[a.dim] + a.elements - 1) / a.elements * a.elements;
    }
    std::int64_t bytes = f.bytes_per_point();
    for (const std::int64_t extent : extents) {
        bytes *= extent;
    }
    return bytes;
}

}  // namespace nestor
