// The size of the code that a schedule makes of a pipeline: what compiling it takes.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "schedule/access_along.h"
#include "schedule/joined.h"
#include "schedule/loops.h"
#include "schedule/rules/copies.h"
#include "schedule/rules/rules.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

// Whether a stage, with what is inlined into it, meets the border of something.
bool meets_border(const RuleContext& c, int function, int stage, std::vector<bool>& seen) {
    return std::ranges::any_of(
        c.graph.functions[function].stages[stage].loads, [&](const Load& load) {
            if (std::ranges::any_of(load.coords, &Coordinate::clamped)) {
                return true;
            }
            if (load.source != Source::Function || !c.placement.is_transparent(load.index) ||
                seen[load.index]) {
                return false;
            }
            seen[load.index] = true;
            return std::ranges::any_of(
                c.graph.functions[load.index].stages,
                [&](const Stage& inner) { return meets_border(c, load.index, inner.index, seen); });
        });
}

bool has_guard(const LoopNest& nest, const std::vector<StageDim>& dims, int stage) {
    for (int d = 0; d < static_cast<int>(dims.size()); d++) {
        // Between tasks, it is a branch for each iteration.
        if (!makes_tasks(nest, d) && has_guard(nest, dims, stage, d)) {
            return true;
        }
    }
    return false;
}

// The sizes that a nest is for, all outputs named.
using Sizes = std::vector<ExtentCondition>;

Sizes named(Sizes when, int function) {
    for (ExtentCondition& condition : when) {
        condition.output = condition.output_for(function);
    }
    return when;
}

// Of all nests of a stage that are for some sizes only.
std::vector<Sizes> cases(const RuleContext& c, int function, int stage) {
    std::vector<Sizes> result;
    for (const Specialization& each :
         c.schedule.functions[function].stages[stage].specializations) {
        if (!each.when.empty()) {
            result.push_back(named(each.when, function));
        }
    }
    return result;
}

Sizes sizes_of(const RuleContext& c, int function, int stage, const LoopNest& nest) {
    const Specialization* const mine = c.case_of(function, stage, nest);
    return mine == nullptr ? Sizes() : named(mine->when, function);
}

// Whether what has nests for `cases` (of which this one is for `mine`) can run in the loops of a
// nest for the sizes `around`. Halide leaves out what cannot.
bool can_meet(const Sizes& mine, const std::vector<Sizes>& cases, const Sizes& around) {
    const auto always_in = [&](const Sizes& sizes) {
        return std::ranges::all_of(sizes, [&](const ExtentCondition& each) {
            return std::ranges::any_of(
                around, [&](const ExtentCondition& holds) { return holds.implies(each); });
        });
    };
    return mine.empty() ? std::ranges::none_of(cases, always_in) : always_in(mine);
}

// The dimensions of a stage where that nest runs: tiles that are there for sure have their extents.
std::vector<StageDim> dims_where(const RuleContext& c, int function, int stage,
                                 const LoopNest& nest) {
    return sizes_of(c, function, stage, nest).empty() ? c.placement.dims(function, stage)
                                                      : c.bounds.dims(function, stage);
}

// Copies that Halide makes of what is inside of loop number `from` of a nest, to have the bulk of
// the iterations of each loop without the conditions of tails and borders (loop partitioning).
std::int64_t partitions(const RuleContext& c, int function, int stage, const LoopNest& nest,
                        int from) {
    const std::vector<StageDim> dims = dims_where(c, function, stage, nest);
    std::vector<bool> seen(c.graph.functions.size(), false);
    const std::int64_t each = meets_border(c, function, stage, seen) ? 3
                              : has_guard(nest, dims, stage)         ? 2
                                                                     : 1;
    const std::vector<LoopRef> order = loop_order(nest, dims);
    std::int64_t copies = 1;
    for (int at = from; at < static_cast<int>(order.size()); at++) {
        const LoopRef loop = order[at];
        const bool whole = std::ranges::any_of(nest.partition, [&](const LoopPartition& policy) {
            return policy.loop == loop && policy.policy == PartitionPolicy::Never;
        });
        if (!whole && nest.is_rolled(loop)) {
            copies = times(copies, each);
        }
    }
    return copies;
}

