#include "schedule/bounds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/divide.h"
#include "schedule/loops.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

// Of points, of which there are fewer than 2^63. std::floor() is a call where the target has no
// instruction for it.
bool is_whole(double value) {
    return value == static_cast<double>(static_cast<std::int64_t>(value));
}

// The multiples of `modulus` around a range; `known`: its minimum is the one that it says.
Range aligned_to(std::int64_t modulus, const Range& range, bool known) {
    if (modulus <= 1 || range.extent < 1) {
        return range;
    }
    const auto below = [&](std::int64_t a) { return a - ((a % modulus) + modulus) % modulus; };
    if (!known) {
        const std::int64_t most = range.extent == 1 ? 1 : (range.extent - 2) / modulus + 2;
        return {range.min - (modulus - 1), most * modulus};
    }
    const std::int64_t first = below(range.min);
    return {first, below(range.max() - first) + modulus};
}

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

bool move_alike(const Load& a, const Load& b) {
    return a.source == b.source && a.index == b.index &&
           std::ranges::equal(
               a.coords, b.coords, [](const Coordinate& mine, const Coordinate& other) {
                   return mine.affine == other.affine && mine.rates == other.rates &&
                          mine.steps == other.steps && mine.clamped_loops == other.clamped_loops;
               });
}

std::vector<Load> united(const std::vector<Load>& loads) {
    std::vector<Load> result;
    for (const Load& load : loads) {
        const auto same = std::ranges::find_if(
            result, [&](const Load& known) { return move_alike(known, load); });
        if (same == result.end()) {
            result.push_back(load);
            continue;
        }
        for (std::size_t c = 0; c < load.coords.size(); c++) {
            Coordinate& all = same->coords[c];
            all.offset_min = std::min(all.offset_min, load.coords[c].offset_min);
            all.offset_max = std::max(all.offset_max, load.coords[c].offset_max);
        }
    }
    return result;
}

}  // namespace

Regions::Regions(Bounds& bounds, const LoopSite& site)
    : bounds_(bounds),
      site_(site),
      touched_(bounds.shared_.memory),
      boxes_(bounds.shared_.memory),
      rates_(bounds.shared_.memory),
      steps_(bounds.shared_.memory),
      apart_(bounds.shared_.memory) {
    const PipelineDag& graph = bounds.placement().graph();
    dims_ = stage().loops.size();
    touched_.resize(graph.functions.size() + graph.inputs.size());
    boxes_.resize(bounds.first_dim_.back());
    rates_.resize(boxes_.size() * dims_);
    for (const int function : bounds.consumers_first()) {
        const bool own = function == site_.function;
        if (!own && !touched_[function]) {
            continue;
        }
        const Placement& placement = bounds.placement();
        const bool inside = own || placement.is_transparent(function) ||
                            placement.is_computed_inside(function, site_);
        if (touched_[function]) {
            widen_for_updates(function, inside);
        }
        if (!inside) {
            continue;
        }
        for (const int input : graph.functions[function].extern_inputs) {
            load_everything(input);
        }
        for (int s = 0; s < static_cast<int>(graph.functions[function].stages.size()); s++) {
            load(function, s);
        }
    }
}

const Stage& Regions::stage() const {
    return bounds_.placement().graph().functions[site_.function].stages[site_.stage];
}

std::size_t Regions::first_dim(Source source, int index) const {
    const std::size_t functions = bounds_.placement().graph().functions.size();
    return bounds_.first_dim_[source == Source::Function ? index : functions + index];
}

void Regions::load_everything(int function) {
    touched_[function] = true;
    const std::size_t first = first_dim(Source::Function, function);
    const std::size_t end = bounds_.first_dim_[function + 1];
    std::fill(boxes_.begin() + static_cast<std::ptrdiff_t>(first),
              boxes_.begin() + static_cast<std::ptrdiff_t>(end), Box{true, true, true, 0, 0});
}

