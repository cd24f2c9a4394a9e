// Limits that keep the compiler and the program within reason.

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "schedule/loops.h"
#include "schedule/rules/rules.h"
#include "schedule/tails.h"

namespace nestor {

namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 40;  // products stop here

std::int64_t times(std::int64_t a, std::int64_t b) {
    return std::min(kMany, std::min(kMany, a) * std::min<std::int64_t>(1 << 20, b));
}

// Copies that unrolling makes of what is inside of loop `site`, in its nest and in those around it.
std::int64_t copies_around(const RuleContext& c, const LoopSite& site) {
    std::int64_t copies = 1;
    for (const LoopSite& s : c.placement.chain(site)) {
        const std::vector<StageDim> dims = c.placement.dims(s.function, s.stage);
        std::int64_t most = 1;
        for (const LoopNest* nest : c.placement.nests(s.function, s.stage)) {
            const std::vector<LoopRef> order = loop_order(*nest, dims);
            std::int64_t product = 1;
            for (const LoopRef loop : nest->unrolled) {
                if (position(order, loop) >= position(order, s.loop)) {
                    product = times(product, loop_extent(*nest, dims, loop));
                }
            }
            most = std::max(most, product);
        }
        copies = times(copies, most);
    }
    return copies;
}

class InlinedSizes {
  public:
    explicit InlinedSizes(const RuleContext& c) : c_(c), known_(c.functions(), -1) {}

    // Nodes of a stage's expression with every inlined call replaced by the callee's expression.
    std::int64_t of(const Stage& stage) {
        std::int64_t size = stage.expression_size;
        for (const Load& load : stage.loads) {
            if (load.source == Source::Function &&
                c_.placement.kind(load.index) == Placement::Kind::Inlined) {
                size = std::min(kMany, size + of_function(load.index));
            }
        }
        return size;
    }

  private:
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
    std::vector<std::int64_t> known_;
};

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
    for (std::size_t d = 0; d < dims.size(); d++) {
        std::int64_t whole = dims[d].constant_extent ? dims[d].extent : 0;
        const std::vector<Split>& splits = splits_of(nest, static_cast<int>(d));
        for (std::size_t level = 0; level < splits.size(); level++) {
            const Tail tail = resolved(splits[level].tail, dims[d].kind, stage, level);
            const bool exact = whole > 0 && whole % splits[level].factor == 0;
            if (!exact && is_guard(tail)) {
                return true;
            }
            whole = splits[level].factor;
        }
    }
    return false;
}

// Copies that Halide makes of what is inside of loop number `from` of a nest, to have the bulk of
// the iterations of each loop without the conditions of tails and borders (loop partitioning).
std::int64_t partitions(const RuleContext& c, int function, int stage, const LoopNest& nest,
                        int from) {
    const std::vector<StageDim> dims = c.placement.dims(function, stage);
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
        if (!whole && nest.vector != loop && std::ranges::count(nest.unrolled, loop) == 0) {
            copies = times(copies, each);
        }
    }
    return copies;
}

// The same for all nests around a function's computation.
std::int64_t partitions_around(const RuleContext& c, int function) {
    std::int64_t copies = 1;
    if (c.placement.kind(function) != Placement::Kind::At) {
        return copies;
    }
    for (const LoopSite& site : c.placement.chain(c.schedule.functions[function].compute.site)) {
        const std::vector<StageDim> dims = c.placement.dims(site.function, site.stage);
        std::int64_t most = 1;
        for (const LoopNest* nest : c.placement.nests(site.function, site.stage)) {
            const int from = position(loop_order(*nest, dims), site.loop);
            most = std::max(most, partitions(c, site.function, site.stage, *nest, from));
        }
        // Each specialised nest has its own copy.
        copies = times(copies, most);
        copies = times(
            copies, static_cast<std::int64_t>(c.placement.nests(site.function, site.stage).size()));
    }
    return copies;
}