// The same for all nests around one of a function's.
std::int64_t partitions_around(const RuleContext& c, int function, int stage,
                               const LoopNest& nest) {
    std::int64_t copies = 1;
    const Sizes mine = sizes_of(c, function, stage, nest);
    const std::vector<Sizes> all = cases(c, function, stage);
    for (const LoopSite& site : c.placement.chain(c.schedule.functions[function].compute.site)) {
        const std::vector<StageDim> dims = c.placement.dims(site.function, site.stage);
        const bool sized = !all.empty() && !cases(c, site.function, site.stage).empty();
        std::int64_t most = 1;
        std::int64_t nests = 0;
        for (const LoopNest* around : c.placement.nests(site.function, site.stage)) {
            if (sized && !can_meet(mine, all, sizes_of(c, site.function, site.stage, *around))) {
                continue;
            }
            const int from = position(loop_order(*around, dims), site.loop);
            most = std::max(most, partitions(c, site.function, site.stage, *around, from));
            nests++;
        }
        // Each specialised nest has its own copy.
        copies = times(times(copies, most), std::max<std::int64_t>(1, nests));
    }
    return copies;
}

// Instructions that each operation of a vector becomes. Elements that are not next to each other
// are shuffled out of as many vectors as they are apart, or taken one by one.
std::int64_t instructions_per_vector(const RuleContext& c, int function, int stage,
                                     const LoopNest& nest, const std::vector<StageDim>& dims) {
    constexpr std::int64_t kRegisterBytes = 32;
    if (!nest.vector) {
        return 1;
    }
    const Function& f = c.graph.functions[function];
    const std::int64_t lanes = loop_extent(nest, dims, *nest.vector);
    const Loop& loop = f.stages[stage].loops[nest.vector->dim];
    std::int64_t apart = 1;
    if (!loop.is_reduction()) {
        apart = access_along(c.placement, function, loop.position).distance;
    }
    const std::int64_t registers =
        std::max<std::int64_t>(1, lanes * f.bytes_per_point() / kRegisterBytes);
    const std::int64_t shuffles = apart > 2 ? 2 * apart : 1;
    return apart == kScattered ? lanes : std::min(lanes, registers * shuffles);
}

// Whether vectors along a loop take every third or more distant point of what a load reads.
bool is_far_along(const RuleContext& c, const Load& load, int loop) {
    const bool expanded = load.source == Source::Function && c.placement.is_transparent(load.index);
    for (int k = 0; k < std::ssize(load.coords); k++) {
        const Coordinate& at = load.coords[k];
        if (!at.changes_with(loop) || (!at.affine && !at.usually_affine)) {
            continue;
        }
        const double rate = std::abs(at.rates[loop]);
        if (rate > 0 && rate * (expanded ? access_along(c.placement, load.index, k).rate : 1) > 2) {
            return true;
        }
    }
    return false;
}

// Copies of a nest's vectors that are each shuffled out of others, as in pyramids whose levels are
// inlined. LLVM's time grows much faster than the number of such shuffles in a block: four
// copies of one of local_laplacian's levels take 56 s, one 2 s. What does not move with an unrolled
// loop (the rows of a register tile, of a filter with a step) is shuffled once for all of it.
std::int64_t shuffled_copies(const RuleContext& c, int function, int stage, const LoopNest& nest,
                             const std::vector<StageDim>& dims) {
    const Stage& mine = c.graph.functions[function].stages[stage];
    if (!nest.vector || nest.unrolled.empty() || mine.loops[nest.vector->dim].is_reduction()) {
        return 1;
    }
    std::vector<const Load*> far;
    for (const Load& load : mine.loads) {
        if (is_far_along(c, load, nest.vector->dim)) {
            far.push_back(&load);
        }
    }
    std::int64_t copies = 1;
    for (const LoopRef& loop : nest.unrolled) {
        const bool moves = std::ranges::any_of(
            far, [&](const Load* load) { return change_with(load->coords, loop.dim); });
        copies = times(copies, moves ? loop_extent(nest, dims, loop) : 1);
    }
    return copies;
}

// Nodes of the expression in each of a stage's nests. Where they are cases of a selector, each has
// its part only.
std::int64_t nest_size(const RuleContext& c, int f, int s, InlinedSizes& sizes) {
    const Stage& stage = c.graph.functions[f].stages[s];
    std::int64_t size = sizes.of(stage);
    if (has_selected(c.schedule.functions[f].stages[s])) {
        const float share = stage.selector->ops.work() / std::max(1.0F, stage.ops.work());
        size -= static_cast<std::int64_t>(std::max(0.0F, 1 - share) *
                                          static_cast<float>(stage.distinct_nodes));
    }
    return size;
}

