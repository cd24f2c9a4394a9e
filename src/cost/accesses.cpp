#include "cost/accesses.h"

#include <algorithm>
#include <cmath>

namespace nestor {

namespace {

// A block that is loaded along one of its sides and used along the other is transposed in
// registers: each vector takes as many shuffles as its length has halves. Farther apart than that,
// elements would be no block of registers any more.
constexpr double kWidestBlock = 64;
constexpr double kShuffle = 1;  // cycles

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

// 2, 3 or 4, for which there are instructions.
bool is_near(double rate) {
    return rate == 2 || rate == 3 || rate == 4;
}

Stride near_stride(double rate) {
    return static_cast<Stride>(static_cast<int>(rate) - 2);
}

}  // namespace

Accesses::Accesses(ScheduleFacts& facts, const NestFacts& nest, const Body& body)
    : facts_(facts), machine_(facts.machine()), nest_(nest), body_(body) {}

Access Accesses::load(Source source, int index, const std::vector<Coordinate>& coords,
                      ElementType type, double lanes) const {
    return body_.dot_dim >= 0 ? with_steps(source, index, coords, type, lanes)
                              : one(source, index, coords, type, lanes, false);
}

Access Accesses::own(ElementType type, double lanes, bool store) const {
    return one(Source::Function, nest_.function, nest_.stores(), type, lanes, store);
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

// Parts of one, too: what shuffles of strided elements are measured for, several in a register.
double Accesses::natural_vectors(ElementType type, double lanes) const {
    const double bytes = lanes * bytes_of(type);
    return bytes / machine_.vector_bytes[type].value_or(bytes);
}

// One element, for all lanes of a vector if there is one: a load of that width.
Access Accesses::spread(ElementType type) const {
    const double lanes = body_.vector_dim >= 0 ? body_.lanes : 1;
    return {machine_.load[instructions(machine_, type, lanes).width].value_or(0.5), 1};
}

Access Accesses::one(Source source, int index, const std::vector<Coordinate>& coords,
                     ElementType type, double lanes, bool store) const {
    if (lanes <= 1) {
        return store ? whole(type, lanes, store) : spread(type);
    }
    const Access dense = whole(type, lanes, store);
    double rate = 0;
    double shuffles = 0;  // that repeat a part of the vector
    bool scattered = false;
    bool known = true;  // where the elements are, by no vector of indices
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
            if (!knows(steps)) {
                scattered = true;
                known = false;
                continue;
            }
            points = steps.rate;
            shuffles += steps.points < body_.lanes ? dense.instructions : 0;
        }
        if (points != 0) {
            const double step = stride(source, index, c);
            scattered = scattered || step == 0 || rate != 0;
            rate = std::abs(points) * step;
        }
    }
    if (!scattered && (rate == 0 || rate == 1)) {
        const Access once = rate == 0 ? spread(type) : dense;
        return {once.cycles + kShuffle * shuffles, once.instructions + shuffles};
    }
    const double gathered = machine_.gathered(type, lanes);
    const double scalar_store = machine_.store[Width::Scalar].value_or(0.5);
    const double elements =
        lanes * (store ? 2 * scalar_store : gathered * waits(source, index, coords, known));
    // Sums are loaded between the stores of unrolled copies, which Halide then does not make one of
    // (nl_means, four channels of sums next to each other: 164 ms instead of 29, Zen 4).
    const Stage& stage = facts_.graph().functions[nest_.function].stages[nest_.stage];
    const bool interleaves = !(store && stage.reads_itself);
    if (!scattered && is_near(rate) &&
        (!store || (interleaves && all_between(source, index, coords, rate)))) {
        const Quantity& near = store ? machine_.interleave[type][near_stride(rate)]
                                     : machine_.strided_load[type][near_stride(rate)];
        return {natural_vectors(type, lanes) * near.value_or(elements), 3 * dense.instructions};
    }
    if (!scattered && interleaves && rate > 1 && rate <= kWidestBlock &&
        all_between(source, index, coords, rate)) {
        const double shuffles = dense.instructions * std::log2(std::max(2.0, lanes));
        return {dense.cycles + kShuffle * shuffles, dense.instructions + shuffles};
    }
    return {elements, 2 * lanes, true};
}

Access Accesses::with_steps(Source source, int index, const std::vector<Coordinate>& coords,
                            ElementType type, double lanes) const {
    const Access dense = whole(type, lanes, false);
    const double apart = lanes <= 1 ? 1 : apart_with_steps(source, index, coords);
    if (apart == 1) {
        return dense;
    }
    const double elements = lanes * machine_.gathered(type, lanes);
    if (is_near(apart)) {
        const ElementType together = integer_of(bytes_of(type) * body_.steps_in_vector);
        const Quantity& near = machine_.strided_load[together][near_stride(apart)];
        return {dense.instructions * near.value_or(elements), 3 * dense.instructions};
    }
    return {elements, 2 * lanes, true};
}

// How far the lanes of a vector are from each other in memory, in units of the steps that are next
// to each other there; 0: the steps are not, or it is not known.
double Accesses::apart_with_steps(Source source, int index,
                                  const std::vector<Coordinate>& coords) const {
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
        const double distance = stride(source, index, c);
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
double Accesses::waits(Source source, int index, const std::vector<Coordinate>& coords,
                       bool known) const {
    if (known) {
        return along_runs(source, index, coords) ? kOwnRuns : 1;
    }
    return facts_.whole_bytes(source, index) <= kTable * machine_.l1.bytes.value ? kOfTable : 1;
}

// Whether each element of a vector goes through neighbours of its own in the innermost loop, all in
// one row, while nothing is written.
bool Accesses::along_runs(Source source, int index, const std::vector<Coordinate>& coords) const {
    const auto dense = static_cast<std::size_t>(facts_.placement().dense_dim(source, index));
    if (body_.rolled >= nest_.loops.size() || dense >= coords.size() || !coords[dense].affine) {
        return false;
    }
    const int loop = nest_.loops[body_.rolled].site.loop.dim;
    const Stage& stage = facts_.graph().functions[nest_.function].stages[nest_.stage];
    const std::vector<double>& rates = coords[dense].rates;
    return stage.loops[loop].is_reduction() && !nest_.stores_change_with(loop) &&
           std::abs(rates[loop]) == 1 && std::abs(rates[body_.vector_dim]) >= kShortestRun;
}

// Whether copies of the body access all elements between those of a vector that lie `rate` elements
// from each other: they become whole vectors then.
bool Accesses::all_between(Source source, int index, const std::vector<Coordinate>& coords,
                           double rate) const {
    double stored = 1;
    for (const Copies& copies : body_.copies) {
        double distance = 0;
        for (std::size_t c = 0; c < coords.size(); c++) {
            distance += coords[c].affine ? std::abs(coords[c].rates[copies.dim]) *
                                               stride(source, index, c) * copies.stride
                                         : 0;
        }
        stored *= distance > 0 && distance < rate ? copies.count : 1;
    }
    return stored >= rate;
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
                                  : facts_.bounds().modulus(nest_.function, along.position);
    return from % std::min<std::int64_t>(lanes, steps.points) == 0;
}

double Accesses::stride(Source source, int index, std::size_t dim) const {
    return static_cast<double>(facts_.stride(source, index, static_cast<int>(dim)));
}

}  // namespace nestor
