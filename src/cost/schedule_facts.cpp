#include "cost/schedule_facts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>

#include "schedule/loops.h"
#include "schedule/tails.h"
#include "schedule/trips.h"

namespace nestor {

namespace {

LoopRun run_of(const LoopNest& nest, const LoopRef& loop) {
    if (nest.vector == loop) {
        return LoopRun::Vector;
    }
    if (nest.dot == loop) {
        return LoopRun::Dot;
    }
    if (std::ranges::count(nest.unrolled, loop) > 0) {
        return LoopRun::Unrolled;
    }
    return std::ranges::count(nest.parallel, loop) > 0 ? LoopRun::Parallel : LoopRun::Serial;
}

// Has loops of its own, in no others'.
bool is_at_root(const Placement& placement, int function) {
    return !placement.is_transparent(function) && placement.kind(function) != Placement::Kind::At;
}

}  // namespace

double NestFacts::iterations(std::size_t position) const {
    double count = executions;
    for (std::size_t i = position; i < loops.size(); i++) {
        count *= loops[i].trips;
    }
    return count;
}

double NestFacts::tasks(std::size_t position) const {
    double tasks = 1;
    for (std::size_t i = position; i < loops.size(); i++) {
        tasks *= loops[i].run == LoopRun::Parallel ? loops[i].trips : 1;
    }
    return tasks;
}

std::size_t NestFacts::innermost_rolled() const {
    std::size_t i = 0;
    while (i < loops.size() && (loops[i].is_none() || (loops[i].run != LoopRun::Serial &&
                                                       loops[i].run != LoopRun::Parallel))) {
        i++;
    }
    return i;
}

bool NestFacts::stores_change_with(int dim) const {
    return contains(expansion->stores_change, dim);
}

double NestFacts::lanes() const {
    for (const LoopFacts& loop : loops) {
        if (loop.run == LoopRun::Vector) {
            return loop.trips;
        }
    }
    return 1;
}

namespace {

SharedBounds of_running_cases(SharedBounds shared) {
    shared.of_running_cases = true;
    return shared;
}

}  // namespace

ScheduleFacts::ScheduleFacts(const PipelineDag& dag, const Schedule& schedule,
                             const Machine& machine, Expansions& expansions)
    : ScheduleFacts(dag, schedule, machine, expansions, SharedBounds()) {
    std::vector<int> roots;
    for (int f = 0; f < std::ssize(graph().functions); f++) {
        if (is_at_root(placement_, f)) {
            roots.push_back(f);
        }
    }
    add_nests(roots);
}

ScheduleFacts::ScheduleFacts(const PipelineDag& dag, const Schedule& schedule,
                             const Machine& machine, Expansions& expansions,
                             const SharedBounds& shared)
    : schedule_(schedule),
      machine_(machine),
      derived_(dag, schedule),
      placement_(*derived_, schedule),
      bounds_(placement_, of_running_cases(shared)),
      expansions_(expansions),
      nest_of_(schedule.functions.size()),
      slides_(schedule.functions.size()),
      open_slides_(schedule.functions.size()),
      block_strides_(schedule.functions.size()),
      storage_orders_(schedule.functions.size()),
      constant_strides_(schedule.functions.size()),
      allocated_bytes_(schedule.functions.size()) {}

void ScheduleFacts::add_nests(const std::vector<int>& roots) {
    // Consumers first: how often something runs depends on the loops around it.
    for (const int function : bounds_.consumers_first()) {
        add_nests_of(function, roots);
    }
    std::ranges::reverse(nests_);
    for (std::size_t i = 0; i < nests_.size(); i++) {
        nest_of_[nests_[i].function][nests_[i].stage] = static_cast<int>(i);
    }
    std::ranges::reverse(roots_);
}

void ScheduleFacts::add_nests_of(int function, const std::vector<int>& wanted) {
    const Function& f = graph().functions[function];
    nest_of_[function].assign(f.stages.size(), -1);
    const Placement::Kind kind = placement_.kind(function);
    if (placement_.is_transparent(function)) {
        add_open_slides_of_readers(function);
        return;
    }
    double executions = 1;
    double threads = 1;
    double imbalance = 1;
    int root = function;
    if (kind == Placement::Kind::At) {
        const LoopSite& site = schedule_.functions[function].compute.site;
        const int at = nest_of_[site.function][site.stage];
        if (at < 0) {
            return;  // computed at a loop of what is never computed, or not wanted
        }
        const NestFacts& around = nests_[at];
        root = around.root;
        std::size_t position = 0;
        while (position < around.loops.size() && around.loops[position].site.loop != site.loop) {
            position++;
        }
        executions = around.iterations(position);
        threads = threads_of(around, position);
        imbalance = imbalance_of(around, position);
    } else if (std::ranges::count(wanted, function) > 0) {
        roots_.push_back(function);
    } else {
        return;
    }
    if (kind == Placement::Kind::At) {
        add_open_slides_of_readers(function);
    }
    slides_[function] = find_slides(function);
    for (const Slide& slide : slides_[function]) {
        if (slide.open) {
            open_slides_[function].push_back(slide.loop);
        }
    }
    // Reversed with everything else at the end.
    for (int s = static_cast<int>(f.stages.size()) - 1; s >= 0; s--) {
        NestFacts facts;
        facts.function = function;
        facts.stage = s;
        const StageSchedule& stage = schedule_.functions[function].stages[s];
        facts.nest = &placement_.running_nest(function, s);
        facts.selected = has_selected(stage);
        facts.loops = loops_of(function, s);
        facts.executions = executions;
        facts.root = root;
        facts.threads_outside = threads;
        facts.threads = threads_of(facts, 0);
        facts.imbalance_outside = imbalance;
        facts.imbalance = imbalance_of(facts, 0);
        facts.expansion = &expansions_.of(placement_, function, s);
        nest_of_[function][s] = static_cast<int>(nests_.size());
        nests_.push_back(std::move(facts));
    }
}

// Threads that run iterations of the loop at a position of a nest at the same time.
double ScheduleFacts::threads_of(const NestFacts& nest, std::size_t position) const {
    return std::max(nest.threads_outside,
                    std::min<double>(nest.tasks(position), machine_.parallelism));
}

// Of the tasks that run iterations of the loop at a position of a nest.
double ScheduleFacts::imbalance_of(const NestFacts& nest, std::size_t position) const {
    const double tasks = nest.tasks(position);
    if (tasks <= 1 || nest.threads_outside > 1) {
        return nest.imbalance_outside;
    }
    const auto cores = static_cast<double>(std::max(1, machine_.parallelism));
    return std::ceil(tasks / cores) * std::min(tasks, cores) / tasks;
}

// Halide computes only what the iterations before have not, where the storage lies further out than
// the computation and the region moves with a serial loop between them.
std::vector<ScheduleFacts::Slide> ScheduleFacts::find_slides(int function) {
    std::vector<Slide> slides;
    if (placement_.kind(function) != Placement::Kind::At) {
        return slides;
    }
    const LoopSite& site = schedule_.functions[function].compute.site;
    const Level store = placement_.store(function);
    const bool same_nest = store.kind == Level::Kind::At && store.site.function == site.function &&
                           store.site.stage == site.stage;
    const NestFacts& around = nests_[nest_of_[site.function][site.stage]];
    const Regions& regions = bounds_.within(site);
    if (!regions.touches(Source::Function, function)) {
        return slides;
    }
    const std::vector<std::int64_t> extents = regions.extents(function);
    bool between = false;
    for (const LoopFacts& loop : around.loops) {
        between = between || loop.site.loop == site.loop;
        if (same_nest && loop.site.loop == store.site.loop) {
            break;
        }
        // Behind what begins with a whole window in the first iteration of this loop, nothing moves
        // in a way that Halide can prove.
        const bool is_behind = std::ranges::count(open_slides_[function], loop.site) > 0;
        if (!between || loop.run != LoopRun::Serial || is_behind) {
            continue;
        }
        // A loop whose last block is moved inwards begins no earlier for a window to fill: Halide
        // computes the first one in the first iteration, does not know how much that is in which
        // iteration, and so makes nothing of what is read there, nor folds it.
        const bool inwards = moves_inwards_at_end(loop.site);
        for (int d = 0; d < static_cast<int>(extents.size()); d++) {
            const Span span = regions.span(Source::Function, function, d);
            const double move = std::abs(span.rates[loop.site.loop.dim]) * loop.stride;
            const bool known =
                std::ranges::any_of(slides, [&](const Slide& s) { return s.dim == d; });
            // Half a row an iteration is none at some and one at others, of which Halide makes
            // nothing.
            if (!span.whole && !span.uneven && move > 0 && !known) {
                const bool open = inwards || begins_anywhere(function, d, site.function);
                slides.push_back({d, std::min(static_cast<double>(extents[d]), move), loop.trips,
                                  open, loop.site});
            }
        }
    }
    return slides;
}

bool ScheduleFacts::moves_inwards_at_end(const LoopSite& loop) {
    const std::vector<Split>& splits =
        splits_of(placement_.running_nest(loop.function, loop.stage), loop.loop.dim);
    const auto level = static_cast<std::size_t>(loop.loop.level);
    if (level >= splits.size()) {
        return false;
    }
    const StageDim& dim = bounds_.dims(loop.function, loop.stage)[loop.loop.dim];
    const std::int64_t known = level > 0             ? splits[level - 1].factor
                               : dim.constant_extent ? dim.extent
                                                     : 0;
    const bool is_exact = known > 0 && known % splits[level].factor == 0;
    return !is_exact && moves_inwards(resolved(splits[level].tail, dim.kind, loop.stage, level));
}

// Whether it begins at a multiple, and what reads it where the caller says: Halide does not see how
// much earlier the loop would have to begin.
bool ScheduleFacts::begins_anywhere(int function, int dim, int reader) const {
    return graph().functions[reader].is_output &&
           std::ranges::any_of(
               schedule_.functions[function].region_alignment,
               [&](const Alignment& each) { return each.dim == dim && each.elements > 1; });
}

// Of what reads it, or is computed or inlined in front of what does.
void ScheduleFacts::add_open_slides_of_readers(int function) {
    std::vector<LoopSite>& mine = open_slides_[function];
    for (const int reader : graph().functions[function].consumers) {
        std::ranges::copy_if(
            open_slides_[reader], std::back_inserter(mine),
            [&](const LoopSite& loop) { return std::ranges::count(mine, loop) == 0; });
    }
}

std::vector<LoopFacts> ScheduleFacts::loops_of(int function, int stage) {
    const LoopNest& nest = placement_.running_nest(function, stage);
    const Stage& definition = graph().functions[function].stages[stage];
    const std::vector<StageDim>& dims = bounds_.dims(function, stage);
    std::vector<LoopRef> usual;
    const std::vector<LoopRef>& order = loop_order(nest, dims, usual);
    // Of a vector, or a block that is not guarded, all is computed where fewer points are asked
    // for, too: of four rows at each step of what slides by one, three are computed again.
    const auto computes_all = [&](const LoopRef& loop, const Split& split, LoopRun run) {
        const LoopKind kind = dims[loop.dim].kind;
        return run == LoopRun::Vector ||
               !is_guard(resolved(split.tail, kind, stage, loop.level - 1));
    };
    std::vector<LoopFacts> loops;
    loops.reserve(order.size());
    for (const LoopRef& loop : order) {
        LoopFacts facts{{function, stage, loop},
                        run_of(nest, loop),
                        trip_count(nest, dims, loop),
                        static_cast<double>(loop_stride(nest, loop)),
                        has_constant_extent(dims, loop)};
        if (loop.level > 0) {
            const Split& split = nest.splits[loop.dim][loop.level - 1];
            if (computes_all(loop, split, facts.run)) {
                facts.trips = trip_count(nest, split.factor, loop);
                loops.push_back(facts);
                continue;
            }
        }
        for (const Slide& slide : slides_[function]) {
            const Loop& dim = definition.loops[loop.dim];
            if (!dim.is_reduction() && dim.position == slide.dim) {
                const auto steady = static_cast<std::int64_t>(std::ceil(slide.steady));
                const double later = trip_count(nest, steady, loop);
                facts.trips = (facts.trips + (slide.every - 1) * later) / slide.every;
            }
        }
        loops.push_back(facts);
    }
    return loops;
}

const NestFacts& ScheduleFacts::nest(int function, int stage) const {
    return nests_[nest_of_[function][stage]];
}

double whole_bytes(const Bounds& bounds, Source source, int index) {
    const PipelineDag& graph = bounds.placement().graph();
    if (source == Source::Input) {
        const Input& input = graph.inputs[index];
        double bytes = input.type.bytes();
        for (const Range& range : input.region) {
            bytes *= static_cast<double>(range.extent);
        }
        return bytes;
    }
    const Function& f = graph.functions[index];
    auto bytes = static_cast<double>(f.bytes_per_point());
    for (int d = 0; d < f.dimensions(); d++) {
        bytes *= static_cast<double>(bounds.whole_extent(index, d));
    }
    return bytes;
}

double bytes_at_root(const Bounds& bounds) {
    const Placement& placement = bounds.placement();
    double bytes = 0;
    for (int f = 0; f < static_cast<int>(placement.graph().functions.size()); f++) {
        if (is_at_root(placement, f)) {
            bytes += whole_bytes(bounds, Source::Function, f);
        }
    }
    for (int i = 0; i < static_cast<int>(placement.graph().inputs.size()); i++) {
        bytes += whole_bytes(bounds, Source::Input, i);
    }
    return bytes;
}

RootMemory root_memory(const Bounds& bounds) {
    const Placement& placement = bounds.placement();
    RootMemory memory;
    for (int f = 0; f < static_cast<int>(placement.graph().functions.size()); f++) {
        if (!is_at_root(placement, f) || placement.graph().functions[f].is_output) {
            continue;
        }
        const double bytes = whole_bytes(bounds, Source::Function, f);
        const double block = largest_block(placement.graph().functions[f], bytes);
        if (block <= RootMemory::kLargestKept) {
            memory.bytes += bytes;
            memory.largest = std::max(memory.largest, block);
        }
    }
    return memory;
}

double largest_block(const Function& f, double bytes) {
    int largest = 0;
    for (const ScalarType& type : f.types) {
        largest = std::max(largest, type.bytes());
    }
    return bytes * largest / static_cast<double>(std::max<std::int64_t>(f.bytes_per_point(), 1));
}

namespace {

// Bytes from which on a block has pages of its own (M_MMAP_THRESHOLD at first).
constexpr double kOwnPages = 128 << 10;

}  // namespace

bool RootMemory::is_given_back() const {
    constexpr double kPad = 128 << 10;  // bytes of the heap beyond what is asked for (M_TOP_PAD)
    return bytes + (largest < kOwnPages ? 0 : kPad) >= trim_threshold(largest);
}

double trim_threshold(double largest) {
    return largest < kOwnPages ? kOwnPages : 2 * largest;
}

double ScheduleFacts::whole_bytes(Source source, int index) const {
    return nestor::whole_bytes(bounds_, source, index);
}

double ScheduleFacts::everything() {
    if (!everything_) {
        everything_ = bytes_at_root(bounds_);
    }
    return *everything_;
}

double ScheduleFacts::innermost_runs(int function, int stage) const {
    const int at = nest_of_[function].empty() ? -1 : nest_of_[function][stage];
    if (at < 0) {
        return 0;
    }
    const NestFacts& nest = nests_[at];
    const std::size_t rolled = nest.innermost_rolled();
    return rolled < nest.loops.size() ? nest.iterations(rolled) : 0;
}

void ScheduleFacts::scale_executions(int function, int stage, double factor) {
    nests_[nest_of_[function][stage]].executions *= factor;
}

double ScheduleFacts::allocated_bytes(int function) {
    std::optional<double>& known = allocated_bytes_[function];
    if (!known) {
        known = find_allocated_bytes(function);
    }
    return *known;
}

bool ScheduleFacts::is_folded(int function, int dim) {
    if (const std::optional<Fold>& fold = schedule_.functions[function].fold) {
        return fold->dim == dim;
    }
    return std::ranges::any_of(slides_[function],
                               [&](const Slide& slide) { return slide.dim == dim; }) &&
           allocated_bytes(function) < static_cast<double>(bounds_.allocation_bytes(function));
}

double ScheduleFacts::find_allocated_bytes(int function) {
    auto bytes = static_cast<double>(bounds_.allocation_bytes(function));
    if (slides_[function].empty() || bytes == 0 || schedule_.functions[function].fold) {
        return bytes;
    }
    const std::vector<std::int64_t> stored = bounds_.stored(function);
    const std::vector<std::int64_t> computed =
        bounds_.within(schedule_.functions[function].compute.site).extents(function);
    for (const Slide& slide : slides_[function]) {
        if (slide.open) {
            continue;
        }
        const auto ring =
            static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(computed[slide.dim])));
        const auto whole = static_cast<double>(stored[slide.dim]);
        bytes *= std::min(ring, whole) / whole;
    }
    return bytes;
}