// Loads of one evaluation of a stage with all that is inlined into it, of elements of fewer bytes
// than that.
class InlinedLoads {
  public:
    explicit InlinedLoads(const RuleContext& c, int bytes = std::numeric_limits<int>::max())
        : c_(c), bytes_(bytes), known_(c.functions(), -1) {}

    std::int64_t of(const Stage& stage) {
        std::int64_t count = 0;
        for (const Load& load : stage.loads) {
            const bool expanded =
                load.source == Source::Function && c_.placement.is_transparent(load.index);
            const std::int64_t own = bytes_of(load) < bytes_ ? 1 : 0;
            count = std::min(kMany, count + (expanded ? of_function(load.index) : own));
        }
        return count;
    }

  private:
    [[nodiscard]] int bytes_of(const Load& load) const {
        return load.source == Source::Input
                   ? c_.graph.inputs[load.index].type.bytes()
                   : c_.graph.functions[load.index].types[load.value].bytes();
    }

    std::int64_t of_function(int f) {
        if (known_[f] < 0) {
            known_[f] = 0;
            for (const Stage& stage : c_.graph.functions[f].stages) {
                known_[f] = std::min(kMany, known_[f] + of(stage));
            }
        }
        return known_[f];
    }

    const RuleContext& c_;
    int bytes_;
    std::vector<std::int64_t> known_;  // by function; -1: not yet
};

// Elements of a nest's vectors that are loaded and stored under masks which the machine does not
// have, in all unrolled copies: in the part of its loops where not all of a block is there.
std::int64_t masked_one_by_one(const RuleContext& c, int f, int s, const LoopNest& nest,
                               const std::vector<StageDim>& dims, std::int64_t copies,
                               InlinedLoads& narrow_loads) {
    if (c.caps.masked_bytes <= 1 || !nest.vector || !has_guard(nest, dims, s, nest.vector->dim)) {
        return 0;
    }
    const Function& function = c.graph.functions[f];
    const Stage& stage = function.stages[s];
    const std::int64_t stored = std::ranges::count_if(
        function.types, [&](const ScalarType& type) { return type.bytes() < c.caps.masked_bytes; });
    const std::int64_t accesses = narrow_loads.of(stage) + stored * (stage.reads_itself ? 2 : 1);
    return times(times(accesses, copies), loop_extent(nest, dims, *nest.vector));
}

// Nodes that take as long as so many branches for elements under masks: 1.5 s for 1,500 of them, 8
// for 6,000, 37 for 12,000 in one program (chains of sums of two neighbours, of bytes and of 16
// bits, AVX2).
double nodes_of_masks(double elements) {
    constexpr double kNodes = 4;
    constexpr double kTwice = 6000;
    return kNodes * elements * (1 + elements / kTwice);
}

// Whether the vectors of a nest have a guard, and elements that are not next to each other: Halide
// makes each of these a branch of its own then.
bool guards_scattered(const RuleContext& c, int f, int s, const LoopNest& nest,
                      const std::vector<StageDim>& dims) {
    const Loop& loop = c.graph.functions[f].stages[s].loops[nest.vector->dim];
    return !loop.is_reduction() && has_guard(nest, dims, s, nest.vector->dim) &&
           access_along(c.placement, f, loop.position).distance > 1;
}

// How many times the code of a nest is larger for the elements of its vectors that are loaded one
// by one, at borders and under guards. LLVM's time grows faster than their number in a block, and
// faster still where each of them is a branch.
double loaded_one_by_one(const RuleContext& c, int f, int s, const LoopNest& nest,
                         const std::vector<StageDim>& dims, std::int64_t copies,
                         InlinedLoads& loads) {
    constexpr double kFew = 1000;        // elements
    constexpr double kFewBranches = 50;  // elements
    if (!nest.vector) {
        return 1;
    }
    std::vector<bool> seen(c.graph.functions.size(), false);
    const bool guarded = guards_scattered(c, f, s, nest, dims);
    if (!guarded && !meets_border(c, f, s, seen)) {
        return 1;
    }
    const double elements = static_cast<double>(loads.of(c.graph.functions[f].stages[s])) *
                            static_cast<double>(copies * loop_extent(nest, dims, *nest.vector));
    return std::max(1.0, std::pow(elements / (guarded ? kFewBranches : kFew), 1.5));
}