void Regions::load(int consumer, int s) {
    const Stage& reader = bounds_.placement().graph().functions[consumer].stages[s];
    if (!reader.loads.empty() && iterations_of(consumer, s)) {
        const UnitedLoads* const united = bounds_.shared_.loads;
        for (const Load& load : united != nullptr ? united->of(consumer, s) : reader.loads) {
            add(load);
        }
    }
}

// The values that the loop variables of a stage take during one iteration of the site, in
// the scratch. False if it does not run there.
bool Regions::iterations_of(int consumer, int s) {
    const Function& f = bounds_.placement().graph().functions[consumer];
    const std::vector<Loop>& loops = f.stages[s].loops;
    std::vector<Box>& values = bounds_.scratch_.values;
    values.assign(loops.size(), {});
    bounds_.scratch_.rates.assign(loops.size() * dims_, 0);
    if (consumer == site_.function) {
        if (s == site_.stage) {
            set_tile();
        }
        return s == site_.stage;
    }
    const bool enlarged = !bounds_.placement().is_transparent(consumer);
    const std::size_t first = first_dim(Source::Function, consumer);
    for (std::size_t l = 0; l < loops.size(); l++) {
        const Loop& loop = loops[l];
        const auto fixed = [&](const Range& range, bool varies) {
            return Box{false, varies, false, static_cast<double>(range.min),
                       static_cast<double>(range.max())};
        };
        if (loop.is_reduction()) {
            values[l] = fixed(loop.range, !loop.constant_extent);
            continue;
        }
        const std::size_t at = first + loop.position;
        if (boxes_[at].whole) {
            values[l] = fixed(f.region[loop.position], true);
            values[l].anywhere = boxes_[at].anywhere && !enlarged;
        } else {
            values[l] = boxes_[at];
            std::copy_n(&rates_[at * dims_], dims_, &bounds_.scratch_.rates[l * dims_]);
        }
        if (enlarged) {
            const Range computed = aligned(consumer, loop.position);
            const std::int64_t stored =
                bounds_.with_tails(consumer, loop.position, computed.extent);
            values[l].lo = std::min(values[l].lo, static_cast<double>(computed.min));
            const std::int64_t modulus = bounds_.modulus(consumer, loop.position);
            values[l].multiple = modulus > 1 ? modulus : values[l].multiple;
            // What slides begins where the iteration before has ended.
            const double* const rates = &bounds_.scratch_.rates[l * dims_];
            if (values[l].multiple != 1 && bounds_.placement().slides(consumer) &&
                std::any_of(rates, rates + dims_, [](double rate) { return rate != 0; })) {
                values[l].multiple = 1;
            }
            values[l].hi = std::max(values[l].hi, values[l].lo + static_cast<double>(stored - 1));
        }
    }
    return true;
}

// The part of the site's own stage that one iteration of the site runs through.
void Regions::set_tile() {
    const Placement& placement = bounds_.placement();
    const std::vector<StageDim>& dims = bounds_.dims(site_.function, site_.stage);
    const bool at_root = placement.kind(site_.function) != Placement::Kind::At;
    std::vector<Part>& parts = bounds_.scratch_.parts;
    parts.assign(dims_, {.complete = true});
    for (const LoopNest* nest : placement.nests(site_.function, site_.stage)) {
        add_parts(*nest, dims);
    }
    steps_.resize(dims_);
    apart_.resize(dims_);
    for (std::size_t d = 0; d < dims_; d++) {
        const Loop& loop = stage().loops[d];
        const Part& part = parts[d];
        Box& box = bounds_.scratch_.values[d];
        const bool fixed = part.complete && (at_root || loop.is_reduction());
        steps_[d] = part.step;
        apart_[d] = part.apart;
        box.varies = part.varies;
        box.lo = fixed ? static_cast<double>(loop.range.min) : 0;
        box.hi = box.lo + static_cast<double>(part.extent - 1);
        box.multiple = multiple_of_tile(static_cast<int>(d));
        bounds_.scratch_.rates[d * dims_ + d] = fixed ? 0 : 1;
    }
}

