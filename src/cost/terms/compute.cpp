#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "cost/accesses.h"
#include "cost/body.h"
#include "cost/conditions.h"
#include "cost/dots.h"
#include "cost/phases.h"
#include "cost/registers.h"
#include "cost/sharing.h"
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
// Cycles of a store to a cache line that another thread stores to as well (a histogram for each of
// two tasks, with one task's numbers next to the other's: 18 instead of 2 ms for 16M pixels, Zen
// 5).
constexpr double kTakenLine = 10;
// Cycles for the two comparisons of a clamped index, whose address is computed anew then (sums of
// products with broadcasts, Zen 4, cycles a load: repeat_edge 1.9, constant_exterior 2.3 to 3.9,
// mirror_interior 2.3 to 14; kStalls is on top).
constexpr double kClamp = 1.2;
// Of a load of what another copy of the body has just loaded, of the cycles of the first one: 0.6
// to 0.75 of the 1.6 that a vector counts for which straddles two lines (gradients of three rows in
// blocks of two and four, rows a known distance apart or not, Xeon 5).
constexpr double kRepeated = 0.4;
// Cycles of each element under a mask that is a branch (rows of 648 bytes or 16-bit numbers in
// blocks of four vectors, on a Zen 3: what the last block takes).
constexpr double kMaskedElement = 6;
constexpr double kAddresses = 12;  // registers for them
constexpr double kForwarding = 5;  // cycles from a store to the load that waits for it
// Places that the data tell, of which an update meets the one before, and waits for it, in half of
// all cases, since neighbouring values are alike (a histogram of 256 takes 1.34 of its time in
// copies on one thread, Zen 4).
constexpr double kPlacesApart = 230;