// What LLVM takes, as nodes, for a block with many loads of which several differ by constants, as
// those of unrolled vectors of a row do: a second up to 200 loads, 12 s for 256 and 94 s for 512 of
// float(x, y) = in(x, y) + in(x, y + 1), where 448 of other rows take 2 s (Halide 21, vectors of 64
// bytes). A vector of several registers is as many loads: 28 copies of seven loads of 256 bytes
// took more than ten minutes. `instructions`: for a vector, as instructions_per_vector() has them.
double loaded_side_by_side(const RuleContext& c, int f, int s, const LoopNest& nest,
                           const std::vector<StageDim>& dims, std::int64_t copies,
                           double instructions, InlinedLoads& loads) {
    constexpr double kMost = 200;  // loads
    constexpr double kNodes = 20'000;
    const bool side_by_side =
        nest.vector && std::ranges::any_of(nest.unrolled, [&](const LoopRef& loop) {
            return loop.dim == nest.vector->dim && loop_extent(nest, dims, loop) > 1;
        });
    constexpr double kOfWidest = 2;  // instructions of 32 bytes
    const double count = static_cast<double>(loads.of(c.graph.functions[f].stages[s])) *
                         static_cast<double>(copies) * std::max(1.0, instructions / kOfWidest);
    return side_by_side && count > kMost ? kNodes * std::pow(count / kMost, 3) : 0;
}

// Elements of memory between neighbours along a dimension of what is stored in a loop, if they are
// the same in every run, and its size is not; otherwise 0. (What has a constant size is on the
// stack, and LLVM knows it to be apart from all others.)
std::int64_t known_distance(const RuleContext& c, int function, int dim) {
    const Level storage = c.placement.store(function);
    if (c.placement.kind(function) != Placement::Kind::At || storage.kind != Level::Kind::At ||
        c.placement.dense_dim(Source::Function, function) == dim) {
        return 0;
    }
    const Regions& within = c.bounds.within(storage.site);
    const std::vector<std::int64_t> extents = within.extents(function);
    const std::vector<bool> constant = within.constant(function);
    if (std::ranges::all_of(constant, std::identity())) {
        return 0;
    }
    std::int64_t distance = 1;
    for (int i = 0; i < std::ssize(extents); i++) {
        const std::vector<int>& order = c.schedule.functions[function].storage_order;
        const int each = order.empty() ? i : order[i];
        if (each == dim) {
            return distance;
        }
        if (!constant[each]) {
            return 0;
        }
        distance = times(distance, extents[each]);
    }
    return 0;
}

// Counts the loads of an evaluation of a stage, with all that is inlined into it, whose elements
// lie so far apart along one of its loops, or further, by a constant.
class LoadsAcross {
  public:
    LoadsAcross(const RuleContext& c, std::int64_t distance) : c_(c), distance_(distance) {}

    std::int64_t of(const Stage& stage, int loop) {
        std::int64_t count = 0;
        for (const Load& load : stage.loads) {
            for (int k = 0; k < std::ssize(load.coords) && load.source == Source::Function; k++) {
                if (load.coords[k].changes_with(loop)) {
                    count = std::min(kMany, count + along(load.index, k));
                }
            }
        }
        return count;
    }

  private:
    std::int64_t along(int f, int dim) {
        const auto [known, is_new] = known_.try_emplace({f, dim}, 0);
        if (is_new && c_.placement.is_transparent(f)) {
            std::int64_t count = 0;
            for (const Stage& stage : c_.graph.functions[f].stages) {
                for (int l = 0; l < std::ssize(stage.loops); l++) {
                    if (!stage.loops[l].is_reduction() && stage.loops[l].position == dim) {
                        count = std::min(kMany, count + of(stage, l));
                    }
                }
            }
            known_[{f, dim}] = count;
        } else if (is_new) {
            known->second = known_distance(c_, f, dim) >= distance_ ? 1 : 0;
        }
        return known_[{f, dim}];
    }

    const RuleContext& c_;
    std::int64_t distance_;
    std::map<std::pair<int, int>, std::int64_t> known_;  // by function and dimension
};

