#include "cost/footprints.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestor {

namespace {

constexpr std::int64_t kChannels = 8;  // of a pixel, padding included, at most

}  // namespace

Footprints::Footprints(ScheduleFacts& facts, const NestFacts& root)
    : facts_(facts),
      line_(facts.machine().line_bytes.value_or(64)),
      page_(facts.machine().page_bytes.value_or(4096)),
      followed_(facts.machine().streams.value_or(64)),
      tables_(facts.nests().size()) {
    if (root.loops.empty()) {
        return;
    }
    const PipelineDag& graph = facts.graph();
    const Regions& regions = facts.bounds().within(root.loops.back().site);
    for (int f = 0; f < static_cast<int>(graph.functions.size()); f++) {
        if (!facts.placement().is_transparent(f) && regions.touches(Source::Function, f)) {
            arrays_.push_back(array(Source::Function, f));
        }
    }
    for (int i = 0; i < static_cast<int>(graph.inputs.size()); i++) {
        if (regions.touches(Source::Input, i)) {
            arrays_.push_back(array(Source::Input, i));
        }
    }
}

Footprints::Table& Footprints::table(const NestFacts& nest) {
    Table& table = tables_[&nest - facts_.nests().data()];
    if (table.footprints.empty()) {
        table.footprints.resize(nest.loops.size());
        table.working_set.assign(nest.loops.size(), -1);
        table.all_bytes = facts_.whole_bytes(Source::Function, nest.function);
    }
    return table;
}

const std::vector<Footprint>& Footprints::at(const NestFacts& nest, std::size_t position) {
    std::vector<Footprint>& result = table(nest).footprints[position];
    if (result.empty()) {
        result.reserve(arrays_.size());
        for (const Array& array : arrays_) {
            result.push_back(footprint(nest, position, array));
        }
    }
    return result;
}

Footprint Footprints::footprint(const NestFacts& nest, std::size_t position, const Array& array) {
    const LoopSite& site = nest.loops[position].site;
    const Regions& regions = facts_.bounds().within(site);
    Footprint result;
    if (!regions.touches(array.source, array.index)) {
        return result;
    }
    std::vector<std::int64_t>& extents = extents_;
    extents.clear();
    result.region = array.element;
    double kept = 1;
    const PipelineDag& graph = facts_.graph();
    const std::size_t dimensions = array.source == Source::Function
                                       ? graph.functions[array.index].region.size()
                                       : graph.inputs[array.index].region.size();
    for (int dim = 0; dim < static_cast<int>(dimensions); dim++) {
        extents.push_back(regions.loaded_extent(array.source, array.index, dim));
        const auto extent = static_cast<double>(extents.back());
        result.region *= extent;
        const Span span = regions.loaded_span(array.source, array.index, dim);
        result.is_whole = result.is_whole || span.whole || span.anywhere;
        const double move = std::abs(regions.loaded_advance(array.source, array.index, dim));
        kept *= std::max(0.0, extent - move) / extent;
    }
    result.fresh = 1 - kept;
    result.bytes = result.is_whole || crosses(nest, position, array)
                       ? std::min(result.region, fetched(nest, position, array))
                       : result.region;
    Layout memory = layout(array, extents);
    // Of a region that is touched in part (rows far apart have everything between them as theirs).
    const double share = result.bytes / result.region;
    memory.runs = std::max(1.0, share * memory.runs);
    memory.pages = std::max(1.0, share * memory.pages);
    const double next = memory.contiguous;
    result.line_bytes = next < line_ ? line_ / next : (next + line_ / 2) / next;
    result.run = memory.run;
    result.runs = memory.runs;
    // Where it is not known what is touched, it is taken to be near what was touched before.
    result.pages = result.is_whole ? 1 + result.bytes / page_ : memory.pages;
    result.fresh_pages = result.is_whole ? 0 : fresh_pages(regions, array, extents);
    result.crowded = result.bytes < result.region ? 0 : memory.crowded;
    if (array.source == Source::Function) {
        result.is_inside = facts_.placement().is_computed_inside(array.index, site);
        result.allocation = result.is_inside ? facts_.allocated_bytes(array.index) : 0;
        result.is_private = is_private(array.index, site);
    }
    return result;
}

// visit(nest, family) for each family of loads of the array in one iteration of the loop.
template <class Visit>
void Footprints::visit_loads(const NestFacts& nest, std::size_t position, const Array& array,
                             const Visit& visit) const {
    for (const NestFacts& each : facts_.nests()) {
        const bool inside = &each == &nest || facts_.placement().is_computed_inside(
                                                  each.function, nest.loops[position].site);
        if (!inside) {
            continue;
        }
        for (const Family& family : each.expansion->loads) {
            if (family.source == array.source && family.index == array.index) {
                visit(each, family);
            }
        }
    }
}

