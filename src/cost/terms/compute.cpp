#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "cost/accesses.h"
#include "cost/body.h"
#include "cost/body_families.h"
#include "cost/conditions.h"
#include "cost/dots.h"
#include "cost/phases.h"
#include "cost/registers.h"
#include "cost/spills.h"
#include "cost/terms.h"
#include "schedule/loops.h"

namespace nestor {

namespace {

constexpr double kIssueWidth = 6;   // instructions a cycle; of current x86 and Arm cores, 4 to 8
constexpr double kEndless = 1e15;   // cycles
constexpr double kCallCycles = 40;  // of a function of the C library, for one element
// Cycles of an innermost loop that begins and ends: addresses, the branch that is not foreseen, and
// the pipeline that runs empty. Where a short loop ends, branch prediction has learned.
constexpr double kLoopEntry = 60;
constexpr double kShortLoopEntry = 15;
constexpr double kShortLoop = 8;       // iterations
constexpr double kOuterIteration = 3;  // cycles of an iteration of a loop around others: addresses
// Real code waits for operands and ports more than independent instructions do, by which
// throughputs are measured.
constexpr double kStalls = 1.6;
constexpr double kCondition = 2;  // instructions
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
// Cycles of the vector units for an element that a border chooses, for all lanes: its condition
// becomes a mask, and the element a vector, which for others the load does (24 of them for 72 sums
// of products of 16 floats, whose conditions have no registers: 3 cycles each, kStalls included,
// Xeon 5).
constexpr double kChosenElement = 1.5;
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
          families_(facts, nest, body_),
          own_(own_operations()),
          spills_(facts, nest, body_, families_, own_),
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
        spills_.add_to(cycles_, instructions_);
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
    // What elements of a tuple, or the points of phases, which are copies of the body, have in
    // common LLVM computes once where each value is one register.
    // It takes binary operations of wider loads apart, register by register, unless something else
    // reads these loads as well, so that equal parts of different elements are equal no more (sums
    // of the colours and weights of a bilateral filter: 2.5 times as long with 16 lanes as with 8,
    // AVX2).
    [[nodiscard]] const OpCounts& own_operations() const {
        if (nest_.selected) {
            return stage_.selector->ops;
        }
        const unsigned known = phases_.own();
        const OpCounts* merged = stage_.merged_ops ? &*stage_.merged_ops : nullptr;
        if (known > 0) {
            merged = &stage_.merged_phase_ops[known - 1];
        }
        return merged != nullptr && !loads_wider_than_registers() ? *merged : ops_in(stage_, known);
    }

    [[nodiscard]] bool loads_wider_than_registers() const {
        return std::ranges::any_of(nest_.expansion->loads, [&](const Family& family) {
            return families_.vectors_of(family) > 1;
        });
    }

    // 1. How often something runs that changes with some of the loops only.

    // Of loads and stores LLVM takes none out of a condition.
    template <class DependsOn>
    [[nodiscard]] std::size_t innermost_access(const DependsOn& depends_on) const {
        return body_.guarded > 1 || body_.conditions > 0 ? body_.rolled
                                                         : families_.innermost_of(depends_on);
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
        const bool every_lane = body_.vector_dim >= 0 && contains(loops, body_.vector_dim);
        const bool every_step = body_.dot_dim >= 0 && contains(loops, body_.dot_dim);
        add_operations(op, (every_lane ? body_.lanes : 1) * (every_step ? steps : 1),
                       times_of(loops, copies));
    }

    [[nodiscard]] double times_of(LoopSet loops, double copies) const {
        const auto changes = [&](int dim) { return contains(loops, dim); };
        return body_.guarded * copies * nest_.iterations(families_.innermost_of(changes));
    }

    // A choice whose result is one element for all lanes takes more than the operation.
    void add_border(const BorderOp& border, LoopSet loops, double copies) {
        add_changing(border.op, loops, 1, copies);
        if (border.is_choice && body_.vector_dim >= 0 && !contains(loops, body_.vector_dim)) {
            const double times = times_of(loops, copies);
            cycles_.arithmetic += times * kChosenElement;
            instructions_ += times * 2;
        }
    }

    // Share of the evaluations in which Halide does not know how a comparison with a border ends
    // that changes with these loops of the nest: see border_share(). What is the same for all that
    // an iteration of the innermost loop does is asked once for many.
    [[nodiscard]] double share_unknown(LoopSet condition) {
        double share = 0;
        for (int d = 0; d < std::ssize(stage_.loops); d++) {
            if (contains(condition, d) && (d == body_.vector_dim || differs_in_body(d))) {
                share = std::max(share, share_at_border(d));
            }
        }
        return share;
    }

