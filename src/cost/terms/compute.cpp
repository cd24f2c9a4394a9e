#include <algorithm>
#include <cmath>

#include "cost/conditions.h"
#include "cost/dots.h"
#include "cost/phases.h"
#include "cost/terms.h"
#include "schedule/loops.h"

namespace nestor {

namespace {

constexpr double kIssueWidth = 6;   // instructions a cycle; of current x86 and Arm cores, 4 to 8
constexpr double kEndless = 1e15;   // cycles
constexpr double kCallCycles = 40;  // of a function of the C library, for one element
// Cycles of an innermost loop that begins and ends: addresses, the branch that is not foreseen, and
// the pipeline that runs empty.
constexpr double kLoopEntry = 60;
constexpr double kOuterIteration = 3;  // cycles of an iteration of a loop around others: addresses
// Real code waits for operands and ports more than independent instructions do, by which
// throughputs are measured.
constexpr double kStalls = 1.6;
constexpr double kCondition = 2;  // instructions
// Of a sum without a register, beside its load and store: it waits for both, and the others are
// moved from register to register. 32 sums of 1 by 16 floats took 27 cycles a step instead of 16,
// with 28 registers for them (depthwise_conv, Zen 5).
constexpr double kSpilledSum = 2;
// Of what is gathered, elements that go through runs of their own into sums in registers: their
// places are known without a vector of indices, and their cache lines stay (an argmax of 16 runs of
// floats: 0.7 cycles an element, Zen 5).
constexpr double kOwnRuns = 0.25;
constexpr double kShortestRun = 16;  // points: a cache line of floats
constexpr double kForwarding = 5;    // cycles from a store to the load that waits for it

struct Instructions {
    Width width = Width::Scalar;
    double count = 1;
};

// Instructions that work on so many elements of so many bytes.
Instructions instructions(const Machine& machine, ElementType type, double lanes) {
    if (lanes <= 1) {
        return {};
    }
    const double natural = std::max(machine.vector_bytes[type].value, 1.0);
    const double bytes = lanes * bytes_of(type);
    const double each = std::min(natural, bytes);
    Width width = Width::Bytes16;
    while (width < Width::Bytes128 && bytes_of(width, type) < each) {
        width = static_cast<Width>(static_cast<int>(width) + 1);
    }
    return {width, std::ceil(bytes / std::max(natural, 16.0))};
}

class NestWork {
  public:
    NestWork(ScheduleFacts& facts, const NestFacts& nest)
        : facts_(facts),
          machine_(facts.machine()),
          nest_(nest),
          stage_(facts.graph().functions[nest.function].stages[nest.stage]),
          rolled_(nest.innermost_rolled()),
          phases_(facts, nest),
          own_(nest.selected ? stage_.selector->ops : ops_in(stage_, phases_.own())) {
        for (std::size_t i = 0; i < rolled_; i++) {
            const LoopFacts& loop = nest.loops[i];
            if (loop.run == LoopRun::Vector) {
                vector_dim_ = loop.site.loop.dim;
                apart_ = phases_.apart();
                lanes_ = loop.trips / apart_;
                if (apart_ > 1) {
                    copies_.push_back({vector_dim_, apart_, 1});
                    all_copies_ *= apart_;
                }
            } else if (loop.run == LoopRun::Dot) {
                dot_dim_ = loop.site.loop.dim;
                steps_in_vector_ = static_cast<int>(loop.trips);
                dot_ = dot_work(machine_, stage_, steps_in_vector_);
            } else {
                all_copies_ *= loop.trips;
                if (loop.trips > 1 && copies_are_guarded(facts, nest, loop.site.loop.dim)) {
                    guarded_ *= loop.trips;
                } else {
                    copies_.push_back({loop.site.loop.dim, loop.trips, loop.stride});
                }
            }
        }
    }

    NestCycles run() {
        count_own();
        if (!nest_.expansion->complete) {
            cycles_.arithmetic = kEndless;  // nobody wants to compile this
        }
        for (const Family& family : nest_.expansion->inlined) {
            count_inlined(family);
        }
        for (const Family& family : nest_.expansion->loads) {
            count_loads(family);
        }
        count_stores();
        spill();
        spill_temporaries();
        spill_shared();
        instructions_ += kCondition * (guarded_ - 1) * nest_.iterations(rolled_);
        count_chains();
        count_loops();
        cycles_.issue = instructions_ / kIssueWidth;
        for (double* c : {&cycles_.arithmetic, &cycles_.loads, &cycles_.stores, &cycles_.issue}) {
            *c *= kStalls;
        }
        return cycles_;
    }

