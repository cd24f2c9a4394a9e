#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cost/terms.h"

namespace nestor {

namespace {

constexpr double kUsable = 0.75;    // of a cache: lines conflict, and others want some
constexpr double kLineTraffic = 2;  // a line that is written is read before
// Runs of bytes that the prefetchers of a core follow at the same time, and what it costs, in bytes
// that could have been fetched meanwhile, when a run begins that they do not follow yet (measured:
// docs/cost-model.md).
constexpr double kStreams = 64;
constexpr double kStartL3 = 160;
constexpr double kStartDram = 384;

struct Touched {
    Source source = Source::Function;
    int index = 0;
};

// What the loops of a nest touch, those of functions that are computed inside included.
std::vector<Touched> touched_by(ScheduleFacts& facts, const NestFacts& nest) {
    std::vector<Touched> result;
    if (nest.loops.empty()) {
        return result;
    }
    const PipelineDag& graph = facts.graph();
    const Regions& regions = facts.bounds().within(nest.loops.back().site);
    for (int f = 0; f < static_cast<int>(graph.functions.size()); f++) {
        if (!facts.placement().is_transparent(f) && regions.touches(Source::Function, f)) {
            result.push_back({Source::Function, f});
        }
    }
    for (int i = 0; i < static_cast<int>(graph.inputs.size()); i++) {
        if (regions.touches(Source::Input, i)) {
            result.push_back({Source::Input, i});
        }
    }
    return result;
}

// Of one nest, beyond one cache.
class NestTraffic {
  public:
    /** `arrays`: touched_by() the nest. `start`: bytes that the beginning of a run costs beyond
     * that cache. */
    NestTraffic(ScheduleFacts& facts, const std::vector<Touched>& arrays, const CacheLevel& cache,
                double start)
        : facts_(facts),
          stays_(stays_in(cache, facts.everything())),
          cache_(kUsable * cache.bytes.value),
          start_(start),
          arrays_(arrays) {}

    double bytes(const NestFacts& nest) { return stays_ ? 0 : visit(nest, nest.loops.size()); }

  private:
    // `position`: loops from there outwards are known not to fit.
    double visit(const NestFacts& nest, std::size_t position) {
        double bytes = 0;
        while (position > 0) {
            position--;
            const LoopFacts& loop = nest.loops[position];
            if (position == 0 || working_set(nest, position) <= cache_) {
                return bytes + moved(nest, position);
            }
            for (const NestFacts* inner : facts_.nests_at(loop.site)) {
                bytes += visit(*inner, inner->loops.size());
            }
        }
        return bytes;
    }

    // Bytes of the nest's own function that one iteration of the loop writes.
    [[nodiscard]] double own_bytes(const NestFacts& nest, std::size_t position) const {
        const Function& f = facts_.graph().functions[nest.function];
        double bytes = static_cast<double>(f.bytes_per_point());
        for (std::size_t i = 0; i < position; i++) {
            const int dim = nest.loops[i].site.loop.dim;
            const bool changes = nest.stores_change_with(dim);
            bytes *= changes ? nest.loops[i].trips : 1;
        }
        return std::min(bytes, facts_.whole_bytes(Source::Function, nest.function));
    }

    // Bytes that one iteration of the loop touches of something: its region, but no more than its
    // loads fetch, where the region is everything because it is not known.
    double touched(const NestFacts& nest, std::size_t position, const Touched& what) {
        const LoopSite& site = nest.loops[position].site;
        const double region = facts_.bytes_within(site, what.source, what.index);
        if (region == 0 || !is_whole(site, what)) {
            return region;
        }
        double loads = 0;
        for (const NestFacts& each : facts_.nests()) {
            const bool inside =
                &each == &nest || facts_.placement().is_computed_inside(each.function, site);
            if (!inside) {
                continue;
            }
            for (const Family& family : each.expansion->loads) {
                if (family.source == what.source && family.index == what.index) {
                    loads += family.members * each.iterations(0);
                }
            }
        }
        return std::min(region, loads / nest.iterations(position) * element_bytes(what));
    }

    [[nodiscard]] bool is_whole(const LoopSite& site, const Touched& what) {
        const Regions& regions = facts_.bounds().within(site);
        const std::size_t dims = what.source == Source::Input
                                     ? facts_.graph().inputs[what.index].region.size()
                                     : facts_.graph().functions[what.index].region.size();
        for (std::size_t d = 0; d < dims; d++) {
            if (regions.span(what.source, what.index, static_cast<int>(d)).whole) {
                return true;
            }
        }
        return false;
    }

    double working_set(const NestFacts& nest, std::size_t position) {
        double bytes = own_bytes(nest, position);
        const LoopSite& site = nest.loops[position].site;
        for (const Touched& each : arrays_) {
            const double mine = touched(nest, position, each);
            if (mine == 0 || each.source == Source::Input) {
                bytes += mine;
                continue;
            }
            // Storage that lives inside is used again and again, a circular buffer, too.
            const bool computed_inside = facts_.placement().is_computed_inside(each.index, site);
            bytes += computed_inside ? std::min(mine, facts_.allocated_bytes(each.index)) : mine;
        }
        return bytes;
    }