std::optional<Fold> ScheduleFacts::circular_buffer(int function) {
    if (schedule_.functions[function].fold) {
        return {};
    }
    std::optional<Fold> best;
    for (const Slide& slide : slides_[function]) {
        const std::int64_t computed =
            bounds_.within(schedule_.functions[function].compute.site).extents(function)[slide.dim];
        const auto tail = static_cast<std::int64_t>(slide.steady) - 1;
        const auto length = static_cast<std::uint64_t>(computed + std::max<std::int64_t>(0, tail));
        const Fold fold{slide.dim, static_cast<std::int64_t>(std::bit_ceil(length)), true};
        const double before = best ? folded_bytes(function, *best)
                                   : static_cast<double>(bounds_.allocation_bytes(function));
        if (folded_bytes(function, fold) < before) {
            best = fold;
        }
    }
    return best;
}

double ScheduleFacts::folded_bytes(int function, const Fold& fold) {
    const auto bytes = static_cast<double>(bounds_.allocation_bytes(function));
    const auto whole = static_cast<double>(bounds_.stored(function)[fold.dim]);
    return bytes * static_cast<double>(fold.factor) / whole;
}

std::int64_t ScheduleFacts::stride(Source source, int index, int dim) {
    const std::int64_t known = placement_.stride(source, index, dim);
    if (known != 0 || source == Source::Input || placement_.kind(index) != Placement::Kind::At) {
        return known;
    }
    std::optional<std::vector<std::int64_t>>& strides = block_strides_[index];
    if (!strides) {
        strides = strides_in_block(index);
    }
    return (*strides)[dim];
}