  private:
    // 1. How often something runs that changes with some of the loops only.

    template <class DependsOn>
    [[nodiscard]] std::size_t innermost_of(const DependsOn& depends_on) const {
        for (std::size_t i = rolled_; i < nest_.loops.size(); i++) {
            if (depends_on(nest_.loops[i].site.loop.dim)) {
                return i;
            }
        }
        return nest_.loops.size();
    }

    // The same for loads and stores: LLVM takes none of them out of a condition.
    template <class DependsOn>
    [[nodiscard]] std::size_t innermost_access(const DependsOn& depends_on) const {
        return guarded_ > 1 ? rolled_ : innermost_of(depends_on);
    }

    [[nodiscard]] double lanes_of(const Family& family) const {
        const bool all_steps = dot_dim_ >= 0 && family.depends_on(dot_dim_);
        return (vector_dim_ >= 0 && family.depends_on(vector_dim_) ? lanes_ : 1) *
               (all_steps ? steps_in_vector_ : 1);
    }

    // 2. Arithmetic.

    void add_operations(const OpCounts& ops, double lanes, double times) {
        for (std::size_t o = 0; o < kArithmetic; o++) {
            for (std::size_t t = 0; t < kElementTypes; t++) {
                const double count = ops.counts.values[o].values[t];
                if (count == 0) {
                    continue;
                }
                const auto operation = static_cast<Arithmetic>(o);
                const auto type = static_cast<ElementType>(t);
                const Instructions each = instructions(machine_, type, lanes);
                const Quantity& one = machine_.operations[operation][type][each.width].cycles;
                cycles_.arithmetic += times * count * each.count * one.value_or(1);
                instructions_ += times * count * each.count;
            }
        }
        cycles_.arithmetic += times * ops.call * lanes * kCallCycles;
        instructions_ += times * ops.call * lanes * kCallCycles;
    }

    void count_own() {
        const double times = all_copies_ * nest_.iterations(rolled_);
        if (dot_dim_ >= 0) {
            add_operations(dot_.ops, lanes_ * dot_.elements, times);
        } else {
            add_operations(own_, lanes_, times);
        }
    }

    void count_inlined(const Family& family) {
        const Function& f = facts_.graph().functions[family.index];
        const std::size_t at = innermost_of([&](int dim) { return family.depends_on(dim); });
        const double distinct = guarded_ * family.distinct(copies_);
        note_invariant(family, at, distinct);
        for (const Stage& stage : f.stages) {
            double repeats = 1;
            for (const Loop& loop : stage.loops) {
                repeats *= loop.is_reduction() ? static_cast<double>(loop.range.extent) : 1;
            }
            add_operations(ops_in(stage, phases_.of(family, stage)), lanes_of(family),
                           repeats * distinct * nest_.iterations(at));
        }
    }

    // 3. Loads and stores.

    [[nodiscard]] ElementType type_of(const Family& family) const {
        return family.source == Source::Input
                   ? facts_.graph().inputs[family.index].type.element()
                   : facts_.graph().functions[family.index].types[family.value].element();
    }

    // Cycles and instructions of one vector of elements at `coords`.
    struct Access {
        double cycles = 0;
        double instructions = 0;
        bool scattered = false;  // element by element
    };