std::int64_t Regions::multiple_of_tile(int l) const {
    const Loop& loop = stage().loops[l];
    if (!bounds_.shared_.of_running_cases || loop.is_reduction()) {
        return 1;
    }
    const std::int64_t multiple = bounds_.region_multiple(site_.function, loop.position);
    return multiple == 1
               ? 1
               : std::gcd(
                     multiple,
                     stride_around(bounds_.placement().running_nest(site_.function, site_.stage),
                                   bounds_.dims(site_.function, site_.stage), site_.loop, l));
}

// Of one nest of the site's stage, to those of all.
void Regions::add_parts(const LoopNest& nest, const std::vector<StageDim>& dims) {
    std::vector<Part>& mine = bounds_.scratch_.of_nest;
    mine.resize(dims_);
    for (std::size_t d = 0; d < dims_; d++) {
        mine[d] = {.outermost = split_count(nest, static_cast<int>(d)) + 1};
    }
    std::vector<LoopRef> usual;
    bool inside = true;
    for (const LoopRef& loop : loop_order(nest, dims, usual)) {
        inside = inside && loop != site_.loop;
        Part& part = mine[loop.dim];
        const std::int64_t stride = loop_stride(nest, loop);
        if (!inside) {
            part.step = std::gcd(part.step, stride);
            part.apart = std::gcd(part.apart, loop_extent(nest, dims, loop) > 1 ? stride : 0);
            continue;
        }
        part.extent += (loop_extent(nest, dims, loop) - 1) * stride;
        part.varies = part.varies || !has_constant_extent(dims, loop);
        part.outermost = std::min(part.outermost, loop.level);
        part.inside++;
    }
    for (std::size_t d = 0; d < dims_; d++) {
        Part& part = mine[d];
        const std::vector<Split>& splits = splits_of(nest, static_cast<int>(d));
        const int levels = static_cast<int>(splits.size());
        const bool contiguous = part.inside == levels + 1 - part.outermost;
        if (contiguous && part.outermost <= levels) {
            const std::int64_t whole =
                part.outermost == 0 ? dims[d].extent : splits[part.outermost - 1].factor;
            part.extent = stored_extent(whole, splits, dims[d].kind, site_.stage,
                                        static_cast<std::size_t>(part.outermost));
        }
        Part& all = bounds_.scratch_.parts[d];
        all.extent = std::max(all.extent, part.extent);
        all.complete = all.complete && contiguous && part.outermost == 0;
        all.varies = all.varies || part.varies;
        all.step = std::gcd(all.step, part.step);
        all.apart = std::gcd(all.apart, part.apart);
    }
}

void Regions::add(const Load& load) {
    const std::size_t first = first_dim(load.source, load.index);
    const std::size_t source = load.source == Source::Function
                                   ? load.index
                                   : bounds_.placement().graph().functions.size() + load.index;
    const bool known = touched_[source];
    touched_[source] = true;
    std::vector<double>& rates = bounds_.scratch_.of_load;
    rates.resize(dims_);
    for (std::size_t c = 0; c < load.coords.size(); c++) {
        const Coordinate& coordinate = load.coords[c];
        Box box{true, true, true, 0, 0, true};
        bool moves = false;  // else the rates are still those of another coordinate
        if (coordinate.affine) {
            box = {false, false, false, static_cast<double>(coordinate.offset_min),
                   static_cast<double>(coordinate.offset_max)};
            box.multiple = coordinate.clamped ? 1 : std::abs(coordinate.offset_min);
            for (std::size_t l = 0; l < bounds_.scratch_.values.size(); l++) {
                const double rate = coordinate.rates[l];
                if (rate == 0) {
                    continue;
                }
                add_along(coordinate, l, box);
                const double* const of_loop = &bounds_.scratch_.rates[l * dims_];
                for (std::size_t d = 0; d < dims_; d++) {
                    rates[d] = (moves ? rates[d] : 0) + rate * of_loop[d];
                }
                moves = true;
            }
            for (std::size_t d = 0; d < dims_ && moves && !box.uneven; d++) {
                box.uneven = !is_whole(rates[d] * static_cast<double>(steps_[d]));
            }
        }
        if (!moves) {
            std::ranges::fill(rates, 0);
        }
        if (known) {
            unite(first + c, box, rates.data());
        } else {
            boxes_[first + c] = box;
            std::ranges::copy(rates, &rates_[(first + c) * dims_]);
        }
    }
}