    // Whether what the function keeps lives and dies within one iteration of the loop.
    [[nodiscard]] bool is_private(int function, const LoopSite& site) const {
        const Level store = facts_.placement().store(function);
        return facts_.placement().kind(function) == Placement::Kind::At &&
               store.kind == Level::Kind::At && facts_.placement().is_inside(store.site, site);
    }

    double moved(const NestFacts& nest, std::size_t position) {
        const LoopFacts& loop = nest.loops[position];
        const double entries = nest.iterations(position + 1);
        double bytes = 0;
        const std::vector<double> streams = start_ > 0 ? streams_of(nest) : std::vector<double>();
        for (const Touched& each : arrays_) {
            const double first = touched(nest, position, each);
            if (first == 0) {
                continue;
            }
            const bool mine = each.source == Source::Function && is_private(each.index, loop.site);
            if (!mine) {
                bytes += entries * lines(each, loop.site, first) * begun(nest, streams, each) *
                         (1 + (loop.trips - 1) * fresh(loop.site, each));
            }
            // What is computed inside, but kept outside, is written as often.
            if (each.source == Source::Function && !mine &&
                facts_.placement().is_computed_inside(each.index, loop.site)) {
                bytes += entries * first * (1 + (loop.trips - 1) * fresh(loop.site, each));
            }
        }
        if (!is_private(nest.function, loop.site)) {
            const bool moves = nest.stores_change_with(loop.site.loop.dim);
            bytes += entries * (moves ? loop.trips : 1) * kLineTraffic * own_bytes(nest, position) *
                     begun(nest, streams, {Source::Function, nest.function});
        }
        return bytes;
    }

    // How many times the bytes of a thing its traffic is, with the beginnings of runs. A run goes
    // on from one iteration of a loop to the next where the loop moves along it, unless there are
    // more of them than the prefetchers follow.
    [[nodiscard]] double begun(const NestFacts& nest, const std::vector<double>& streams,
                               const Touched& what) {
        if (streams.empty()) {
            return 1;
        }
        double run = 0;
        for (std::size_t p = 0; p <= nest.loops.size(); p++) {
            const double longer = run_within(nest, p, what);
            if (longer > run && run > 0 && streams[p - 1] > kStreams) {
                break;
            }
            run = std::max(run, longer);
        }
        return run > 0 ? 1 + start_ / run : 1;
    }

    // Bytes next to each other that one iteration of a loop of the nest touches; of all iterations
    // where the position is behind the last loop.
    [[nodiscard]] double run_within(const NestFacts& nest, std::size_t position,
                                    const Touched& what) {
        if (what.source == Source::Function && what.index == nest.function) {
            return runs(what, own_extents(nest, position)).bytes;
        }
        if (position == nest.loops.size()) {
            return runs(what, whole_extents(what)).bytes;
        }
        const Regions& regions = facts_.bounds().within(nest.loops[position].site);
        return regions.touches(what.source, what.index)
                   ? runs(what, regions.loaded(what.source, what.index)).bytes
                   : 0;
    }

    // Extents of what one iteration of a loop writes of the nest's own function.
    [[nodiscard]] std::vector<std::int64_t> own_extents(const NestFacts& nest,
                                                        std::size_t position) const {
        const Function& f = facts_.graph().functions[nest.function];
        std::vector<std::int64_t> extents(f.args.size(), 1);
        for (std::size_t d = 0; d < extents.size(); d++) {
            double points = 1;
            for (std::size_t i = 0; i < position; i++) {
                const int dim = nest.loops[i].site.loop.dim;
                const bool moves = !nest.stores[d].affine || nest.stores[d].rates[dim] != 0;
                points *= moves ? nest.loops[i].trips : 1;
            }
            extents[d] = std::min(f.region[d].extent, static_cast<std::int64_t>(points));
        }
        return extents;
    }

    [[nodiscard]] std::vector<std::int64_t> whole_extents(const Touched& what) const {
        const PipelineDag& graph = facts_.graph();
        std::vector<std::int64_t> extents;
        for (const Range& range : what.source == Source::Input
                                      ? graph.inputs[what.index].region
                                      : graph.functions[what.index].region) {
            extents.push_back(range.extent);
        }
        return extents;
    }