    [[nodiscard]] Access access(Source source, int index, const std::vector<Coordinate>& coords,
                                ElementType type, double lanes, bool store) const {
        const ByWidth<Quantity>& port = store ? machine_.store : machine_.load;
        const double scalar = port[Width::Scalar].value_or(0.5);
        if (lanes <= 1) {
            return {scalar, 1};
        }
        const Instructions dense_ones = instructions(machine_, type, lanes);
        const Access vector{dense_ones.count * port[dense_ones.width].value_or(1),
                            dense_ones.count};
        if (dot_dim_ >= 0 && !store) {
            const double apart = apart_with_steps(source, index, coords);
            if (apart == 1) {
                return vector;
            }
            const double elements = lanes * machine_.gather[type].value_or(1);
            if (apart == 2 || apart == 3 || apart == 4) {
                const auto stride = static_cast<Stride>(static_cast<int>(apart) - 2);
                const Quantity& known =
                    machine_.strided_load[integer_of(bytes_of(type) * steps_in_vector_)][stride];
                return {dense_ones.count * known.value_or(elements), 3 * dense_ones.count};
            }
            return {elements, 2 * lanes, true};
        }
        double rate = 0;
        bool scattered = false;
        bool known = true;  // where the elements are, by no vector of indices
        for (std::size_t c = 0; c < coords.size(); c++) {
            if (!coords[c].affine) {
                scattered = true;
                known = false;
            } else if (coords[c].rates[vector_dim_] != 0) {
                const auto stride =
                    static_cast<double>(facts_.stride(source, index, static_cast<int>(c)));
                scattered = scattered || stride == 0 || rate != 0;
                rate = std::abs(coords[c].rates[vector_dim_]) * stride * apart_;
            }
        }
        if (!scattered && rate == 1) {
            return vector;
        }
        const double gathered = machine_.gather[type].value_or(1);
        const double runs = !store && known && along_runs(source, index, coords) ? kOwnRuns : 1;
        const double elements = lanes * (store ? 2 * scalar : runs * gathered);
        const bool near = !scattered && (rate == 2 || rate == 3 || rate == 4);
        if (near && (!store || all_between(source, index, coords, rate))) {
            const auto stride = static_cast<Stride>(static_cast<int>(rate) - 2);
            const Quantity& known =
                store ? machine_.interleave[type][stride] : machine_.strided_load[type][stride];
            const double cycles = dense_ones.count * known.value_or(elements);
            return {cycles, 3 * dense_ones.count};
        }
        return {elements, 2 * lanes, true};
    }

    // How far the lanes of a vector are from each other in memory, in units of the steps that are
    // next to each other there; 0: the steps are not, or it is not known.
    [[nodiscard]] double apart_with_steps(Source source, int index,
                                          const std::vector<Coordinate>& coords) const {
        double between_steps = 0;
        double between_lanes = 0;
        for (std::size_t c = 0; c < coords.size(); c++) {
            const double step = coords[c].rates[dot_dim_];
            const double lane = vector_dim_ >= 0 ? coords[c].rates[vector_dim_] : 0;
            if (!coords[c].affine) {
                return 0;
            }
            if (step == 0 && lane == 0) {
                continue;
            }
            const auto stride =
                static_cast<double>(facts_.stride(source, index, static_cast<int>(c)));
            if (stride == 0) {
                return 0;
            }
            between_steps += step * stride;
            between_lanes += lane * stride;
        }
        if (between_steps == 0) {
            return between_lanes;
        }
        return between_steps != 1 ? 0 : between_lanes == 0 ? 1 : between_lanes / steps_in_vector_;
    }

    // Whether each element of a vector goes through neighbours of its own in the innermost loop,
    // all in one row, while nothing is written.
    [[nodiscard]] bool along_runs(Source source, int index,
                                  const std::vector<Coordinate>& coords) const {
        const auto dense = static_cast<std::size_t>(facts_.placement().dense_dim(source, index));
        if (rolled_ >= nest_.loops.size() || dense >= coords.size() || !coords[dense].affine) {
            return false;
        }
        const int loop = nest_.loops[rolled_].site.loop.dim;
        const std::vector<double>& rates = coords[dense].rates;
        return stage_.loops[loop].is_reduction() && !nest_.stores_change_with(loop) &&
               std::abs(rates[loop]) == 1 && std::abs(rates[vector_dim_]) >= kShortestRun;
    }

    // Whether copies of the body store all elements between those of a vector that is stored every
    // `rate` elements: they become whole vectors then.
    [[nodiscard]] bool all_between(Source source, int index, const std::vector<Coordinate>& coords,
                                   double rate) const {
        double stored = 1;
        for (const Copies& copies : copies_) {
            double distance = 0;
            for (std::size_t c = 0; c < coords.size(); c++) {
                const auto stride =
                    static_cast<double>(facts_.stride(source, index, static_cast<int>(c)));
                distance += std::abs(coords[c].rates[copies.dim]) * stride * copies.stride;
            }
            stored *= distance > 0 && distance < rate ? copies.count : 1;
        }
        return stored >= rate;
    }