    // Copies of the body that differ in these loops.
    [[nodiscard]] double copies_along(LoopSet loops) const {
        double copies = 1;
        for (const Copies& each : body_.copies) {
            copies *= contains(loops, each.dim) ? each.count : 1;
        }
        return copies;
    }

    void count_own() {
        for (const OpCount& op : (body_.dot_dim >= 0 ? dot_.ops : own_).counts) {
            add_changing(op, op.loops, dot_.elements, copies_along(op.loops));
        }
        for (const BorderOp& each : stage_.border_ops) {
            const double share = share_unknown(each.condition);
            add_border(each, each.op.loops, share * copies_along(each.op.loops));
        }
    }

    // The coordinates of an inlined function that loops of its stage go over, and how often its
    // own reductions repeat what changes with them.
    struct InlinedLoops {
        LoopSet coords = 0;
        double repeats = 1;
    };

    static InlinedLoops loops_of_inlined(const Stage& stage, LoopSet loops) {
        InlinedLoops result;
        for (int l = 0; l < std::ssize(stage.loops); l++) {
            const Loop& loop = stage.loops[l];
            if (!contains(loops, l)) {
                continue;
            }
            if (loop.is_reduction()) {
                result.repeats *= static_cast<double>(loop.range.extent);
            } else {
                result.coords |= loop_set(loop.position);
            }
        }
        return result;
    }

    void count_inlined(const Family& family) {
        const Function& f = facts_.graph().functions[family.index];
        spills_.note(family, families_.innermost_of(family),
                     body_.guarded * families_.distinct(family));
        // The operations are those of all elements of a tuple, and each has a family of its own.
        const double each = family.times / std::max(1.0, static_cast<double>(f.types.size()));
        const LoopSet apart = families_.sharing().apart(family);
        const auto copies_of = [&](const InlinedLoops& loops) {
            return each * loops.repeats * family.distinct(body_.copies, loops.coords, apart);
        };
        for (const Stage& stage : f.stages) {
            for (const OpCount& op : ops_in(stage, phases_.of(family, stage)).counts) {
                const InlinedLoops loops = loops_of_inlined(stage, op.loops);
                add_changing(op, family.changing_with(loops.coords), body_.steps_in_vector,
                             copies_of(loops));
            }
            for (const BorderOp& border : stage.border_ops) {
                const LoopSet condition = loops_of_inlined(stage, border.condition).coords;
                const double share = share_unknown(family.changing_with(condition));
                const InlinedLoops loops = loops_of_inlined(stage, border.op.loops);
                add_border(border, family.changing_with(loops.coords), share * copies_of(loops));
            }
        }
    }

    // 3. Loads and stores.