// What LLVM takes, as nodes, for a block that turns rows of memory: Halide takes whole vectors
// apart where elements are fewer apart than a vector has, and otherwise loads them one by one. Each
// such load is compared with each store of the block. Rows of 8 floats in vectors of 8 (four loads
// an evaluation, 8 channels, unrolled): 1.8 s for one row, 4.5 for two, 26 for three, more than
// five minutes for four; rows of 16 in vectors of 16, one load: 30 s for 16 channels by two rows.
double loaded_across(const RuleContext& c, int f, int s, const LoopNest& nest,
                     const std::vector<StageDim>& dims, std::int64_t copies) {
    constexpr double kPairs = 8192;
    constexpr double kNodes = 28'000;
    if (!nest.vector || copies == 1) {
        return 0;
    }
    const Function& function = c.graph.functions[f];
    const std::int64_t lanes = loop_extent(nest, dims, *nest.vector);
    const std::int64_t loads = LoadsAcross(c, lanes).of(function.stages[s], nest.vector->dim);
    const double vectors =
        static_cast<double>(copies) * static_cast<double>(std::ssize(function.types));
    const double elements = static_cast<double>(times(times(loads, lanes), copies));
    return kNodes * std::pow(elements * vectors / kPairs, 2);
}

// Of all nests, in nodes of expressions as Halide lowers and LLVM compiles them: what is inlined,
// unrolled, partitioned and spread over several registers is there several times. The constants are
// a fit to the time that 20 schedules of 17 pipelines took (docs/RESULTS.md).
std::int64_t code_size(const RuleContext& c) {
    constexpr double kLoop = 400;            // nodes; addresses, and what all passes do for a loop
    constexpr double kInstruction = 0.75;    // power of the instructions for a vector
    constexpr double kShuffledCopies = 1.5;  // power of the copies, on top of their number
    InlinedSizes sizes(c, &Stage::distinct_nodes);
    InlinedLoads loads(c);
    InlinedLoads narrow_loads(c, c.caps.masked_bytes);
    std::int64_t sum = 0;
    std::int64_t masked = 0;
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>&) {
        if (c.placement.is_transparent(f)) {
            return;
        }
        const std::vector<StageDim> dims = dims_where(c, f, s, nest);
        const auto instructions = static_cast<double>(instructions_per_vector(c, f, s, nest, dims));
        std::int64_t body = nest_size(c, f, s, sizes);
        std::int64_t copies = 1;
        for (const LoopRef loop : nest.unrolled) {
            copies = times(copies, loop_extent(nest, dims, loop));
        }
        body = times(body, copies);
        if (const std::int64_t shuffled = shuffled_copies(c, f, s, nest, dims); shuffled > 1) {
            body = static_cast<std::int64_t>(static_cast<double>(body) *
                                             std::pow(shuffled, kShuffledCopies));
        }
        auto size = static_cast<std::int64_t>(kLoop + static_cast<double>(body) *
                                                          std::pow(instructions, kInstruction));
        size += static_cast<std::int64_t>(
            std::min(loaded_side_by_side(c, f, s, nest, dims, copies, instructions, loads) +
                         loaded_across(c, f, s, nest, dims, copies),
                     1e15));
        size = times(size, partitions(c, f, s, nest, 0));
        size = times(
            size, static_cast<std::int64_t>(loaded_one_by_one(c, f, s, nest, dims, copies, loads)));
        std::int64_t branches = masked_one_by_one(c, f, s, nest, dims, copies, narrow_loads);
        if (c.placement.kind(f) == Placement::Kind::At) {
            const std::int64_t around =
                times(copies_around(c, c.schedule.functions[f].compute.site),
                      partitions_around(c, f, s, nest));
            size = times(size, around);
            branches = times(branches, around);
        }
        sum = std::min(kMany, sum + size);
        masked = std::min(kMany, masked + branches);
    });
    const double of_masks = std::min(nodes_of_masks(static_cast<double>(masked)), 1e12);
    return std::min(kMany, sum + static_cast<std::int64_t>(of_masks));
}

}  // namespace

std::int64_t code_size(const PipelineDag& dag, const Schedule& schedule, const Caps& caps) {
    if (const auto together = joined(dag, schedule)) {
        return code_size(together->dag, together->schedule, caps);
    }
    const ScheduledDag derived(dag, schedule);
    const Placement placement(*derived, schedule);
    Bounds bounds(placement);
    std::vector<Violation> violations;
    return code_size({dag, schedule, derived, *derived, placement, bounds, caps, violations});
}

void check_code_size(const RuleContext& c) {
    if (c.caps.code_size < 0) {
        return;
    }
    const std::int64_t size = code_size(c);
    if (size > c.caps.code_size) {
        c.violations.push_back({"the schedule", "the size of its code is " + std::to_string(size) +
                                                    " nodes, over the cap of " +
                                                    std::to_string(c.caps.code_size)});
    }
}

}  // namespace nestor