    void count_loads(const Family& family) {
        const std::size_t at = innermost_access([&](int dim) { return family.depends_on(dim); });
        const double distinct = guarded_ * family.distinct(copies_);
        note_invariant(family, at, distinct);
        const int dense = facts_.placement().dense_dim(family.source, family.index);
        const ElementType type = type_of(family);
        const double lanes = lanes_of(family);
        const Access each = access(family.source, family.index, family.coords, type, lanes, false);
        double times = distinct * nest_.iterations(at);
        times *= family.conditional ? needed() : 1;
        const double away = 1 - at_border(family);
        cycles_.loads += away * times * each.cycles * unaligned(family, dense, type, lanes);
        instructions_ += away * times * each.instructions;
        if (dot_.widens && bytes_of(type) < bytes_of(dot_.type)) {
            OpCounts widen;
            widen.add(Arithmetic::Widen, dot_.type);
            add_operations(widen, lanes, times);
        }
        if (away < 1 && lanes > 1) {
            const double elements = (1 - away) * times * lanes;
            cycles_.loads += elements * machine_.gather[type].value_or(1);
            instructions_ += elements * 2;
        }
    }

    // Share of the vectors that are loaded where the index is clamped, and not known not to be.
    [[nodiscard]] double at_border(const Family& family) {
        const bool clamped = vector_dim_ >= 0 && lanes_ > 1 &&
                             std::ranges::any_of(family.coords, [&](const Coordinate& each) {
                                 return each.affine && each.is_clamped_along(vector_dim_) &&
                                        each.rates[vector_dim_] != 0;
                             });
        if (clamped && border_share_ < 0) {
            border_share_ = border_share(facts_, nest_, vector_dim_);
        }
        return clamped ? border_share_ : 0;
    }

    // Share of the loads that is left where the points of phases are known.
    [[nodiscard]] double needed() const {
        return stage_.ops.load > 0 ? std::min(1.0F, own_.load / stage_.ops.load) : 1;
    }

    // Vectors that straddle two cache lines take two loads.
    [[nodiscard]] double unaligned(const Family& family, int dense, ElementType type,
                                   double lanes) const {
        if (lanes <= 1 || !family.is_affine() || dense >= static_cast<int>(family.coords.size())) {
            return 1;
        }
        const double line = machine_.line_bytes.value_or(64);
        const double bytes = std::min(lanes * bytes_of(type), machine_.vector_bytes[type].value);
        const Coordinate& along = family.coords[dense];
        const double box = family.box[dense];
        const bool shifted = std::fmod(static_cast<double>(along.offset_min), lanes) != 0;
        const double share = box > 1 ? 1 - 1 / box : (shifted ? 1 : 0);
        return 1 + share * std::min(1.0, bytes / line);
    }

    [[nodiscard]] bool known_apart(int dim) {
        for (std::size_t c = 0; c < nest_.stores.size(); c++) {
            const bool moves = !nest_.stores[c].affine || nest_.stores[c].rates[dim] != 0;
            if (moves && !facts_.stride_is_constant(nest_.function, static_cast<int>(c))) {
                return false;
            }
        }
        return true;
    }

    void count_stores() {
        const Function& f = facts_.graph().functions[nest_.function];
        const auto changes = [&](int dim) { return nest_.stores_change_with(dim); };
        const std::size_t at = innermost_access(changes);
        const auto to_memory = [&](ElementType element, double lanes, bool store) {
            return access(Source::Function, nest_.function, nest_.stores, element, lanes, store);
        };
        double copies = guarded_;
        bool apart = true;
        for (const Copies& each : copies_) {
            if (nest_.stores_change_with(each.dim) && each.count > 1) {
                copies *= each.count;
                apart = apart && known_apart(each.dim);
            }
        }
        const double lanes = vector_dim_ >= 0 && nest_.stores_change_with(vector_dim_) ? lanes_ : 1;
        for (const ScalarType& type : f.types) {
            const ElementType element = type.element();
            const Access written = to_memory(element, lanes, true);
            // LLVM keeps sums in registers only where one instruction writes a vector of them, and
            // where it knows that they are not in the same place.
            const bool in_memory = written.scattered || !apart;
            const std::size_t stored = in_memory ? rolled_ : at;
            const double times = copies * (in_memory ? steps() : 1) * nest_.iterations(stored);
            cycles_.stores += times * written.cycles;
            instructions_ += times * written.instructions;
            if (stage_.reads_itself) {
                const Access read = to_memory(element, lanes, false);
                cycles_.loads += times * read.cycles;
                instructions_ += times * read.instructions;
            }
            accumulators_ +=
                stored > rolled_ ? copies * instructions(machine_, element, lanes).count : 0;
        }
    }

    // Steps of a reduction in one iteration.
    [[nodiscard]] double steps() const {
        double steps = 1;
        for (const Copies& each : copies_) {
            steps *= stage_.loops[each.dim].is_reduction() ? each.count : 1;
        }
        return steps;
    }