// Bytes that the loads in one iteration of the loop fetch: what stays the same along a loop of the
// nest that loads it, once for all of that.
double Footprints::fetched(const NestFacts& nest, std::size_t position, const Array& array) const {
    double loads = 0;
    visit_loads(nest, position, array, [&](const NestFacts& each, const Family& family) {
        double iterations = each.iterations(0) / nest.iterations(position);
        const std::size_t inside = &each == &nest ? position : each.loops.size();
        for (std::size_t i = 0; i < inside; i++) {
            const bool changes = family.depends_on(each.loops[i].site.loop.dim);
            iterations /= changes ? 1 : each.loops[i].trips;
        }
        loads += family.members * iterations;
    });
    return loads * array.element;
}

// Whether a nest reads it in two directions, as a product with its own transpose does: a row and a
// column have all of a matrix as their region.
bool Footprints::crosses(const NestFacts& nest, std::size_t position, const Array& array) const {
    bool found = false;
    const NestFacts* of = nullptr;
    const Family* first = nullptr;
    visit_loads(nest, position, array, [&](const NestFacts& each, const Family& family) {
        if (&each != of) {
            of = &each;
            first = &family;
        }
        found = found || (family.is_affine() && first->is_affine() &&
                          !std::ranges::equal(family.coords, first->coords, {}, &Coordinate::rates,
                                              &Coordinate::rates));
    });
    return found;
}

double Footprints::own_bytes(const NestFacts& nest, std::size_t position) {
    const Function& f = facts_.graph().functions[nest.function];
    double bytes = static_cast<double>(f.bytes_per_point());
    for (std::size_t i = 0; i < position; i++) {
        const bool changes = nest.stores_change_with(nest.loops[i].site.loop.dim);
        bytes *= changes ? nest.loops[i].trips : 1;
    }
    return std::min(bytes, table(nest).all_bytes);
}

double Footprints::own_line_bytes(const NestFacts& nest, std::size_t position, bool held) {
    return std::max(1.0, line_ / own_layout(nest, held ? position + 1 : position).contiguous);
}

double Footprints::own_crowded(const NestFacts& nest, std::size_t position) {
    return own_layout(nest, position).crowded;
}

double Footprints::own_pages(const NestFacts& nest, std::size_t position) {
    return own_layout(nest, position).pages;
}

const Footprints::Layout& Footprints::own_layout(const NestFacts& nest, std::size_t position) {
    std::vector<Layout>& layouts = table(nest).own_layouts;
    if (layouts.empty()) {
        const Array own = array(Source::Function, nest.function);
        layouts.reserve(nest.loops.size() + 1);
        for (std::size_t p = 0; p <= nest.loops.size(); p++) {
            find_own_extents(nest, p, extents_);
            layouts.push_back(layout(own, extents_));
        }
    }
    return layouts[position];
}

double Footprints::working_set(const NestFacts& nest, std::size_t position) {
    const std::vector<Footprint>& footprints = at(nest, position);
    double& bytes = table(nest).working_set[position];
    if (bytes < 0) {
        bytes = own_bytes(nest, position);
        for (const Footprint& each : footprints) {
            // Storage that lives inside is used again and again, a circular buffer, too.
            bytes += each.is_inside ? std::min(each.bytes, each.allocation) : each.bytes;
        }
    }
    return bytes;
}

bool Footprints::is_private(int function, const LoopSite& site) const {
    const Level store = facts_.placement().store(function);
    return facts_.placement().kind(function) == Placement::Kind::At &&
           store.kind == Level::Kind::At && facts_.placement().is_inside(store.site, site);
}

bool Footprints::is_private(const NestFacts& nest, std::size_t position) const {
    return is_private(nest.function, nest.loops[position].site);
}

const std::vector<double>& Footprints::beginnings(const NestFacts& nest) {
    std::vector<double>& result = table(nest).beginnings;
    if (!result.empty()) {
        return result;
    }
    const std::size_t loops = nest.loops.size();
    std::vector<double> own_runs;
    std::vector<double> streams;  // that one iteration touches, of all that lives on after it
    own_runs.reserve(loops + 1);
    streams.reserve(loops);
    result.reserve(arrays_.size() + 1);
    for (std::size_t p = 0; p < loops; p++) {
        const Layout& written = own_layout(nest, p);
        double count = written.runs;
        for (const Footprint& each : at(nest, p)) {
            count += each.is_inside ? 0 : each.runs;
        }
        own_runs.push_back(written.run);
        streams.push_back(count);
    }
    own_runs.push_back(own_layout(nest, loops).run);
    std::vector<double> each;
    each.reserve(loops + 1);
    for (std::size_t a = 0; a < arrays_.size(); a++) {
        if (arrays_[a].source == Source::Function && arrays_[a].index == nest.function) {
            result.push_back(beginnings_of(own_runs, streams));
            continue;
        }
        each.clear();
        for (std::size_t p = 0; p < loops; p++) {
            each.push_back(at(nest, p)[a].run);
        }
        each.push_back(layout(arrays_[a], arrays_[a].extents).run);
        result.push_back(beginnings_of(each, streams));
    }
    result.push_back(beginnings_of(own_runs, streams));
    return result;
}