double ScheduleFacts::distance(Source source, int index, const std::vector<Coordinate>& coords,
                               int loop) {
    double elements = 0;
    for (int c = 0; c < std::ssize(coords); c++) {
        const double rate = coords[c].affine ? std::abs(coords[c].rates[loop]) : 0;
        elements += rate * static_cast<double>(stride(source, index, c));
    }
    return elements;
}

std::vector<std::int64_t> ScheduleFacts::strides_in_block(int function) {
    constexpr std::int64_t kFew = 64;
    std::vector<std::int64_t> strides(graph().functions[function].dimensions(), 0);
    const Level store = placement_.store(function);
    if (store.kind != Level::Kind::At || !schedule_.functions[function].alignment.empty()) {
        return strides;
    }
    const Regions& regions = bounds_.within(store.site);
    const std::vector<std::int64_t> extents = regions.extents(function);
    const std::vector<bool> constant = regions.constant(function);
    std::int64_t product = 1;
    for (const int dim : storage_order(function)) {
        strides[dim] = product;
        const bool slides = std::ranges::any_of(
            slides_[function], [&](const Slide& slide) { return slide.dim == dim; });
        if (extents.empty() || !constant[dim] || slides || product * extents[dim] > kFew) {
            break;
        }
        product *= extents[dim];
    }
    return strides;
}