    void count_loads(const Family& family) {
        const std::size_t at = innermost_access([&](int dim) { return family.depends_on(dim); });
        const double distinct = body_.guarded * families_.distinct(family);
        spills_.note(family, at, distinct);
        if (family.source == Source::Function && stays_in_registers(facts_, family.index)) {
            return;
        }
        spills_.note_addresses(family);
        const int dense = facts_.placement().dense_dim(family.source, family.index);
        const ElementType type = families_.type_of(family);
        const double lanes = families_.lanes_of(family);
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
                const double copies =
                    family.times *
                    family.distinct(body_.copies, loop_set(c), families_.sharing().apart(family));
                for (const Arithmetic operation : {Arithmetic::Multiply, Arithmetic::Add}) {
                    add_changing({operation, ElementType::Int32, kAllLoops, 1}, loops, 1, copies);
                }
            }
        }
    }

    // Of single elements at clamped coordinates, each has its own comparisons where no loop is
    // divided so that they are known.
    void add_clamps(const Family& family, double lanes, double times) {
        if (lanes > 1) {
            return;
        }
        double clamps = 0;
        for (const Coordinate& each : family.coords) {
            LoopSet compared = 0;
            for (int d = 0; each.affine && d < std::ssize(stage_.loops); d++) {
                const bool moves = each.is_clamped_along(d) && each.rates[d] != 0;
                compared |= moves ? loop_set(d) : 0;
            }
            clamps += share_unknown(compared);
        }
        cycles_.scalars += clamps * kClamp * times;
        instructions_ += 2 * clamps * kClamp * times;
    }

    // Whether copies of the body, or iterations of its loop, are at different points along a
    // dimension.
    [[nodiscard]] bool differs_in_body(int dim) const {
        return std::ranges::any_of(
                   body_.copies,
                   [&](const Copies& each) { return each.dim == dim && each.count > 1; }) ||
               (body_.rolled < nest_.loops.size() &&
                nest_.loops[body_.rolled].site.loop.dim == dim);
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

    // Vectors that straddle two cache lines take two loads: those that are not whole vectors from
    // each other, as a window's columns.
    [[nodiscard]] double unaligned(const Family& family, int dense, ElementType type,
                                   double lanes) const {
        if (lanes <= 1 || !family.is_affine() || dense >= static_cast<int>(family.coords.size())) {
            return 1;
        }
        const double line = machine_.line_bytes.value_or(64);
        const double bytes = std::min(lanes * bytes_of(type), machine_.vector_bytes[type].value);
        const double elements = bytes / bytes_of(type);
        const Coordinate& along = family.coords[dense];
        double places = family.box[dense];
        const bool in_order =
            body_.vector_dim >= 0 && std::abs(along.rates[body_.vector_dim]) * body_.apart == 1;
        for (const Copies& each : body_.copies) {
            const double move = in_order ? along.rates[each.dim] * each.stride : 0;
            const bool whole = move == std::floor(move);
            places *= whole && std::fmod(move, elements) != 0 ? each.count : 1;
        }
        const bool shifted = std::fmod(static_cast<double>(along.offset_min), lanes) != 0;
        const double share = places > 1 ? 1 - 1 / std::min(places, elements) : (shifted ? 1 : 0);
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
            if (stored > body_.rolled) {
                spills_.note_accumulators(copies * instructions(machine_, element, lanes).count);
            }
            if (in_registers) {
                continue;
            }
            const double times =
                copies * (in_memory ? spills_.steps() : 1) * nest_.iterations(stored);
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

    // 4. Chains.

    void count_chains() {
        if (!stage_.reads_itself || body_.rolled >= nest_.loops.size()) {
            return;
        }
        const int innermost = nest_.loops[body_.rolled].site.loop.dim;
        if (!stage_.loops[innermost].is_reduction() || !meets_step_before(innermost)) {
            return;
        }
        const double step =
            step_latency() + (spills_.has_accumulators_in_registers() ? 0 : kForwarding);
        cycles_.latency =
            nest_.iterations(body_.rolled) * spills_.steps() * step * share_at_same_place();
    }

    // Whether a step of a reduction may need what the one before has stored. Where each stores
    // somewhere else, that is what is read at a distance along the loop: a scan, but not
    // x(i) -= a(i, j) * x(j) along i.
    [[nodiscard]] bool meets_step_before(int loop) const {
        const std::vector<Coordinate>& stores = nest_.stores();
        if (!nest_.stores_change_with(loop) || !std::ranges::all_of(stores, &Coordinate::affine)) {
            return true;
        }
        return std::ranges::any_of(stage_.own_loads, [&](const Load& load) {
            bool follows = false;
            for (std::size_t c = 0; c < stores.size(); c++) {
                const Coordinate& read = load.coords[c];
                const std::optional<std::int64_t> distance = distance_of(read, stores[c]);
                if (!stores[c].changes_with(loop)) {
                    if (distance.value_or(0) != 0) {
                        return false;  // another row
                    }
                } else if (!read.affine || (read.changes_with(loop) && distance != 0)) {
                    follows = true;
                }
            }
            return follows;
        });
    }

    // Where it is the same at all points.
    static std::optional<std::int64_t> distance_of(const Coordinate& a, const Coordinate& b) {
        const bool is_constant = a.affine && b.affine && a.rates == b.rates &&
                                 a.offset_min == a.offset_max && b.offset_min == b.offset_max &&
                                 a.clamped == b.clamped;
        return is_constant ? std::optional(a.offset_min - b.offset_min) : std::nullopt;
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

    // 5. Loops.

    void count_loops() {
        for (std::size_t i = body_.rolled; i < nest_.loops.size(); i++) {
            if (nest_.loops[i].run == LoopRun::Unrolled || nest_.loops[i].trips <= 1) {
                continue;
            }
            const double iterations = nest_.iterations(i);
            if (i == body_.rolled) {
                instructions_ += 3 * iterations;
                const bool is_short = nest_.loops[i].trips <= kShortLoop;
                cycles_.loops +=
                    (is_short ? kShortLoopEntry : kLoopEntry) * nest_.iterations(i + 1);
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
    const BodyFamilies families_;
    const OpCounts& own_;  // of one evaluation
    Spills spills_;
    const Accesses accesses_;
    DotWork dot_;
    double masked_ = 0;     // see masked_share()
    int masked_bytes_ = 0;  // see Machine::masked_bytes(); 0: nothing is masked
    double instructions_ = 0;
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
