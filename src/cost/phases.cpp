#include "cost/phases.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cost/multiples.h"

namespace nestor {

namespace {

// Whether unrolled copies store what is between the elements of a vector, as the channels of pixels
// are: Halide makes whole vectors of all of these.
bool weaves_stores(ScheduleFacts& facts, const NestFacts& nest, int vector_dim) {
    const auto distance = [&](int dim) {
        return facts.distance(Source::Function, nest.function, nest.stores(), dim);
    };
    const double apart = distance(vector_dim);
    double stored = 1;
    for (const LoopFacts& loop : nest.loops) {
        const double between = loop.stride * distance(loop.site.loop.dim);
        stored *= loop.run == LoopRun::Unrolled && between > 0 && between < apart ? loop.trips : 1;
    }
    return apart > 1 && stored >= apart;
}

// Whether something is read at one point for several of the vector's (f(x / 2)) in such a nest:
// then Halide takes no vectors apart, but gathers, unless it knows where they begin and neighbours
// are neighbours in memory (object code of 60 small pipelines, planar and not).
bool gathers_steps(ScheduleFacts& facts, const NestFacts& nest, int vector_dim, int period) {
    const Stage& stage = facts.graph().functions[nest.function].stages[nest.stage];
    if (stage.reads_itself || !weaves_stores(facts, nest, vector_dim)) {
        return false;
    }
    const Loop& loop = stage.loops[vector_dim];
    const bool anywhere =
        loop.is_reduction() || known_multiple(facts, nest.function, loop.position) % period != 0;
    return std::ranges::any_of(nest.expansion->loads, [&](const Family& family) {
        for (int c = 0; c < std::ssize(family.coords); c++) {
            const Coordinate& each = family.coords[c];
            const double rate = each.affine ? each.rates[vector_dim] : 0;
            if (rate != std::floor(rate) &&
                (anywhere || facts.stride(family.source, family.index, c) != 1)) {
                return true;
            }
        }
        return false;
    });
}

}  // namespace

KnownPhases::KnownPhases(ScheduleFacts& facts, const NestFacts& nest)
    : stage_(facts.graph().functions[nest.function].stages[nest.stage]),
      modulus_(stage_.loops.size(), 1),
      fixed_(stage_.loops.size(), false) {
    const Function& f = facts.graph().functions[nest.function];
    // Points next to each other that are copies of the body, those of a vector that is taken apart
    // included.
    std::vector<double> copies(stage_.loops.size(), 1);
    for (std::size_t i = 0; i < nest.innermost_rolled(); i++) {
        const LoopFacts& loop = nest.loops[i];
        if (loop.run == LoopRun::Vector) {
            const int dim = loop.site.loop.dim;
            const int period = nest.expansion->periods[dim];
            if (period > kMostApart || std::fmod(loop.trips, period) != 0 ||
                (period > 1 && gathers_steps(facts, nest, dim, period))) {
                continue;
            }
            apart_ = period;
        }
        copies[loop.site.loop.dim] *= loop.trips;
    }
    for (std::size_t l = 0; l < stage_.loops.size(); l++) {
        const Loop& loop = stage_.loops[l];
        const auto all = static_cast<int>(copies[l]);
        if (loop.is_reduction()) {
            fixed_[l] = loop.constant_extent && all > 1 && all >= loop.range.extent;
        } else if (all > 1) {
            const std::int64_t known = nest.expansion->periods[l] > 1
                                           ? known_multiple(facts, nest.function, loop.position)
                                           : 1;
            modulus_[l] = static_cast<int>(std::gcd<std::int64_t>(all, known));
            fixed_[l] = f.constant[loop.position] && all >= loop.range.extent;
        }
    }
}

unsigned KnownPhases::own() const {
    unsigned known = 0;
    for (std::size_t i = 0; i < stage_.phases.size(); i++) {
        const Phase& phase = stage_.phases[i];
        if (phase.whole ? fixed_[phase.loop] : is_known(phase.loop, phase.period)) {
            known |= 1U << i;
        }
    }
    return known;
}

unsigned KnownPhases::of(const Family& inlined, const Stage& stage) const {
    unsigned known = 0;
    for (std::size_t i = 0; i < stage.phases.size(); i++) {
        const Phase& phase = stage.phases[i];
        const Coordinate& at = inlined.coords[stage.loops[phase.loop].position];
        bool here = at.affine;
        for (std::size_t l = 0; l < at.rates.size() && here; l++) {
            const auto rate = static_cast<int>(std::abs(at.rates[l]));
            if (at.rates[l] == 0 || fixed_[l]) {
                continue;
            }
            here = !phase.whole && static_cast<double>(rate) == std::abs(at.rates[l]) &&
                   is_known(static_cast<int>(l), phase.period / std::gcd(phase.period, rate));
        }
        known |= here ? 1U << i : 0;
    }
    return known;
}

bool KnownPhases::is_known(int loop, int period) const {
    return fixed_[loop] || modulus_[loop] % period == 0;
}

}  // namespace nestor