    // For each loop of the nest, innermost first, the runs of bytes that one iteration touches, of
    // all that does not live and die within it.
    [[nodiscard]] std::vector<double> streams_of(const NestFacts& nest) {
        std::vector<double> streams;
        for (std::size_t p = 0; p < nest.loops.size(); p++) {
            const LoopSite& site = nest.loops[p].site;
            double count = runs({Source::Function, nest.function}, own_extents(nest, p)).count;
            const Regions& regions = facts_.bounds().within(site);
            for (const Touched& each : arrays_) {
                const bool inside = each.source == Source::Function &&
                                    facts_.placement().is_computed_inside(each.index, site);
                if (!inside && regions.touches(each.source, each.index)) {
                    count += runs(each, regions.loaded(each.source, each.index)).count;
                }
            }
            streams.push_back(count);
        }
        return streams;
    }

    // What lies in neighbouring cache lines is one run.
    struct Runs {
        double bytes = 0;  // of each
        double count = 1;
    };

    [[nodiscard]] Runs runs(const Touched& what, const std::vector<std::int64_t>& extents) const {
        const std::vector<std::int64_t> whole = whole_extents(what);
        double stride = element_bytes(what);  // from one point to the next along the dimension
        Runs result{stride, 1};
        for (const int d : storage_order(what, extents.size())) {
            if (stride - result.bytes < line_bytes()) {
                result.bytes += static_cast<double>(extents[d] - 1) * stride;
            } else {
                result.count *= static_cast<double>(extents[d]);
            }
            stride *= static_cast<double>(whole[d]);
        }
        return result;
    }

    // Dimensions, the dense one first.
    [[nodiscard]] std::vector<int> storage_order(const Touched& what, std::size_t dims) const {
        const int dense = facts_.placement().dense_dim(what.source, what.index);
        std::vector<int> order;
        if (dense < static_cast<int>(dims)) {
            order.push_back(dense);
        }
        for (int d = 0; d < static_cast<int>(dims); d++) {
            if (d != dense) {
                order.push_back(d);
            }
        }
        return order;
    }

    [[nodiscard]] double element_bytes(const Touched& what) const {
        const PipelineDag& graph = facts_.graph();
        return what.source == Source::Input
                   ? graph.inputs[what.index].type.bytes()
                   : static_cast<double>(graph.functions[what.index].bytes_per_point());
    }

    [[nodiscard]] double line_bytes() const {
        const Quantity& line = facts_.machine().line_bytes;
        return line.known() ? line.value : 64;
    }

    // The part of what an iteration touches that the one before did not.
    [[nodiscard]] double fresh(const LoopSite& site, const Touched& what) {
        const Regions& regions = facts_.bounds().within(site);
        const std::vector<std::int64_t> extents = regions.loaded(what.source, what.index);
        // Where everything is touched, but not all of it at once, it is something else each time.
        if (is_whole(site, what)) {
            return facts_.bytes_within(site, what.source, what.index) > cache_ ? 1 : 0;
        }
        double kept = 1;
        for (std::size_t d = 0; d < extents.size(); d++) {
            const double move =
                std::abs(regions.advance(what.source, what.index, static_cast<int>(d)));
            const auto extent = static_cast<double>(extents[d]);
            kept *= std::max(0.0, extent - move) / extent;
        }
        return 1 - kept;
    }

    // Bytes of the cache lines that are touched: narrow strips take more than they need.
    [[nodiscard]] double lines(const Touched& what, const LoopSite& site, double bytes) {
        const double run =
            contiguous_bytes(what, facts_.bounds().within(site).loaded(what.source, what.index));
        const double line = line_bytes();
        return bytes * (run < line ? line / run : (run + line / 2) / run);
    }

    // Of what is touched, the bytes that lie next to each other: along the dense dimension and,
    // where that is touched as a whole, on along the next one.
    [[nodiscard]] double contiguous_bytes(const Touched& what,
                                          const std::vector<std::int64_t>& extents) const {
        const std::vector<std::int64_t> whole = whole_extents(what);
        double bytes = element_bytes(what);
        for (const int d : storage_order(what, extents.size())) {
            bytes *= static_cast<double>(extents[d]);
            if (extents[d] < whole[d]) {
                break;
            }
        }
        return bytes;
    }

    ScheduleFacts& facts_;
    const bool stays_;
    const double cache_;
    const double start_;
    const std::vector<Touched>& arrays_;
};

}  // namespace

bool stays_in(const CacheLevel& cache, double bytes) {
    return bytes <= kUsable * cache.bytes.value;
}

Traffic group_traffic(ScheduleFacts& facts, int root) {
    const Machine& machine = facts.machine();
    Traffic traffic;
    for (const NestFacts* nest : facts.nests_at_root()) {
        if (nest->function != root) {
            continue;
        }
        const std::vector<Touched> arrays = touched_by(facts, *nest);
        const auto beyond = [&](const CacheLevel& cache, double start) {
            return NestTraffic(facts, arrays, cache, start).bytes(*nest);
        };
        traffic.l2 += beyond(machine.l1, 0);
        traffic.l3 += beyond(machine.l2, kStartL3);
        traffic.dram += beyond(machine.l3, kStartDram);
    }
    return traffic;
}

}  // namespace nestor
