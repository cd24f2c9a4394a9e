#include "cost/accesses.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cost/multiples.h"
#include "cost/registers.h"

namespace nestor {

namespace {

// A block that is loaded along one of its sides and used along the other is transposed in
// registers: each vector takes as many shuffles as its length has halves. Farther apart than that,
// elements would be no block of registers any more.
constexpr double kWidestBlock = 64;
constexpr double kShuffle = 1;  // cycles
// Of what is gathered, elements of a block in memory, all of which the body's copies load: their
// places are constants (0.7 cycles an element of floats, 0.6 of bytes, at every 16th to 48th;
// Sapphire Rapids. Zen 4: 0.45 of floats at every eighth).
constexpr double kOfBlock = 0.25;
// Without masks for single elements, each takes an insertion beside its load.
constexpr double kOfBlockInserted = 0.5;

// Of what is gathered, elements that go through runs of their own into sums in registers: their
// places are known without a vector of indices, and their cache lines stay (an argmax of 16 runs of
// floats: 0.7 cycles an element, Zen 5).
constexpr double kOwnRuns = 0.25;
constexpr double kShortestRun = 16;  // points: a cache line of floats

// Of what is gathered, elements of a table that the first cache holds: they wait for no cache line,
// and their throughput was measured in such code, while `kStalls` (compute.cpp) counts for all
// loads (bytes: 2.1 cycles an element in the profile, 1.4 in camera_pipe, with all else; Zen 4).
constexpr double kOfTable = 0.625;
constexpr double kTable = 0.5;  // of the first cache, at most

// 2, 3 or 4, which are measured for each machine.
constexpr double kFarthestNear = 4;
bool is_near(double rate) {
    return rate == 2 || rate == 3 || rate == kFarthestNear;
}

// A half, a third...: what stays for so many points. Of other fractions (x / 1.7), nothing is
// known.
bool is_part(double points) {
    const double stays = 1 / std::abs(points);
    return stays > 1 && std::abs(stays - std::round(stays)) < 1e-6;
}

Stride near_stride(double rate) {
    return static_cast<Stride>(static_cast<int>(rate) - 2);
}

}  // namespace

Accesses::Accesses(ScheduleFacts& facts, const NestFacts& nest, const Body& body)
    : facts_(facts), machine_(facts.machine()), nest_(nest), body_(body) {}

Access Accesses::load(const Family& family, ElementType type, double lanes) const {
    const Elements elements{family.source, family.index, family.coords, family.box, family.members};
    return body_.dot_dim >= 0 ? with_steps(elements, type, lanes)
                              : one(elements, type, lanes, false);
}

Access Accesses::own(ElementType type, double lanes, bool store) const {
    return one({Source::Function, nest_.function, nest_.stores(), {}, 1}, type, lanes, store);
}

// Elements next to each other.
Access Accesses::whole(ElementType type, double lanes, bool store) const {
    const ByWidth<Quantity>& port = store ? machine_.store : machine_.load;
    if (lanes <= 1) {
        return {port[Width::Scalar].value_or(0.5), 1};
    }
    const Instructions all = instructions(machine_, type, lanes);
    return {all.count * port[all.width].value_or(1), all.count};
}

// Parts of one, too, since the shuffles of strided elements that are measured for a whole one are
// of several registers; but no instruction has fewer than 16 bytes (eight bytes at every third: 2
// cycles on a Sapphire Rapids, 1 by the part of the natural vector).
double Accesses::natural_vectors(ElementType type, double lanes) const {
    constexpr double kLeastBytes = 16;
    const double bytes = lanes * bytes_of(type);
    return std::max(bytes, kLeastBytes) / machine_.vector_bytes[type].value_or(bytes);
}

// One element, for all lanes of a vector if there is one: a load of that width.
Access Accesses::spread(ElementType type) const {
    const double lanes = body_.vector_dim >= 0 ? body_.lanes : 1;
    return {machine_.load[instructions(machine_, type, lanes).width].value_or(0.5), 1};
}

Access Accesses::one(const Elements& elements, ElementType type, double lanes, bool store) const {
    const std::vector<Coordinate>& coords = elements.coords;
    if (lanes <= 1) {
        return store ? whole(type, lanes, store) : spread(type);
    }
    const Access dense = whole(type, lanes, store);
    double rate = 0;
    double shuffles = 0;  // that repeat a part of the vector
    bool scattered = false;
    bool known = true;  // where the elements are, by no vector of indices
    bool even = true;   // all at the same distance: not those of f(x * 1.5)
    for (std::size_t c = 0; c < coords.size(); c++) {
        if (!coords[c].changes_with(body_.vector_dim)) {
            continue;
        }
        if (!coords[c].affine) {
            scattered = true;
            known = false;
            continue;
        }
        double points = coords[c].rates[body_.vector_dim] * body_.apart;  // from lane to lane
        if (const Steps steps = coords[c].steps_along(body_.vector_dim); is_far(steps, points)) {
            // Several steps of what is no neighbour in memory are gathered (lerps of a grid of sums
            // and counts at x / 8).
            const bool several = steps.points < body_.lanes;
            if (!knows(steps) || (several && stride(elements, c) != 1)) {
                scattered = true;
                known = false;
                continue;
            }
            points = steps.rate;
            shuffles += several ? dense.instructions : 0;
        }
        if (points != 0) {
            even = even && points == std::floor(points);
            const double step = stride(elements, c);
            const bool between = is_part(points) && step != 1;
            scattered = scattered || step == 0 || rate != 0 || between;
            known = known && !between;
            rate = std::abs(points) * step;
        }
    }
    if (!scattered && (rate == 0 || rate == 1)) {
        const Access once = rate == 0 ? spread(type) : dense;
        return {once.cycles + kShuffle * shuffles, once.instructions + shuffles};
    }
    const double scalar_store = machine_.store[Width::Scalar].value_or(0.5);
    const double one_by_one =
        lanes *
        (store ? 2 * scalar_store : machine_.gathered(type, lanes) * waits(elements, known));
    // Sums are loaded between the stores of unrolled copies, which Halide then does not make one of
    // (nl_means, four channels of sums next to each other: 164 ms instead of 29, Zen 4).
    const Stage& stage = facts_.graph().functions[nest_.function].stages[nest_.stage];
    const bool interleaves = !(store && stage.reads_itself);
    if (!scattered && is_near(rate) && (!store || (interleaves && all_between(elements, rate)))) {
        const Quantity& near = store ? machine_.interleave[type][near_stride(rate)]
                                     : machine_.strided_load[type][near_stride(rate)];
        return {natural_vectors(type, lanes) * near.value_or(one_by_one), 3 * dense.instructions};
    }
    if (!scattered && interleaves && rate > 1 && rate <= kWidestBlock &&
        all_between(elements, rate)) {
        if (store || is_shuffled(elements)) {
            const double each = dense.instructions * std::log2(std::max(2.0, lanes));
            return {dense.cycles + kShuffle * each, dense.instructions + each};
        }
        const double of_block = machine_.masked_bytes() == 1 ? kOfBlock : kOfBlockInserted;
        return {std::min(far_apart(elements, type, lanes, rate), of_block * one_by_one), lanes};
    }
    if (!scattered && even && !store && rate > kFarthestNear) {
        const double apart = far_apart(elements, type, lanes, rate);
        if (apart < one_by_one) {
            return {apart, 3 * dense.instructions, false, true};
        }
    }
    return {one_by_one, 2 * lanes, true};
}

// Cycles to load elements that are more than four from each other. Halide loads all that lies
// between them and takes it apart, so that its bytes count, as at a stride of four; what was
// measured there for a machine loads all of them, each once. Where only some are wanted, it takes
// twice as long (Zen 4, cycles an element at 4, 8, 16 and 32: bytes 0.13, 0.25, 0.58, 1.0, floats
// 0.53, 1.0, 2.2, 2.4, which is a gather; of bytes that are all wanted 0.09, 0.10, 0.20, of floats
// 0.20, 0.45, 0.60).
double Accesses::far_apart(const Elements& elements, ElementType type, double lanes,
                           double rate) const {
    constexpr double kAlone = 2;
    constexpr double kNever = std::numeric_limits<double>::infinity();  // not measured
    double wanted = 1;
    for (std::size_t c = 0; c < elements.box.size(); c++) {
        const double distance = stride(elements, c);
        wanted *= distance > 0 && distance < rate ? elements.box[c] : 1;
    }
    const double all = machine_.strided_load[type][Stride::Four].value_or(kNever);
    return natural_vectors(type, lanes) * all * (rate / kFarthestNear) *
           (std::min(wanted, elements.members) >= rate ? 1 : kAlone);
}

Access Accesses::with_steps(const Elements& elements, ElementType type, double lanes) const {
    const Access dense = whole(type, lanes, false);
    const double apart = lanes <= 1 ? 1 : apart_with_steps(elements);
    if (apart == 1) {
        return dense;
    }
    const double one_by_one = lanes * machine_.gathered(type, lanes);
    if (is_near(apart)) {
        const ElementType together = integer_of(bytes_of(type) * body_.steps_in_vector);
        const Quantity& near = machine_.strided_load[together][near_stride(apart)];
        return {dense.instructions * near.value_or(one_by_one), 3 * dense.instructions};
    }
    return {one_by_one, 2 * lanes, true};
}

// How far the lanes of a vector are from each other in memory, in units of the steps that are next
// to each other there; 0: the steps are not, or it is not known.
double Accesses::apart_with_steps(const Elements& elements) const {
    const std::vector<Coordinate>& coords = elements.coords;
    double between_steps = 0;
    double between_lanes = 0;
    for (std::size_t c = 0; c < coords.size(); c++) {
        const double step = coords[c].rates[body_.dot_dim];
        const double lane = body_.vector_dim >= 0 ? coords[c].rates[body_.vector_dim] : 0;
        if (!coords[c].affine) {
            return 0;
        }
        if (step == 0 && lane == 0) {
            continue;
        }
        const double distance = stride(elements, c);
        if (distance == 0) {
            return 0;
        }
        between_steps += step * distance;
        between_lanes += lane * distance;
    }
    if (between_steps == 0) {
        return between_lanes;
    }
    if (between_steps != 1) {
        return 0;
    }
    return between_lanes == 0 ? 1 : between_lanes / body_.steps_in_vector;
}

// The share of a gather from memory that such a one takes. `known`: places without a vector of
// indices.
double Accesses::waits(const Elements& elements, bool known) const {
    if (known) {
        return along_runs(elements) ? kOwnRuns : 1;
    }
    return facts_.whole_bytes(elements.source, elements.index) <= kTable * machine_.l1.bytes.value
               ? kOfTable
               : 1;
}

// Whether each element of a vector goes through neighbours of its own in the innermost loop, all in
// one row, while nothing is written.
bool Accesses::along_runs(const Elements& elements) const {
    const std::vector<Coordinate>& coords = elements.coords;
    const auto dense =
        static_cast<std::size_t>(facts_.placement().dense_dim(elements.source, elements.index));
    if (body_.rolled >= nest_.loops.size() || dense >= coords.size() || !coords[dense].affine) {
        return false;
    }
    const int loop = nest_.loops[body_.rolled].site.loop.dim;
    const Stage& stage = facts_.graph().functions[nest_.function].stages[nest_.stage];
    const std::vector<double>& rates = coords[dense].rates;
    return stage.loops[loop].is_reduction() && !nest_.stores_change_with(loop) &&
           std::abs(rates[loop]) == 1 && std::abs(rates[body_.vector_dim]) >= kShortestRun;
}

// Of what is loaded, made of registers. Of what is in memory, each element is a load by itself, but
// none that waits for its place, as a gather's does (see kOfBlock).
bool Accesses::is_shuffled(const Elements& elements) const {
    return elements.source == Source::Function && is_stored_at_known_places(facts_, elements.index);
}

// Whether copies of the body access all elements between those of a vector that lie `rate` elements
// from each other: they become whole vectors then.
bool Accesses::all_between(const Elements& elements, double rate) const {
    double accessed = 1;
    for (const Copies& copies : body_.copies) {
        const double distance = copies.stride * facts_.distance(elements.source, elements.index,
                                                                elements.coords, copies.dim);
        accessed *= distance > 0 && distance < rate ? copies.count : 1;
    }
    return accessed >= rate;
}

// Whether the compiler does, in vectors that begin at a multiple and are so many blocks, or such a
// part of one.
bool Accesses::knows(const Steps& steps) const {
    const Loop& along =
        facts_.graph().functions[nest_.function].stages[nest_.stage].loops[body_.vector_dim];
    const auto lanes = static_cast<std::int64_t>(body_.lanes);
    if (steps.points <= 1 || lanes < 1 ||
        (lanes % steps.points != 0 && steps.points % lanes != 0)) {
        return false;
    }
    const std::int64_t from = along.is_reduction()
                                  ? along.range.min
                                  : known_multiple(facts_, nest_.function, along.position);
    return from % std::min<std::int64_t>(lanes, steps.points) == 0;
}

double Accesses::stride(const Elements& elements, std::size_t dim) const {
    return static_cast<double>(
        facts_.stride(elements.source, elements.index, static_cast<int>(dim)));
}

}  // namespace nestor