// Adds the values of a loop, by the coordinate's rate along it, to the others'.
void Regions::add_along(const Coordinate& coordinate, std::size_t l, Box& box) const {
    const double rate = coordinate.rates[l];
    const Box& values = bounds_.scratch_.values[l];
    // Halide proves no bound on the extent of x / 2 over a range of x that begins anywhere.
    const Steps steps = coordinate.steps_along(static_cast<int>(l));
    const double of_block = rate * steps.points;
    const bool in_blocks = steps.points > 1 && steps.rate == 0 && rate > 0 && is_whole(of_block) &&
                           values.multiple % steps.points == 0;
    const bool uneven = values.hi > values.lo && !is_whole(rate) && !in_blocks;
    // Nor on that of min(x, 1023), unless it is of a single point.
    const bool clamped = coordinate.is_clamped_along(static_cast<int>(l));
    const bool cut = clamped && (values.hi > values.lo || box.hi > box.lo);
    box.clamped = box.clamped || clamped;
    box.varies = box.varies || uneven || cut || values.varies;
    box.uneven = box.uneven || values.uneven;
    box.anywhere = box.anywhere || values.anywhere;
    if (in_blocks) {
        const double blocks = std::ceil((values.hi - values.lo + 1) / steps.points);
        box.lo += rate * values.lo;
        box.hi += rate * values.lo + of_block * (blocks - 1);
        box.multiple = std::gcd(
            box.multiple, static_cast<std::int64_t>(of_block) * (values.multiple / steps.points));
        return;
    }
    box.lo += rate * (rate >= 0 ? values.lo : values.hi);
    box.hi += rate * (rate >= 0 ? values.hi : values.lo);
    const bool moves_up = rate > 0 && is_whole(rate);
    box.multiple =
        moves_up ? std::gcd(box.multiple, static_cast<std::int64_t>(rate) * values.multiple) : 1;
}

void Regions::unite(std::size_t at, Box box, const double* rates) {
    Box& mine = boxes_[at];
    const bool anywhere = mine.anywhere || box.anywhere;
    if (mine.whole || box.whole) {
        mine = {true, true, true, 0, 0, anywhere};
        std::fill_n(&rates_[at * dims_], dims_, 0);
        return;
    }
    for (std::size_t d = 0; d < dims_; d++) {
        double& my_rate = rates_[at * dims_ + d];
        if (double its_rate = rates[d]; my_rate != its_rate) {
            cover_all_positions(d, mine, my_rate);
            cover_all_positions(d, box, its_rate);
        }
    }
    // Nor does Halide prove how far min(y + 5, 99) is from max(y - 5, 0).
    const bool same = mine.lo == box.lo && mine.hi == box.hi && mine.clamped == box.clamped;
    const bool cut = !same && (mine.clamped || box.clamped);
    mine.multiple = mine.lo < box.lo   ? mine.multiple
                    : box.lo < mine.lo ? box.multiple
                                       : std::gcd(mine.multiple, box.multiple);
    mine.lo = std::min(mine.lo, box.lo);
    mine.hi = std::max(mine.hi, box.hi);
    mine.varies = mine.varies || box.varies || cut;
    mine.uneven = mine.uneven || box.uneven;
    mine.anywhere = anywhere;
    mine.clamped = mine.clamped || box.clamped;
}