std::string over(const std::string& what, std::int64_t is, std::int64_t cap) {
    return what + " is " + std::to_string(is) + ", over the cap of " + std::to_string(cap);
}

}  // namespace

void check_unrolled_bodies(const RuleContext& c) {
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& dims) {
        std::int64_t bodies = 1;
        for (const LoopRef loop : nest.unrolled) {
            bodies = times(bodies, loop_extent(nest, dims, loop));
        }
        if (c.placement.kind(f) == Placement::Kind::At) {
            bodies = times(bodies, copies_around(c, c.schedule.functions[f].compute.site));
        }
        if (bodies > c.caps.unrolled_bodies) {
            c.broken(f, s, over("the number of unrolled bodies", bodies, c.caps.unrolled_bodies));
        }
    });
}

void check_vector_lanes(const RuleContext& c) {
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& dims) {
        if (nest.vector) {
            const std::int64_t lanes = loop_extent(nest, dims, *nest.vector);
            if (lanes > c.caps.vector_lanes) {
                c.broken(f, s, over("the number of lanes", lanes, c.caps.vector_lanes));
            }
        }
    });
}

// Memory on the stack and in registers has a constant size, and not a large one.
void check_stack(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const Memory memory = c.schedule.functions[f].memory;
        if (memory != Memory::Stack && memory != Memory::Register) {
            continue;
        }
        const Level store = c.placement.store(f);
        std::vector<bool> constant(c.graph.functions[f].args.size(), false);
        if (store.kind == Level::Kind::At) {
            constant = c.bounds.within(store.site).constant(f);
        }
        if (const std::optional<Fold>& fold = c.schedule.functions[f].fold) {
            constant[fold->dim] = true;
        }
        // What an extern stage writes is in a buffer, whose size Halide does not take for a
        // constant.
        if (std::ranges::count(constant, false) > 0 || c.graph.functions[f].is_extern) {
            c.broken(f, -1, "is on the stack or in registers, and its size is not constant");
        }
        const std::int64_t bytes = c.bounds.allocation_bytes(f);
        if (bytes > c.caps.stack_bytes) {
            c.broken(f, -1, over("its memory on the stack, in bytes,", bytes, c.caps.stack_bytes));
        }
    }
}

// A circular buffer holds at least what one computation makes.
void check_fold_factor(const RuleContext& c) {
    for (int f = 0; f < c.functions(); f++) {
        const FunctionSchedule& function = c.schedule.functions[f];
        if (!function.fold || function.compute.kind != Level::Kind::At) {
            continue;
        }
        const std::vector<std::int64_t> made = c.bounds.within(function.compute.site).extents(f);
        if (!made.empty() && made[function.fold->dim] > function.fold->factor) {
            c.broken(f, -1,
                     "is folded to " + std::to_string(function.fold->factor) +
                         ", and one computation makes " + std::to_string(made[function.fold->dim]));
        }
    }
}

void check_peak_bytes(const RuleContext& c) {
    if (c.caps.peak_bytes < 0) {
        return;
    }
    const std::int64_t bytes = peak_bytes(c.dag, c.schedule, c.caps.threads);
    if (bytes > c.caps.peak_bytes) {
        c.violations.push_back({"the schedule", over("the memory of all allocations, in bytes,",
                                                     bytes, c.caps.peak_bytes)});
    }
}

void check_inlined_size(const RuleContext& c) {
    InlinedSizes sizes(c);
    for (int f = 0; f < c.functions(); f++) {
        if (c.placement.kind(f) == Placement::Kind::Inlined) {
            continue;
        }
        for (const Stage& stage : c.graph.functions[f].stages) {
            const std::int64_t size = sizes.of(stage);
            if (size > c.caps.inlined_size) {
                c.broken(f, stage.index,
                         over("the size of its expression with what is inlined", size,
                              c.caps.inlined_size));
            }
        }
    }
}