const std::vector<int>& ScheduleFacts::storage_order(int function) {
    std::vector<int>& order = storage_orders_[function];
    const int dimensions = graph().functions[function].dimensions();
    if (order.empty()) {
        order = schedule_.functions[function].storage_order;
        for (int d = 0; d < dimensions; d++) {
            if (std::ranges::count(order, d) == 0) {
                order.push_back(d);
            }
        }
    }
    return order;
}

bool ScheduleFacts::stride_is_constant(int function, int dim) {
    std::vector<bool>& known = constant_strides_[function];
    if (known.empty()) {
        known = constant_strides(function);
    }
    return known[dim];
}

// [dimension]
std::vector<bool> ScheduleFacts::constant_strides(int function) {
    const Function& f = graph().functions[function];
    std::vector<bool> extents(f.dimensions(), false);
    const Level store = placement_.store(function);
    if (store.kind == Level::Kind::At) {
        extents = bounds_.within(store.site).constant(function);
    }
    std::vector<bool> strides(f.dimensions(), false);
    bool constant = true;  // the extents of all that are denser
    for (const int dim : storage_order(function)) {
        const bool is_known =
            f.is_output || dim == placement_.dense_dim(Source::Function, function);
        strides[dim] =
            is_known ? placement_.stride(Source::Function, function, dim) != 0 : constant;
        constant = constant && (extents[dim] || placement_.has_known_extent(function, dim));
    }
    return strides;
}

}  // namespace nestor