void Regions::cover_all_positions(std::size_t dim, Box& box, double& rate) const {
    const Range& range = stage().loops[dim].range;
    const double first = rate * static_cast<double>(range.min);
    const double last = rate * static_cast<double>(range.max());
    box.lo += std::min(first, last);
    box.hi += std::max(first, last);
    box.varies = true;
    box.multiple = 1;
    rate = 0;
}

// An update that addresses a dimension by something else than its pure variable may touch all of
// it.
void Regions::widen_for_updates(int function, bool computed_inside) {
    const Function& f = bounds_.placement().graph().functions[function];
    const std::size_t first = first_dim(Source::Function, function);
    for (std::size_t s = 1; s < f.stages.size(); s++) {
        for (int d = 0; d < f.dimensions(); d++) {
            const bool pure = std::ranges::any_of(f.stages[s].loops, [&](const Loop& loop) {
                return !loop.is_reduction() && loop.position == d;
            });
            const std::size_t at = first + d;
            if (!pure && !boxes_[at].whole) {
                double* const rates = rates_.data() + at * dims_;
                if (!computed_inside) {
                    loaded_.push_back({at, boxes_[at], {rates, rates + dims_}});
                }
                boxes_[at] = {true, true, true, 0, 0};
                std::fill_n(rates, dims_, 0);
            }
        }
    }
}

std::int64_t Regions::extent_of(const Box& box, std::int64_t whole) const {
    if (box.whole) {
        return whole;
    }
    return std::min(whole, static_cast<std::int64_t>(std::ceil(box.hi - box.lo) + 1));
}

bool Regions::touches(Source source, int index) const {
    const std::size_t functions = bounds_.placement().graph().functions.size();
    return touched_[source == Source::Function ? index : functions + index];
}

Span Regions::span_of(const Box& box, std::span<const double> rates) {
    return {box.whole, box.anywhere, box.lo, box.hi, box.varies, box.uneven, rates};
}

Span Regions::span(Source source, int index, int dim) const {
    const std::size_t at = first_dim(source, index) + dim;
    return span_of(boxes_[at], {rates_.data() + at * dims_, dims_});
}

const Regions::Loaded* Regions::before_widening(std::size_t at) const {
    const auto found = std::ranges::find(loaded_, at, &Loaded::at);
    return found == loaded_.end() ? nullptr : &*found;
}

Span Regions::loaded_span(Source source, int index, int dim) const {
    const Loaded* const before = before_widening(first_dim(source, index) + dim);
    if (before == nullptr) {
        return span(source, index, dim);
    }
    return span_of(before->box, before->rates);
}

std::int64_t Regions::extent(int function, int dim) const {
    return bounds_.with_tails(function, dim, aligned(function, dim).extent);
}

std::vector<std::int64_t> Regions::extents(int function) const {
    const Function& f = bounds_.placement().graph().functions[function];
    std::vector<std::int64_t> result;
    for (int d = 0; d < f.dimensions() && touches(Source::Function, function); d++) {
        result.push_back(extent(function, d));
    }
    return result;
}

// What is computed of a dimension, without tails. Where the loop puts it at other remainders from
// one iteration to the next, the worst of them.
Range Regions::aligned(int function, int dim) const {
    const std::size_t at = first_dim(Source::Function, function) + dim;
    const Range& whole = bounds_.placement().graph().functions[function].region[dim];
    const Box& box = boxes_[at];
    Range needed{box.whole ? whole.min : static_cast<std::int64_t>(std::floor(box.lo)),
                 extent_of(box, bounds_.needed_extent(Source::Function, function, dim))};
    const std::int64_t modulus = bounds_.modulus(function, dim);
    if (modulus <= 1) {
        return needed;
    }
    bool known = true;
    double first = 0;
    for (std::size_t d = 0; d < dims_; d++) {
        const double rate = rates_[at * dims_ + d];
        first += rate * static_cast<double>(stage().loops[d].range.min);
        known = known &&
                std::fmod(rate * static_cast<double>(apart_[d]), static_cast<double>(modulus)) == 0;
    }
    const auto shift = static_cast<std::int64_t>(std::floor(first));
    needed.min += shift;
    needed = aligned_to(modulus, needed, known);
    needed.min -= shift;
    return needed;
}

