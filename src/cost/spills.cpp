#include "cost/spills.h"

#include <algorithm>
#include <span>

namespace nestor {

namespace {

// Of a sum without a register, beside its load and store: it waits for both, and the others are
// moved from register to register. 32 sums of 1 by 16 floats took 27 cycles a step instead of 16,
// with 28 registers for them (depthwise_conv, Zen 5).
constexpr double kSpilledSum = 2;
constexpr double kAddresses = 12;  // registers for them
constexpr double kTemporaries = 4;

}  // namespace

Spills::Spills(ScheduleFacts& facts, const NestFacts& nest, const Body& body,
               const BodyFamilies& families, const OpCounts& own)
    : facts_(facts),
      machine_(facts.machine()),
      nest_(nest),
      body_(body),
      families_(families),
      own_(own),
      registers_(machine_.registers.value_or(16)),
      load_(machine_.load[Width::Bytes32].value_or(0.5)),
      store_(machine_.store[Width::Bytes32].value_or(1)),
      iterations_(nest.iterations(body.rolled)) {}

void Spills::note(const Family& family, std::size_t at, double distinct) {
    if (at > body_.rolled && body_.rolled < nest_.loops.size()) {
        invariants_ += distinct * families_.vectors_of(family);
    }
}

void Spills::note_addresses(const Family& family) {
    if (families_.innermost_of(family) <= body_.rolled) {
        addresses_ += family.distinct(body_.copies, coordinates_of_rows(family),
                                      families_.sharing().apart(family));
    }
}

// Those along which neighbours are no constant distance apart.
LoopSet Spills::coordinates_of_rows(const Family& family) const {
    LoopSet rows = 0;
    for (int c = 0; c < std::ssize(family.coords); c++) {
        rows |= families_.sharing().has_known_distance(family, c) ? 0 : loop_set(c);
    }
    return rows;
}

bool Spills::has_accumulators_in_registers() const {
    return accumulators_ > 0 && accumulators_ <= registers_;
}

double Spills::steps() const {
    const Stage& stage = facts_.graph().functions[nest_.function].stages[nest_.stage];
    double steps = 1;
    for (const Copies& each : body_.copies) {
        steps *= stage.loops[each.dim].is_reduction() ? each.count : 1;
    }
    return steps;
}

void Spills::add_to(NestCycles& cycles, double& instructions) const {
    spill(cycles, instructions);
    spill_temporaries(cycles, instructions);
    spill_shared(cycles, instructions);
    spill_addresses(cycles, instructions);
}

// Vectors of what is computed in each iteration of the innermost loop: sums stay where they are
// meanwhile. 28 sums took 1.25 times as long as 24 where four vectors are packed for each step (a
// product of bytes, Zen 5).
double Spills::computed_inside() const {
    if (body_.rolled >= nest_.loops.size() || accumulators_ == 0) {
        return 0;
    }
    double vectors = 0;
    for (const NestFacts& each : facts_.nests_at(nest_.loops[body_.rolled].site)) {
        const Function& f = facts_.graph().functions[each.function];
        double copies = 1;
        for (const LoopFacts& loop : each.loops) {
            copies *= loop.run == LoopRun::Unrolled ? loop.trips : 1;
        }
        for (const ScalarType& type : f.types) {
            vectors += copies * instructions(machine_, type.element(), each.lanes()).count;
        }
    }
    return vectors;
}

// An accumulator that has no register is loaded and stored at each step, an invariant loaded.
void Spills::spill(NestCycles& cycles, double& instructions) const {
    const double free = registers_ - computed_inside() - std::max(kTemporaries, waiting());
    const double spilled = steps() * std::clamp(accumulators_ - free, 0.0, accumulators_);
    const double reloaded =
        std::max(0.0, std::min(invariants_, accumulators_ + invariants_ - free));
    cycles.loads += iterations_ * (spilled + reloaded) * load_;
    cycles.stores += iterations_ * spilled * store_;
    cycles.arithmetic += iterations_ * spilled * kSpilledSum;
    instructions += iterations_ * (2 * spilled + reloaded);
}

// Vectors of several registers are computed one operation after the other, each on all of them: so
// many values are alive at a time.
void Spills::spill_temporaries(NestCycles& cycles, double& instructions) const {
    constexpr double kAlive = 5;
    if (body_.dot_dim >= 0) {
        return;  // it is one instruction
    }
    double vectors = 0;  // of work, in units of the widest
    double registers = 1;
    for (const OpCount& op : own_.counts) {
        const bool vector = body_.vector_dim >= 0 && contains(op.loops, body_.vector_dim);
        if (op.operation && vector) {
            registers =
                std::max(registers, nestor::instructions(machine_, op.type, body_.lanes).count);
            vectors += op.count;
        }
    }
    const double alive = registers * std::min(vectors + 1, kAlive);
    if (alive <= registers_) {
        return;
    }
    const double spilled =
        (1 - registers_ / alive) * vectors * registers * body_.all_copies * iterations_;
    cycles.loads += spilled * load_;
    cycles.stores += spilled * store_;
    instructions += 2 * spilled;
}

// Values of a family that wait at the same time for a copy that uses them again: all that the
// copies inside of the outermost loop that shares any of them use.
double Spills::waiting(const Family& family) const {
    const LoopSet apart = families_.sharing().apart(family);
    double waiting = family.members;
    double before = family.members;
    for (std::size_t i = 0; i < body_.copies.size(); i++) {
        const double with =
            family.distinct(std::span<const Copies>(body_.copies).first(i + 1), kAllLoops, apart);
        if (with < before * body_.copies[i].count) {
            waiting = before;
        }
        before = with;
    }
    return waiting;
}

// visit(family, vectors of one value, uses, how many differ, whether it is computed) of what
// unrolled copies share in an iteration of the innermost loop.
template <class Visit>
void Spills::visit_shared(const Visit& visit) const {
    for (const auto* all : {&nest_.expansion->inlined, &nest_.expansion->loads}) {
        for (const Family& family : *all) {
            const double uses = family.members * body_.all_copies;
            const double distinct = families_.distinct(family);
            const bool hoisted = families_.innermost_of(family) > body_.rolled;
            if (!hoisted && uses > distinct && !only_reads(family)) {
                const double vectors = families_.vectors_of(family);
                visit(family, vectors, uses * vectors, distinct * vectors,
                      all == &nest_.expansion->inlined);
            }
        }
    }
}

// Whether it is an inlined function that is another one's value: that one's load is what waits.
bool Spills::only_reads(const Family& family) const {
    return family.source == Source::Function && facts_.placement().is_transparent(family.index) &&
           std::ranges::all_of(facts_.graph().functions[family.index].stages,
                               [](const Stage& stage) { return stage.ops.counts.empty(); });
}

// Vectors that wait for the next copy that uses them, all together.
double Spills::waiting() const {
    double all = 0;
    visit_shared([&](const Family& family, double vectors, double, double, bool) {
        all += waiting(family) * vectors;
    });
    return all;
}

// Values without a register are loaded again by each copy that shares them, and those that are
// computed are stored first.
void Spills::spill_shared(NestCycles& cycles, double& instructions) const {
    const double all = waiting();
    if (all <= registers_) {
        return;
    }
    const double spilled = (1 - registers_ / all) * iterations_;
    visit_shared([&](const Family&, double, double uses, double distinct, bool computed) {
        cycles.loads += spilled * (uses - distinct) * load_;
        cycles.stores += computed ? spilled * distinct * store_ : 0;
        instructions += spilled * (uses - (computed ? 0 : distinct));
    });
}

// Rows whose distance from each other is no constant have an address each, which is loaded where it
// has no register (32 copies of nine taps each: 251 loads of addresses beside the 288 of what is
// there; depthwise_conv).
void Spills::spill_addresses(NestCycles& cycles, double& instructions) const {
    const double spilled = std::max(0.0, addresses_ - kAddresses) * iterations_;
    cycles.loads += spilled * machine_.load[Width::Scalar].value_or(0.5);
    instructions += spilled;
}

}  // namespace nestor