// `runs`: bytes of one for each position, and then all; `streams`: how many there are. No run is
// shorter than a cache line, which stays in the first cache until the loop moves on. Of streams
// that are more than the prefetchers follow a share is lost, and ends there: streams / followed -
// 1, from twice as many on all (docs/cost-model.md, "Beginnings of runs").
double Footprints::beginnings_of(const std::vector<double>& runs,
                                 const std::vector<double>& streams) const {
    double beginnings = 0;
    double share = 1;  // of the runs, that goes on
    double run = 0;
    for (std::size_t p = 0; p < runs.size(); p++) {
        const double mine = runs[p] > 0 ? std::max(runs[p], line_) : 0;
        if (mine > run && run > 0 && streams[p - 1] > followed_) {
            const double lost = share * std::min(1.0, streams[p - 1] / followed_ - 1);
            beginnings += lost / run;
            share -= lost;
        }
        run = std::max(run, mine);
    }
    return run > 0 ? beginnings + share / run : 0;
}

// Extents of what one iteration of a loop writes of the nest's own function.
void Footprints::find_own_extents(const NestFacts& nest, std::size_t position,
                                  std::vector<std::int64_t>& extents) const {
    const Function& f = facts_.graph().functions[nest.function];
    extents.resize(f.args.size());
    for (std::size_t d = 0; d < extents.size(); d++) {
        double points = 1;
        for (std::size_t i = 0; i < position; i++) {
            const int dim = nest.loops[i].site.loop.dim;
            const bool moves = nest.stores()[d].changes_with(dim);
            points *= moves ? nest.loops[i].trips : 1;
        }
        extents[d] = std::min(f.region[d].extent, static_cast<std::int64_t>(points));
    }
}

Footprints::Array Footprints::array(Source source, int index) const {
    const PipelineDag& graph = facts_.graph();
    const bool is_input = source == Source::Input;
    Array result{source, index, 1, {}, {}};
    result.element = is_input ? graph.inputs[index].type.bytes()
                              : static_cast<double>(graph.functions[index].bytes_per_point());
    if (!is_input && facts_.placement().store(index).kind == Level::Kind::At) {
        result.extents = facts_.bounds().stored(index);
    } else {
        for (const Range& range :
             is_input ? graph.inputs[index].region : graph.functions[index].region) {
            result.extents.push_back(range.extent);
        }
    }
    const int dense = facts_.placement().dense_dim(source, index);
    const auto dims = static_cast<int>(result.extents.size());
    if (dense < dims) {
        result.order.push_back(dense);
    }
    for (int d = 0; d < dims; d++) {
        if (d != dense) {
            result.order.push_back(d);
        }
    }
    return result;
}

// `extents`: of what is touched. What lies in neighbouring cache lines is one run.
Footprints::Layout Footprints::layout(const Array& array,
                                      const std::vector<std::int64_t>& extents) const {
    double stride = array.element;  // from one point to the next along the dimension
    Layout result{stride, 1, stride, 1};
    bool goes_on = true;
    double span = stride;  // within pages
    double places = 1;     // in a page, of beginnings of runs
    for (const int d : array.order) {
        if (stride < page_) {
            span += static_cast<double>(extents[d] - 1) * stride;
        } else {
            result.pages *= static_cast<double>(extents[d]);
        }
        if (stride - result.run < line_) {
            result.run += static_cast<double>(extents[d] - 1) * stride;
        } else {
            result.runs *= static_cast<double>(extents[d]);
            const auto apart = static_cast<double>(
                std::gcd(static_cast<std::int64_t>(stride), static_cast<std::int64_t>(page_)));
            places *= std::min(static_cast<double>(extents[d]), page_ / std::max(apart, line_));
        }
        // Padding between channels comes with them.
        const bool padded = array.extents[d] <= kChannels &&
                            stride * static_cast<double>(array.extents[d]) <= line_;
        stride *= static_cast<double>(array.extents[d]);
        result.contiguous *= goes_on ? static_cast<double>(extents[d]) : 1;
        goes_on = goes_on && (padded || extents[d] >= array.extents[d]);
    }
    result.pages *= 1 + span / page_;
    const double lines = std::ceil(result.run / line_);
    const double taken = std::min(1.0, places * lines * line_ / page_);  // of the sets
    result.crowded = result.runs * lines * line_ / taken;
    return result;
}

double Footprints::fresh_pages(const Regions& regions, const Array& array,
                               const std::vector<std::int64_t>& extents) const {
    double stride = array.element;
    double kept = 1;
    for (const int d : array.order) {
        const auto extent = static_cast<double>(extents[d]);
        const double move = std::abs(regions.loaded_advance(array.source, array.index, d));
        const double whole = stride < page_ ? std::max(page_ / stride, extent) : extent;
        kept *= std::max(0.0, 1 - move / whole);
        stride *= static_cast<double>(array.extents[d]);
    }
    return 1 - kept;
}

}  // namespace nestor