std::vector<bool> Regions::constant(int function) const {
    const Function& f = bounds_.placement().graph().functions[function];
    std::vector<bool> result(f.args.size(), false);
    if (touches(Source::Function, function)) {
        const std::size_t first = first_dim(Source::Function, function);
        for (int d = 0; d < f.dimensions(); d++) {
            result[d] = !boxes_[first + d].varies && bounds_.modulus(function, d) == 1;
        }
    }
    return result;
}

std::int64_t Regions::loaded_extent(Source source, int index, int dim) const {
    const std::size_t at = first_dim(source, index) + dim;
    const Loaded* const before = before_widening(at);
    return extent_of(before == nullptr ? boxes_[at] : before->box,
                     bounds_.needed_extent(source, index, dim));
}

double Regions::advance(Source source, int index, int dim) const {
    return advance_of(span(source, index, dim));
}

double Regions::loaded_advance(Source source, int index, int dim) const {
    return advance_of(loaded_span(source, index, dim));
}

double Regions::advance_of(const Span& span) const {
    const LoopNest& nest = bounds_.placement().running_nest(site_.function, site_.stage);
    return span.rates[site_.loop.dim] * static_cast<double>(loop_stride(nest, site_.loop));
}

UnitedLoads::UnitedLoads(const PipelineDag& graph) {
    for (const Function& f : graph.functions) {
        std::vector<std::vector<Load>>& mine = loads_.emplace_back();
        for (const Stage& stage : f.stages) {
            mine.push_back(united(stage.loads));
        }
    }
}

std::vector<int> consumers_first(const PipelineDag& graph) {
    std::vector<int> order = topological_order(graph);
    std::ranges::reverse(order);
    return order;
}

Bounds::Bounds(const Placement& placement, const SharedBounds& shared)
    : placement_(placement),
      shared_(shared),
      regions_(placement.graph().functions.size()),
      dims_(placement.graph().functions.size()),
      splits_(placement.graph().functions.size()) {
    const PipelineDag& graph = placement.graph();
    if (shared_.consumers_first == nullptr) {
        own_order_ = nestor::consumers_first(graph);
    }
    std::size_t next = 0;
    for (const Function& f : graph.functions) {
        first_dim_.push_back(next);
        next += f.args.size();
    }
    for (const Input& input : graph.inputs) {
        first_dim_.push_back(next);
        next += input.region.size();
    }
    first_dim_.push_back(next);
    find_extra_points();
}

std::int64_t Bounds::region_multiple(int function, int dim) const {
    if (const std::int64_t aligned = modulus(function, dim); aligned > 1) {
        return aligned;
    }
    const Function& f = placement_.graph().functions[function];
    const Specialization* const running =
        f.is_output && f.stages.size() == 1 ? placement_.running_case(function, 0) : nullptr;
    std::int64_t known = 1;
    if (running != nullptr) {
        for (const ExtentCondition& each : running->when) {
            const bool is_of_it = each.dim == dim && each.output_for(function) == function;
            known = is_of_it ? std::lcm(known, each.multiple) : known;
        }
    }
    return known;
}