namespace {

// Whether neighbours along a dimension of a function read what are no neighbours in memory: element
// by element, where it is a vector's.
bool is_scattered(const RuleContext& c, int function, int dim,
                  std::set<std::pair<int, int>>& seen) {
    if (!seen.insert({function, dim}).second) {
        return false;
    }
    for (const Stage& stage : c.graph.functions[function].stages) {
        for (std::size_t l = 0; l < stage.loops.size(); l++) {
            if (stage.loops[l].is_reduction() || stage.loops[l].position != dim) {
                continue;
            }
            for (const Load& load : stage.loads) {
                for (int k = 0; k < static_cast<int>(load.coords.size()); k++) {
                    const Coordinate& coordinate = load.coords[k];
                    if (coordinate.affine && coordinate.rates[l] == 0) {
                        continue;
                    }
                    const bool expanded =
                        load.source == Source::Function && c.placement.is_transparent(load.index);
                    if (expanded ? is_scattered(c, load.index, k, seen)
                                 : k != c.placement.dense_dim(load.source, load.index)) {
                        return true;
                    }
                }
            }
        }
    }
    return false;
}

// Instructions that each operation of a vector becomes.
std::int64_t instructions_per_vector(const RuleContext& c, int function, int stage,
                                     const LoopNest& nest, const std::vector<StageDim>& dims) {
    constexpr std::int64_t kRegisterBytes = 32;
    if (!nest.vector) {
        return 1;
    }
    const Function& f = c.graph.functions[function];
    const std::int64_t lanes = loop_extent(nest, dims, *nest.vector);
    const Loop& loop = f.stages[stage].loops[nest.vector->dim];
    std::set<std::pair<int, int>> seen;
    const bool scattered = !loop.is_reduction() &&
                           (loop.position != c.placement.dense_dim(Source::Function, function) ||
                            is_scattered(c, function, loop.position, seen));
    return scattered ? lanes
                     : std::max<std::int64_t>(1, lanes * f.bytes_per_point() / kRegisterBytes);
}

// Of all nests, in nodes of expressions as Halide lowers and LLVM compiles them: what is inlined,
// unrolled, partitioned and spread over several registers is there several times.
std::int64_t code_size(const RuleContext& c) {
    constexpr double kBlock = 500;  // nodes; LLVM takes more for each node of a larger one
    InlinedSizes sizes(c);
    std::int64_t sum = 0;
    c.each_nest([&](int f, int s, const LoopNest& nest, const std::vector<StageDim>& dims) {
        if (c.placement.is_transparent(f)) {
            return;
        }
        std::int64_t block = times(sizes.of(c.graph.functions[f].stages[s]),
                                   instructions_per_vector(c, f, s, nest, dims));
        for (const LoopRef loop : nest.unrolled) {
            block = times(block, loop_extent(nest, dims, loop));
        }
        std::int64_t size = static_cast<std::int64_t>(
            static_cast<double>(block) *
            std::max(1.0, std::sqrt(static_cast<double>(block) / kBlock)));
        size = times(size, partitions(c, f, s, nest, 0));
        if (c.placement.kind(f) == Placement::Kind::At) {
            size = times(size, copies_around(c, c.schedule.functions[f].compute.site));
            size = times(size, partitions_around(c, f));
        }
        sum = std::min(kMany, sum + size);
    });
    return sum;
}

}  // namespace

std::int64_t code_size(const PipelineDag& dag, const Schedule& schedule) {
    const ScheduledDag derived(dag, schedule);
    const Placement placement(*derived, schedule);
    Bounds bounds(placement);
    std::vector<Violation> violations;
    const Caps caps;
    return code_size({dag, schedule, derived, *derived, placement, bounds, caps, violations});
}

void check_code_size(const RuleContext& c) {
    if (c.caps.code_size < 0) {
        return;
    }
    const std::int64_t size = code_size(c);
    if (size > c.caps.code_size) {
        c.violations.push_back(
            {"the schedule", over("the size of its code, in nodes,", size, c.caps.code_size)});
    }
}

}  // namespace nestor