    // 4. Registers.

    void note_invariant(const Family& family, std::size_t at, double distinct) {
        if (at > rolled_ && rolled_ < nest_.loops.size()) {
            const ElementType type = type_of(family);
            invariants_ += distinct * instructions(machine_, type, lanes_of(family)).count;
        }
    }

    // Vectors of the next steps of a reduction, which LLVM loads before it needs them.
    [[nodiscard]] double loaded_ahead() {
        if (steps() <= 1 || accumulators_ == 0) {
            return 0;
        }
        double vectors = 0;
        for (const Family& family : nest_.expansion->loads) {
            const double lanes = lanes_of(family);
            if (lanes > 1) {
                vectors += family.distinct(copies_) / steps() *
                           instructions(machine_, type_of(family), lanes).count;
            }
        }
        return vectors;
    }

    // Vectors of what is computed in each iteration of the innermost loop: sums stay where they are
    // meanwhile. 28 sums took 1.25 times as long as 24 where four vectors are packed for each step
    // (a product of bytes, Zen 5).
    [[nodiscard]] double computed_inside() const {
        if (rolled_ >= nest_.loops.size() || accumulators_ == 0) {
            return 0;
        }
        double vectors = 0;
        for (const NestFacts* each : facts_.nests_at(nest_.loops[rolled_].site)) {
            const Function& f = facts_.graph().functions[each->function];
            double copies = 1;
            for (const LoopFacts& loop : each->loops) {
                copies *= loop.run == LoopRun::Unrolled ? loop.trips : 1;
            }
            for (const ScalarType& type : f.types) {
                vectors += copies * instructions(machine_, type.element(), each->lanes()).count;
            }
        }
        return vectors;
    }

    void spill() {
        constexpr double kTemporaries = 4;
        const double free =
            machine_.registers.value_or(16) - kTemporaries - loaded_ahead() - computed_inside();
        const double times = nest_.iterations(rolled_);
        // An accumulator that has no register is loaded and stored each time, an invariant loaded.
        const double spilled = std::max(0.0, accumulators_ - free);
        const double reloaded =
            std::max(0.0, std::min(invariants_, accumulators_ + invariants_ - free));
        const double load = machine_.load[Width::Bytes32].value_or(0.5);
        const double store = machine_.store[Width::Bytes32].value_or(1);
        cycles_.loads += times * (spilled + reloaded) * load;
        cycles_.stores += times * spilled * store;
        cycles_.arithmetic += times * spilled * kSpilledSum;
        instructions_ += times * (2 * spilled + reloaded);
    }

    // Vectors of several registers are computed one operation after the other, each on all of them:
    // so many values are alive at a time.
    void spill_temporaries() {
        constexpr double kAlive = 5;
        if (dot_dim_ >= 0) {
            return;  // it is one instruction
        }
        double vectors = 0;  // of work, in units of the widest
        double registers = 1;
        for (std::size_t t = 0; t < kElementTypes; t++) {
            const auto type = static_cast<ElementType>(t);
            double count = 0;
            for (std::size_t o = 0; o < kArithmetic; o++) {
                count += own_.counts.values[o].values[t];
            }
            if (count > 0) {
                registers = std::max(registers, instructions(machine_, type, lanes_).count);
            }
            vectors += count;
        }
        const double alive = registers * std::min(vectors + 1, kAlive);
        const double free = machine_.registers.value_or(16);
        if (alive <= free) {
            return;
        }
        const double spilled =
            (1 - free / alive) * vectors * registers * all_copies_ * nest_.iterations(rolled_);
        cycles_.loads += spilled * machine_.load[Width::Bytes32].value_or(0.5);
        cycles_.stores += spilled * machine_.store[Width::Bytes32].value_or(1);
        instructions_ += 2 * spilled;
    }