// What is aligned, or rounded up to whole vectors, needs more of its producers, unless that is
// clamped.
void Bounds::find_extra_points() {
    const PipelineDag& graph = placement_.graph();
    const auto computes_more = [&](int function) {
        const std::vector<Range>& region = graph.functions[function].region;
        for (int d = 0; d < std::ssize(region); d++) {
            if (computed_extent(function, d, region[d]) > region[d].extent) {
                return true;
            }
        }
        return false;
    };
    const std::vector<int>& order = consumers_first();
    auto consumer = std::ranges::find_if(order, computes_more);
    if (consumer == order.end()) {
        return;
    }
    extra_points_.assign(first_dim_.back(), 0);
    for (; consumer != order.end(); ++consumer) {
        const Function& f = graph.functions[*consumer];
        const std::size_t first = first_dim_[*consumer];
        bool any = false;
        for (int d = 0; d < f.dimensions(); d++) {
            std::int64_t& extra = extra_points_[first + d];
            const Range needed{f.region[d].min, f.region[d].extent + extra};
            extra = computed_extent(*consumer, d, needed) - f.region[d].extent;
            any = any || extra > 0;
        }
        for (const Stage& stage : f.stages) {
            for (const Load& load : stage.loads) {
                if (any) {
                    add_extra_points(stage, first, load);
                }
            }
        }
    }
}

std::int64_t Bounds::computed_extent(int function, int dim, const Range& needed) const {
    constexpr std::int64_t kFew = 16;  // of more points, what a tail adds is too little to matter
    const std::int64_t extent = aligned_to(modulus(function, dim), needed, true).extent;
    const bool has_tails = extent <= kFew && !placement_.graph().functions[function].is_output &&
                           !placement_.is_transparent(function);
    return has_tails ? with_tails(function, dim, extent) : extent;
}

void Bounds::add_extra_points(const Stage& stage, std::size_t consumer, const Load& load) {
    const std::size_t source = load.source == Source::Function
                                   ? load.index
                                   : placement_.graph().functions.size() + load.index;
    for (std::size_t c = 0; c < load.coords.size(); c++) {
        const Coordinate& coordinate = load.coords[c];
        double more = 0;
        for (std::size_t l = 0; l < coordinate.rates.size() && coordinate.affine; l++) {
            const Loop& loop = stage.loops[l];
            more += loop.is_reduction()
                        ? 0
                        : std::abs(coordinate.rates[l]) *
                              static_cast<double>(extra_points_[consumer + loop.position]);
        }
        std::int64_t& extra = extra_points_[first_dim_[source] + c];
        extra = coordinate.clamped ? extra : std::max(extra, static_cast<std::int64_t>(more));
    }
}

std::int64_t Bounds::needed_extent(Source source, int index, int dim) const {
    const PipelineDag& graph = placement_.graph();
    const bool is_input = source == Source::Input;
    const Range& range =
        is_input ? graph.inputs[index].region[dim] : graph.functions[index].region[dim];
    const std::size_t at = is_input ? graph.functions.size() + index : index;
    return range.extent + (extra_points_.empty() ? 0 : extra_points_[first_dim_[at] + dim]);
}

const Regions& Bounds::within(const LoopSite& site) {
    const auto find = [&]() -> const Regions* {
        const std::vector<KnownRegions>& known = regions_[site.function];
        const auto found = std::ranges::find(known, site, &KnownRegions::site);
        return found == known.end() ? nullptr : found->regions.get();
    };
    if (const Regions* known = find()) {
        return *known;
    }
    // These want the regions of the loops around it, and there is one scratch for all.
    static_cast<void>(dims(site.function, site.stage));
    regions_[site.function].push_back(
        {site, std::unique_ptr<const Regions>(new Regions(*this, site))});
    return *regions_[site.function].back().regions;
}

std::vector<std::int64_t> Bounds::stored(int function) {
    const Level level = placement_.store(function);
    return level.kind == Level::Kind::At ? within(level.site).extents(function)
                                         : whole_region(function);
}