class NestWork {
  public:
    NestWork(ScheduleFacts& facts, const NestFacts& nest)
        : facts_(facts),
          machine_(facts.machine()),
          nest_(nest),
          stage_(facts.graph().functions[nest.function].stages[nest.stage]),
          phases_(facts, nest),
          body_(facts, nest, phases_.apart()),
          own_(own_operations()),
          sharing_(facts, nest, body_),
          accesses_(facts, nest, body_) {
        if (body_.dot_dim >= 0) {
            dot_ = dot_work(machine_, stage_, body_.steps_in_vector);
        }
        if (body_.vector_dim >= 0) {
            masked_ = masked_share(facts, nest, body_.vector_dim);
            masked_bytes_ = masked_ > 0 ? machine_.masked_bytes() : 0;
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
        spill_addresses();
        instructions_ += kCondition * (body_.guarded - 1 + body_.guarded * body_.conditions) *
                         nest_.iterations(body_.rolled);
        count_chains();
        count_loops();
        cycles_.issue = instructions_ / kIssueWidth;
        for (double* c : {&cycles_.arithmetic, &cycles_.scalars, &cycles_.loads, &cycles_.stores,
                          &cycles_.issue}) {
            *c *= kStalls * stage_.predicate_share;
        }
        cycles_.latency *= stage_.predicate_share;
        return cycles_;
    }

  private:
    // What elements of a tuple have in common LLVM computes once where each value is one register.
    // It takes binary operations of wider loads apart, register by register, unless something else
    // reads these loads as well, so that equal parts of different elements are equal no more (sums
    // of the colours and weights of a bilateral filter: 2.5 times as long with 16 lanes as with 8,
    // AVX2).
    [[nodiscard]] const OpCounts& own_operations() const {
        if (nest_.selected) {
            return stage_.selector->ops;
        }
        const unsigned known = phases_.own();
        if (known == 0 && stage_.merged_ops && !loads_wider_than_registers()) {
            return *stage_.merged_ops;
        }
        return ops_in(stage_, known);
    }

    [[nodiscard]] bool loads_wider_than_registers() const {
        return std::ranges::any_of(nest_.expansion->loads, [&](const Family& family) {
            return instructions(machine_, type_of(family), lanes_of(family)).count > 1;
        });
    }

    // 1. How often something runs that changes with some of the loops only.

    template <class DependsOn>
    [[nodiscard]] std::size_t innermost_of(const DependsOn& depends_on) const {
        for (std::size_t i = body_.rolled; i < nest_.loops.size(); i++) {
            if (depends_on(nest_.loops[i].site.loop.dim)) {
                return i;
            }
        }
        return nest_.loops.size();
    }

    // The same for loads and stores: LLVM takes none of them out of a condition.
    template <class DependsOn>
    [[nodiscard]] std::size_t innermost_access(const DependsOn& depends_on) const {
        return body_.guarded > 1 || body_.conditions > 0 ? body_.rolled : innermost_of(depends_on);
    }

    // Members of all copies of the body that are loaded or computed.
    [[nodiscard]] double distinct(const Family& family) const {
        return family.distinct(body_.copies, kAllLoops, sharing_.apart(family));
    }

    [[nodiscard]] double lanes_of(const Family& family) const {
        const bool all_steps = body_.dot_dim >= 0 && family.depends_on(body_.dot_dim);
        return (body_.vector_dim >= 0 && family.depends_on(body_.vector_dim) ? body_.lanes : 1) *
               (all_steps ? body_.steps_in_vector : 1);
    }

    // 2. Arithmetic. What does not change with a loop is computed once for all of it: LLVM and
    // Halide take it out, and make a vector of one value where it is used.

    void add_operations(const OpCount& op, double lanes, double times) {
        if (!op.operation) {
            cycles_.arithmetic += times * op.count * lanes * kCallCycles;
            instructions_ += times * op.count * lanes * kCallCycles;
            return;
        }
        const Instructions each = instructions(machine_, op.type, lanes);
        const double one = machine_.cycles(*op.operation, op.type, each.width);
        const bool scalar = lanes <= 1 && op.type < ElementType::Float32;
        (scalar ? cycles_.scalars : cycles_.arithmetic) += times * op.count * each.count * one;
        instructions_ += times * op.count * each.count;
    }

    // As often as what changes with these loops of the nest, for each of `copies` that differ.
    // `steps`: elements of a sum that vectors hold for each lane.
    void add_changing(const OpCount& op, LoopSet loops, double steps, double copies) {
        const auto changes = [&](int dim) { return contains(loops, dim); };
        const bool every_lane = body_.vector_dim >= 0 && changes(body_.vector_dim);
        const bool every_step = body_.dot_dim >= 0 && changes(body_.dot_dim);
        add_operations(op, (every_lane ? body_.lanes : 1) * (every_step ? steps : 1),
                       body_.guarded * copies * nest_.iterations(innermost_of(changes)));
    }

    void count_own() {
        for (const OpCount& op : (body_.dot_dim >= 0 ? dot_.ops : own_).counts) {
            double copies = 1;
            for (const Copies& each : body_.copies) {
                copies *= contains(op.loops, each.dim) ? each.count : 1;
            }
            add_changing(op, op.loops, dot_.elements, copies);
        }
    }

    void count_inlined(const Family& family) {
        const Function& f = facts_.graph().functions[family.index];
        const std::size_t at = innermost_of([&](int dim) { return family.depends_on(dim); });
        note_invariant(family, at, body_.guarded * distinct(family));
        // The operations are those of all elements of a tuple, and each has a family of its own.
        const double share = family.times / std::max(1.0, static_cast<double>(f.types.size()));
        const LoopSet apart = sharing_.apart(family);
        for (const Stage& stage : f.stages) {
            for (const OpCount& op : ops_in(stage, phases_.of(family, stage)).counts) {
                double repeats = share;
                LoopSet coords = 0;
                for (int l = 0; l < std::ssize(stage.loops); l++) {
                    const Loop& loop = stage.loops[l];
                    if (!contains(op.loops, l)) {
                        continue;
                    }
                    if (loop.is_reduction()) {
                        repeats *= static_cast<double>(loop.range.extent);
                    } else {
                        coords |= loop_set(loop.position);
                    }
                }
                add_changing(op, family.changing_with(coords), body_.steps_in_vector,
                             repeats * family.distinct(body_.copies, coords, apart));
            }
        }
    }

    // 3. Loads and stores.

    [[nodiscard]] ElementType type_of(const Family& family) const {
        return family.source == Source::Input
                   ? facts_.graph().inputs[family.index].type.element()
                   : facts_.graph().functions[family.index].types[family.value].element();
    }

    void count_loads(const Family& family) {
        const std::size_t at = innermost_access([&](int dim) { return family.depends_on(dim); });
        const double distinct = body_.guarded * this->distinct(family);
        note_invariant(family, at, distinct);
        if (family.source == Source::Function && stays_in_registers(facts_, family.index)) {
            return;
        }
        note_addresses(family);
        const int dense = facts_.placement().dense_dim(family.source, family.index);
        const ElementType type = type_of(family);
        const double lanes = lanes_of(family);
        const Access each = accesses_.load(family, type, lanes);
        double times = family.times * distinct * nest_.iterations(at);
        times *= family.conditional ? needed() : 1;
        const double once = body_.guarded * family.distinct(body_.copies) / distinct;
        const double repeated = once + kRepeated * (1 - once);
        const double away = 1 - at_border(family);
        cycles_.loads += away * times * repeated * each.cycles *
                         (each.apart ? 1 : unaligned(family, dense, type, lanes));
        add_addresses(family);
        instructions_ += away * times * each.instructions;
        if (dot_.widens && bytes_of(type) < bytes_of(dot_.type)) {
            add_operations({Arithmetic::Widen, dot_.type, kAllLoops, 1}, lanes, times);
        }
        add_clamps(family, lanes, times);
        add_masks(type, lanes, times);
        if (away < 1 && lanes > 1) {
            const double elements = (1 - away) * times * lanes;
            cycles_.loads += elements * machine_.gathered(type, lanes);
            instructions_ += elements * 2;
        }
    }

    // Of vectors that are loaded or stored under masks which the processor does not have: nothing
    // else goes on at a branch for each element.
    void add_masks(ElementType type, double lanes, double times) {
        if (lanes > 1 && bytes_of(type) < masked_bytes_) {
            cycles_.loops += masked_ * times * lanes * kMaskedElement * stage_.predicate_share;
        }
    }

    // Of what is loaded at places that the data tell: nothing moves on from the place before, so
    // that each index is multiplied by the distance that it stands for, unless that is a constant.
    // Once for all copies that have the same index.
    void add_addresses(const Family& family) {
        for (int c = 0; c < std::ssize(family.coords); c++) {
            const Coordinate& each = family.coords[c];
            if (!each.affine && facts_.stride(family.source, family.index, c) == 0) {
                const LoopSet loops = family.changing_with(loop_set(c));
                const double copies = family.times * family.distinct(body_.copies, loop_set(c),
                                                                     sharing_.apart(family));
                for (const Arithmetic operation : {Arithmetic::Multiply, Arithmetic::Add}) {
                    add_changing({operation, ElementType::Int32, kAllLoops, 1}, loops, 1, copies);
                }
            }
        }
    }

    // Of single elements at clamped coordinates, each has its own comparisons where no loop is
    // divided so that they are known; of conditional ones (constant_exterior), a choice, too.
    void add_clamps(const Family& family, double lanes, double times) {
        if (lanes > 1) {
            return;
        }
        double clamps = 0;
        for (const Coordinate& each : family.coords) {
            double share = 0;
            for (int d = 0; each.affine && d < std::ssize(stage_.loops); d++) {
                if (each.is_clamped_along(d) && changes_in_body(each, d)) {
                    share = std::max(share, share_at_border(d));
                }
            }
            clamps += share;
        }
        const double each = kClamp * (family.conditional ? 2 : 1);
        cycles_.scalars += clamps * each * times;
        instructions_ += 2 * clamps * each * times;
    }

    // Whether such a coordinate differs between copies of the body, or iterations of its loop.
    [[nodiscard]] bool changes_in_body(const Coordinate& coordinate, int dim) const {
        return coordinate.rates[dim] != 0 &&
               (std::ranges::any_of(
                    body_.copies,
                    [&](const Copies& each) { return each.dim == dim && each.count > 1; }) ||
                (body_.rolled < nest_.loops.size() &&
                 nest_.loops[body_.rolled].site.loop.dim == dim));
    }

    // Share of the vectors that are loaded where the index is clamped, and not known not to be.
    [[nodiscard]] double at_border(const Family& family) {
        const bool clamped = body_.vector_dim >= 0 && body_.lanes > 1 &&
                             std::ranges::any_of(family.coords, [&](const Coordinate& each) {
                                 return each.affine && each.is_clamped_along(body_.vector_dim) &&
                                        each.rates[body_.vector_dim] != 0;
                             });
        return clamped ? share_at_border(body_.vector_dim) : 0;
    }

    // border_share(), once for each loop that is asked for.
    [[nodiscard]] double share_at_border(int dim) {
        border_shares_.resize(stage_.loops.size(), -1);
        double& share = border_shares_[dim];
        if (share < 0) {
            share = border_share(facts_, nest_, dim);
        }
        return share;
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
        for (std::size_t c = 0; c < nest_.stores().size(); c++) {
            const bool moves = nest_.stores()[c].changes_with(dim);
            if (moves && !facts_.stride_is_constant(nest_.function, static_cast<int>(c))) {
                return false;
            }
        }
        return true;
    }

    // Whether tasks that run at the same time store to the same cache lines.
    [[nodiscard]] bool shares_lines(const ScalarType& type) {
        const double line = machine_.line_bytes.value_or(64);
        return std::ranges::any_of(nest_.loops, [&](const LoopFacts& loop) {
            // Bytes from task to task.
            const double distance = loop.stride * type.bytes() *
                                    facts_.distance(Source::Function, nest_.function,
                                                    nest_.stores(), loop.site.loop.dim);
            return loop.run == LoopRun::Parallel && loop.trips > 1 && distance > 0 &&
                   distance < line;
        });
    }

    void count_stores() {
        const Function& f = facts_.graph().functions[nest_.function];
        const auto changes = [&](int dim) { return nest_.stores_change_with(dim); };
        const std::size_t at = innermost_access(changes);
        double copies = body_.guarded;
        bool apart = true;
        for (const Copies& each : body_.copies) {
            if (nest_.stores_change_with(each.dim) && each.count > 1) {
                copies *= each.count;
                apart = apart && known_apart(each.dim);
            }
        }
        const double lanes =
            body_.vector_dim >= 0 && nest_.stores_change_with(body_.vector_dim) ? body_.lanes : 1;
        const bool in_registers = stays_in_registers(facts_, nest_.function);
        for (const ScalarType& type : f.types) {
            const ElementType element = type.element();
            const Access written = accesses_.own(element, lanes, true);
            // LLVM keeps sums in registers only where one instruction writes a vector of them, and
            // where it knows that they are not in the same place, and no copy asks at each step
            // whether it is one (lstm_step, an update with blocks of eight rows, Zen 4).
            const bool in_memory = written.scattered || !apart || body_.guarded > 1;
            const std::size_t stored = in_memory ? body_.rolled : at;
            accumulators_ +=
                stored > body_.rolled ? copies * instructions(machine_, element, lanes).count : 0;
            if (in_registers) {
                continue;
            }
            const double times = copies * (in_memory ? steps() : 1) * nest_.iterations(stored);
            cycles_.stores += times * (written.cycles + (shares_lines(type) ? kTakenLine : 0));
            instructions_ += times * written.instructions;
            add_masks(element, lanes, times);
            if (stage_.reads_itself) {
                const Access read = accesses_.own(element, lanes, false);
                cycles_.loads += times * read.cycles;
                add_masks(element, lanes, times);
                instructions_ += times * read.instructions;
            }
        }
    }

    // Steps of a reduction in one iteration.
    [[nodiscard]] double steps() const {
        double steps = 1;
        for (const Copies& each : body_.copies) {
            steps *= stage_.loops[each.dim].is_reduction() ? each.count : 1;
        }
        return steps;
    }

    // 4. Registers.

    void note_invariant(const Family& family, std::size_t at, double distinct) {
        if (at > body_.rolled && body_.rolled < nest_.loops.size()) {
            const ElementType type = type_of(family);
            invariants_ += distinct * instructions(machine_, type, lanes_of(family)).count;
        }
    }

    // Vectors of what is computed in each iteration of the innermost loop: sums stay where they are
    // meanwhile. 28 sums took 1.25 times as long as 24 where four vectors are packed for each step
    // (a product of bytes, Zen 5).
    [[nodiscard]] double computed_inside() const {
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

    void spill() {
        constexpr double kTemporaries = 4;
        const double free =
            machine_.registers.value_or(16) - computed_inside() - std::max(kTemporaries, waiting());
        const double times = nest_.iterations(body_.rolled);
        // An accumulator that has no register is loaded and stored at each step, an invariant
        // loaded.
        const double spilled = steps() * std::clamp(accumulators_ - free, 0.0, accumulators_);
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
        if (body_.dot_dim >= 0) {
            return;  // it is one instruction
        }
        double vectors = 0;  // of work, in units of the widest
        double registers = 1;
        for (const OpCount& op : own_.counts) {
            const bool vector = body_.vector_dim >= 0 && contains(op.loops, body_.vector_dim);
            if (op.operation && vector) {
                registers = std::max(registers, instructions(machine_, op.type, body_.lanes).count);
                vectors += op.count;
            }
        }
        const double alive = registers * std::min(vectors + 1, kAlive);
        const double free = machine_.registers.value_or(16);
        if (alive <= free) {
            return;
        }
        const double spilled = (1 - free / alive) * vectors * registers * body_.all_copies *
                               nest_.iterations(body_.rolled);
        cycles_.loads += spilled * machine_.load[Width::Bytes32].value_or(0.5);
        cycles_.stores += spilled * machine_.store[Width::Bytes32].value_or(1);
        instructions_ += 2 * spilled;
    }

    // Values of a family that wait at the same time for a copy that uses them again: all that the
    // copies inside of the outermost loop that shares any of them use.
    [[nodiscard]] double waiting(const Family& family) const {
        const LoopSet apart = sharing_.apart(family);
        double waiting = family.members;
        double before = family.members;
        for (std::size_t i = 0; i < body_.copies.size(); i++) {
            const double with = family.distinct(std::span<const Copies>(body_.copies).first(i + 1),
                                                kAllLoops, apart);
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
    void visit_shared(const Visit& visit) const {
        for (const auto* families : {&nest_.expansion->inlined, &nest_.expansion->loads}) {
            for (const Family& family : *families) {
                const double uses = family.members * body_.all_copies;
                const double distinct = this->distinct(family);
                const bool hoisted =
                    innermost_of([&](int dim) { return family.depends_on(dim); }) > body_.rolled;
                if (!hoisted && uses > distinct && !only_reads(family)) {
                    const double vectors =
                        instructions(machine_, type_of(family), lanes_of(family)).count;
                    visit(family, vectors, uses * vectors, distinct * vectors,
                          families == &nest_.expansion->inlined);
                }
            }
        }
    }

    // Whether it is an inlined function that is another one's value: that one's load is what waits.
    [[nodiscard]] bool only_reads(const Family& family) const {
        return family.source == Source::Function &&
               facts_.placement().is_transparent(family.index) &&
               std::ranges::all_of(facts_.graph().functions[family.index].stages,
                                   [](const Stage& stage) { return stage.ops.counts.empty(); });
    }

    // Vectors that wait for the next copy that uses them, all together.
    [[nodiscard]] double waiting() const {
        double all = 0;
        visit_shared([&](const Family& family, double vectors, double, double, bool) {
            all += waiting(family) * vectors;
        });
        return all;
    }

    // Values without a register are loaded again by each copy that shares them, and those that are
    // computed are stored first.
    void spill_shared() {
        const double all = waiting();
        const double free = machine_.registers.value_or(16);
        if (all <= free) {
            return;
        }
        const double spilled = (1 - free / all) * nest_.iterations(body_.rolled);
        const double load = machine_.load[Width::Bytes32].value_or(0.5);
        const double store = machine_.store[Width::Bytes32].value_or(1);
        visit_shared([&](const Family&, double, double uses, double distinct, bool computed) {
            cycles_.loads += spilled * (uses - distinct) * load;
            cycles_.stores += computed ? spilled * distinct * store : 0;
            instructions_ += spilled * (uses - (computed ? 0 : distinct));
        });
    }

    // Rows whose distance from each other is no constant have an address each, which is loaded
    // where it has no register (32 copies of nine taps each: 251 loads of addresses beside the 288
    // of what is there; depthwise_conv).
    void spill_addresses() {
        const double spilled =
            std::max(0.0, addresses_ - kAddresses) * nest_.iterations(body_.rolled);
        cycles_.loads += spilled * machine_.load[Width::Scalar].value_or(0.5);
        instructions_ += spilled;
    }

    // Of a load in each iteration of the innermost loop.
    void note_addresses(const Family& family) {
        if (innermost_of([&](int dim) { return family.depends_on(dim); }) <= body_.rolled) {
            addresses_ +=
                family.distinct(body_.copies, coordinates_of_rows(family), sharing_.apart(family));
        }
    }

    // Those along which neighbours are no constant distance apart.
    [[nodiscard]] LoopSet coordinates_of_rows(const Family& family) {
        LoopSet rows = 0;
        for (int c = 0; c < std::ssize(family.coords); c++) {
            rows |= sharing_.has_known_distance(family, c) ? 0 : loop_set(c);
        }
        return rows;
    }

    // 5. Chains.

    void count_chains() {
        if (!stage_.reads_itself || body_.rolled >= nest_.loops.size()) {
            return;
        }
        const Loop& innermost = stage_.loops[nest_.loops[body_.rolled].site.loop.dim];
        if (!innermost.is_reduction()) {
            return;
        }
        const bool in_registers =
            accumulators_ > 0 && accumulators_ <= machine_.registers.value_or(16);
        const double step = step_latency() + (in_registers ? 0 : kForwarding);
        cycles_.latency = nest_.iterations(body_.rolled) * steps() * step * share_at_same_place();
    }

    // Of updates, those that change what the one before has changed.
    [[nodiscard]] double share_at_same_place() const {
        const Function& f = facts_.graph().functions[nest_.function];
        double places = 0;
        for (std::size_t d = 0; d < nest_.stores().size(); d++) {
            if (!nest_.stores()[d].affine) {
                places = std::max(places, 1.0) * static_cast<double>(f.region[d].extent);
            }
        }
        return kPlacesApart / (kPlacesApart + places);
    }

    // Of an associative update, one operation; otherwise all of them that change from step to step,
    // as far as they are few.
    [[nodiscard]] double step_latency() const {
        if (stage_.product && body_.dot_dim >= 0) {
            const Width width =
                instructions(machine_, dot_.type, body_.lanes * dot_.elements).width;
            return machine_.operations[Arithmetic::DotProduct][dot_.type][width].latency.value_or(
                5);
        }
        double sum = 0;
        double longest = 1;
        const int step = nest_.loops[body_.rolled].site.loop.dim;
        for (const OpCount& op : stage_.ops.counts) {
            using enum Arithmetic;
            const bool waits = op.operation == Add || op.operation == Minimum ||
                               op.operation == Multiply || op.operation == MultiplyAdd ||
                               op.operation == Divide;
            if (!waits || !contains(op.loops, step)) {
                continue;
            }
            const Width width = instructions(machine_, op.type, body_.lanes).width;
            const double latency =
                machine_.operations[*op.operation][op.type][width].latency.value_or(4);
            sum += op.count * latency;
            longest = std::max(longest, latency);
        }
        return stage_.associative ? longest : std::clamp(sum, longest, 6 * longest);
    }

    // 6. Loops.

    void count_loops() {
        for (std::size_t i = body_.rolled; i < nest_.loops.size(); i++) {
            if (nest_.loops[i].run == LoopRun::Unrolled || nest_.loops[i].trips <= 1) {
                continue;
            }
            const double iterations = nest_.iterations(i);
            if (i == body_.rolled) {
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
    const KnownPhases phases_;
    const Body body_;
    const OpCounts& own_;  // of one evaluation
    const Sharing sharing_;
    const Accesses accesses_;
    DotWork dot_;
    double masked_ = 0;     // see masked_share()
    int masked_bytes_ = 0;  // see Machine::masked_bytes(); 0: nothing is masked
    double instructions_ = 0;
    double accumulators_ = 0;            // registers
    double invariants_ = 0;              // registers
    double addresses_ = 0;               // of what each iteration of the innermost loop loads
    std::vector<double> border_shares_;  // [loop]; empty, below 0: not asked for
    NestCycles cycles_;
};

}  // namespace

double NestCycles::busiest() const {
    return std::max({arithmetic, scalars, loads, stores, issue});
}

double NestCycles::total() const {
    constexpr double kNotHidden = 0.15;
    const double longest = std::max(busiest(), latency);
    const double all = arithmetic + scalars + loads + stores;
    return longest + kNotHidden * (all - std::min(longest, all)) + loops;
}

NestCycles nest_cycles(ScheduleFacts& facts, const NestFacts& nest) {
    return NestWork(facts, nest).run();
}

}  // namespace nestor