    // What unrolled copies share has to wait for the next of them: about as many values as one copy
    // takes. Those without a register are loaded again by each, and those that are computed are
    // stored first.
    void spill_shared() {
        const auto count = [&](const auto& visit) {
            for (const auto* families : {&nest_.expansion->inlined, &nest_.expansion->loads}) {
                for (const Family& family : *families) {
                    const double uses = family.members * all_copies_;
                    const double distinct = family.distinct(copies_);
                    const bool hoisted =
                        innermost_of([&](int dim) { return family.depends_on(dim); }) > rolled_;
                    if (!hoisted && uses > distinct) {
                        const double vectors =
                            instructions(machine_, type_of(family), lanes_of(family)).count;
                        visit(family.members * vectors, uses * vectors, distinct * vectors,
                              families == &nest_.expansion->inlined);
                    }
                }
            }
        };
        double waiting = 0;
        count([&](double members, double, double, bool) { waiting += members; });
        const double free = machine_.registers.value_or(16);
        if (waiting <= free) {
            return;
        }
        const double spilled = (1 - free / waiting) * nest_.iterations(rolled_);
        const double load = machine_.load[Width::Bytes32].value_or(0.5);
        const double store = machine_.store[Width::Bytes32].value_or(1);
        count([&](double, double uses, double distinct, bool computed) {
            cycles_.loads += spilled * (uses - distinct) * load;
            cycles_.stores += computed ? spilled * distinct * store : 0;
            instructions_ += spilled * (uses - (computed ? 0 : distinct));
        });
    }

    // 5. Chains.

    void count_chains() {
        if (!stage_.reads_itself || rolled_ >= nest_.loops.size()) {
            return;
        }
        const Loop& innermost = stage_.loops[nest_.loops[rolled_].site.loop.dim];
        if (!innermost.is_reduction()) {
            return;
        }
        const bool in_registers =
            accumulators_ > 0 && accumulators_ <= machine_.registers.value_or(16);
        const double step = step_latency() + (in_registers ? 0 : kForwarding);
        cycles_.latency = nest_.iterations(rolled_) * steps() * step;
    }

    // Of an associative update, one operation; otherwise all of them, as far as they are few.
    [[nodiscard]] double step_latency() const {
        if (stage_.product && dot_dim_ >= 0) {
            const Width width = instructions(machine_, dot_.type, lanes_ * dot_.elements).width;
            return machine_.operations[Arithmetic::DotProduct][dot_.type][width].latency.value_or(
                5);
        }
        double sum = 0;
        double longest = 1;
        for (const Arithmetic operation :
             {Arithmetic::Add, Arithmetic::Minimum, Arithmetic::Multiply, Arithmetic::MultiplyAdd,
              Arithmetic::Divide}) {
            for (std::size_t t = 0; t < kElementTypes; t++) {
                const auto type = static_cast<ElementType>(t);
                const double count = stage_.ops.counts[operation][type];
                const Width width = instructions(machine_, type, lanes_).width;
                const double latency =
                    machine_.operations[operation][type][width].latency.value_or(4);
                sum += count * latency;
                longest = count > 0 ? std::max(longest, latency) : longest;
            }
        }
        return stage_.associative ? longest : std::clamp(sum, longest, 6 * longest);
    }

    // 6. Loops.

    void count_loops() {
        for (std::size_t i = rolled_; i < nest_.loops.size(); i++) {
            if (nest_.loops[i].run == LoopRun::Unrolled || nest_.loops[i].trips <= 1) {
                continue;
            }
            const double iterations = nest_.iterations(i);
            if (i == rolled_) {
                instructions_ += 3 * iterations;
                cycles_.loops += kLoopEntry * nest_.iterations(i + 1);
            } else {
                cycles_.loops += kOuterIteration * iterations;
            }
        }
    }

    ScheduleFacts& facts_;
    const Machine& machine_;
    const NestFacts& nest_;
    const Stage& stage_;
    const std::size_t rolled_;
    const KnownPhases phases_;
    const OpCounts& own_;  // of one evaluation
    int vector_dim_ = -1;
    double apart_ = 1;  // points from one element of a vector to the next
    double lanes_ = 1;
    int dot_dim_ = -1;
    int steps_in_vector_ = 1;
    DotWork dot_;
    std::vector<Copies> copies_;
    double all_copies_ = 1;
    double guarded_ = 1;  // copies of the body that have a condition each, and share nothing
    double instructions_ = 0;
    double accumulators_ = 0;   // registers
    double invariants_ = 0;     // registers
    double border_share_ = -1;  // see border_share(); below 0: not asked for
    NestCycles cycles_;
};

}  // namespace

double NestCycles::total() const {
    constexpr double kNotHidden = 0.15;
    const double busiest = std::max({arithmetic, loads, stores, issue, latency});
    return busiest +
           kNotHidden *
               (arithmetic + loads + stores - std::min(busiest, arithmetic + loads + stores)) +
           loops;
}

NestCycles nest_cycles(ScheduleFacts& facts, const NestFacts& nest) {
    return NestWork(facts, nest).run();
}

}  // namespace nestor