std::int64_t Bounds::allocation_bytes(int function) {
    const Function& f = placement_.graph().functions[function];
    const Placement::Kind kind = placement_.kind(function);
    if (f.is_output || kind == Placement::Kind::Inlined) {
        return 0;
    }
    if (kind == Placement::Kind::AtEachUse) {
        return points_at_each_use(f) * f.bytes_per_point();
    }
    std::vector<std::int64_t> extents = stored(function);
    if (extents.empty() && f.dimensions() > 0) {
        return 0;
    }
    const FunctionSchedule& s = placement_.schedule().functions[function];
    if (s.fold) {
        extents[s.fold->dim] = s.fold->factor;
    }
    for (const Alignment& a : s.alignment) {
        extents[a.dim] = divide_up(extents[a.dim], a.elements) * a.elements;
    }
    for (const Alignment& a : s.storage_bounds) {
        extents[a.dim] = a.elements;
    }
    std::int64_t bytes = f.bytes_per_point();
    for (const std::int64_t extent : extents) {
        bytes *= extent;
    }
    return bytes;
}

std::vector<std::int64_t> Bounds::whole_region(int function) const {
    const Function& f = placement_.graph().functions[function];
    std::vector<std::int64_t> extents;
    for (int d = 0; d < f.dimensions(); d++) {
        extents.push_back(whole_extent(function, d));
    }
    return extents;
}

std::int64_t Bounds::whole_extent(int function, int dim) const {
    return with_tails(function, dim, needed_extent(Source::Function, function, dim));
}

const std::vector<StageDim>& Bounds::dims(int function, int stage) {
    std::vector<std::optional<std::vector<StageDim>>>& known = dims_[function];
    if (known.empty()) {
        known.resize(placement_.graph().functions[function].stages.size());
    }
    if (!known[stage]) {
        known[stage] = make_dims(function, stage);
    }
    return *known[stage];
}

std::vector<StageDim> Bounds::make_dims(int function, int stage) {
    std::vector<StageDim> dims = placement_.dims(function, stage);
    const std::vector<Loop>& loops = placement_.graph().functions[function].stages[stage].loops;
    if (placement_.kind(function) != Placement::Kind::At) {
        for (std::size_t d = 0; d < dims.size() && !extra_points_.empty(); d++) {
            if (!loops[d].is_reduction()) {
                dims[d].extent += extra_points_[first_dim_[function] + loops[d].position];
            }
        }
        return dims;
    }
    const Regions& around = within(placement_.schedule().functions[function].compute.site);
    if (!around.touches(Source::Function, function)) {
        return dims;
    }
    for (std::size_t d = 0; d < dims.size(); d++) {
        if (!loops[d].is_reduction()) {
            const Span span = around.span(Source::Function, function, loops[d].position);
            dims[d].extent = around.extent(function, loops[d].position);
            dims[d].constant_extent = !span.whole && !span.varies;
        }
    }
    return dims;
}

std::int64_t Bounds::modulus(int function, int dim) const {
    for (const Alignment& a : placement_.schedule().functions[function].region_alignment) {
        if (a.dim == dim) {
            return a.elements;
        }
    }
    return 1;
}

std::int64_t Bounds::with_tails(int function, int dim, std::int64_t extent) const {
    std::optional<std::vector<SplitStage>>& mine = splits_[function];
    if (!mine) {
        mine = find_splits(function);
    }
    std::int64_t result = extent;
    for (const SplitStage& split : *mine) {
        if (split.dim == dim) {
            result =
                std::max(result, stored_extent(extent, *split.splits, LoopKind::Pure, split.stage));
        }
    }
    return result;
}

std::vector<Bounds::SplitStage> Bounds::find_splits(int function) const {
    const Function& f = placement_.graph().functions[function];
    std::vector<SplitStage> result;
    for (int s = 0; s < static_cast<int>(f.stages.size()); s++) {
        for (int l = 0; l < static_cast<int>(f.stages[s].loops.size()); l++) {
            const Loop& loop = f.stages[s].loops[l];
            if (loop.is_reduction()) {
                continue;
            }
            for (const LoopNest* nest : placement_.nests(function, s)) {
                const std::vector<Split>& splits = splits_of(*nest, l);
                if (!splits.empty()) {
                    result.push_back({loop.position, &splits, s});
                }
            }
        }
    }
    return result;
}

}  // namespace nestor
