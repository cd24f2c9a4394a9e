#pragma once
// Schedule: a complete schedule of a pipeline as a plain value. It is stored, mutated, compared,
// hashed, sent to other machines and replayed; halide/apply and the printers derive one list of
// directives from it (schedule/directives.h), so that what is printed is what is applied.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dag/pipeline_dag.h"

namespace nestor {

/** What happens at the end of a split loop whose extent is no multiple of the factor; Halide's
 *  TailStrategy, by the same names. */
enum class Tail {
    Auto,
    RoundUp,
    GuardWithIf,
    Predicate,
    PredicateLoads,
    PredicateStores,
    ShiftInwards,
    ShiftInwardsAndBlend,
    RoundUpAndBlend,
};

enum class Memory { Auto, Heap, Stack, Register };
enum class PartitionPolicy { Auto, Never, Always };
enum class PrefetchBounds { Clamp, GuardWithIf, NonFaulting };

struct Split {
    std::int64_t factor = 1;  // extent of the inner loop
    Tail tail = Tail::Auto;

    bool operator==(const Split&) const = default;
};

/** A loop of a stage: dimension `dim` after splits[dim].size() splits has loops at levels 0
 *  (outermost, keeps the dimension's variable) to splits[dim].size() (innermost). */
struct LoopRef {
    int dim = 0;
    int level = 0;

    auto operator<=>(const LoopRef&) const = default;
};

/** A loop of some function: an index into Schedule::functions, a stage and a loop of it. */
struct LoopSite {
    int function = 0;
    int stage = 0;
    LoopRef loop;

    auto operator<=>(const LoopSite&) const = default;
};

/** Where something is computed or stored. */
struct Level {
    enum class Kind {
        Default,  // leave what is there: inlined if possible; for a store level, the compute level
        Inline,
        Root,
        At,
    };
    Kind kind = Kind::Default;
    LoopSite site;  // for At

    bool operator==(const Level&) const = default;

    static Level inlined() { return {Kind::Inline, {}}; }
    static Level root() { return {Kind::Root, {}}; }
    static Level at(LoopSite site) { return {Kind::At, site}; }
};

struct Prefetch {
    int function = 0;         // what is prefetched: an index into Schedule::functions
    LoopRef at;               // issued in this loop
    LoopRef from;             // for what this loop will need ...
    std::int64_t offset = 1;  // ... so many iterations later
    PrefetchBounds bounds = PrefetchBounds::GuardWithIf;

    bool operator==(const Prefetch&) const = default;
};

struct LoopPartition {
    LoopRef loop;
    PartitionPolicy policy = PartitionPolicy::Auto;

    bool operator==(const LoopPartition&) const = default;
};

/** The loops of one definition. Reduction dimensions follow the pure ones, as in Stage::loops. */
struct LoopNest {
    std::vector<std::vector<Split>>
        splits;  // [dim], outermost split first; missing dims: no splits; no empty one at the end
    std::vector<LoopRef> order;  // every loop, innermost first; empty: Halide's order
    std::vector<LoopRef> parallel;
    std::vector<LoopRef> unrolled;  // loops of constant extent
    std::optional<LoopRef> vector;  // the loop that is run as one vector
    // A reduction loop inside of it that runs in the same vector: its steps are neighbours there,
    // and each sum takes in all of them at once, as instructions for dot products do. The innermost
    // loop, right inside of `vector`; the update is atomic.
    std::optional<LoopRef> dot;
    std::vector<LoopPartition> partition;
    std::vector<Prefetch> prefetch;
    bool atomic = false;

    [[nodiscard]] bool is_vector(LoopRef loop) const { return vector == loop || dot == loop; }
    [[nodiscard]] bool is_rolled(LoopRef loop) const {
        return !is_vector(loop) && std::ranges::count(unrolled, loop) == 0;
    }

    bool operator==(const LoopNest&) const = default;
};

/** "The extent of dimension `dim` of an output is at least `extent`", or is just that, from `min`
 * on; where `multiple` is more than 1, it also begins at a multiple of that and is multiples long.
 */
struct ExtentCondition {
    int dim = 0;
    std::int64_t extent = 1;
    int output = -1;  // another function than the one that is specialised; -1: that one
    std::optional<std::int64_t> min = std::nullopt;
    std::int64_t multiple = 1;

    /** The function whose extent it is, where `specialized` is specialised. */
    [[nodiscard]] int output_for(int specialized) const {
        return output < 0 ? specialized : output;
    }
    [[nodiscard]] bool holds(const Range& range) const {
        return (min ? range.min == *min && range.extent == extent : range.extent >= extent) &&
               range.min % multiple == 0 && range.extent % multiple == 0;
    }
    /** Whether it holds nowhere without `other`, both of one function's specialisations. */
    [[nodiscard]] bool implies(const ExtentCondition& other) const {
        return dim == other.dim && output == other.output && multiple % other.multiple == 0 &&
               (other.min ? min == other.min && extent == other.extent : extent >= other.extent);
    }

    bool operator==(const ExtentCondition&) const = default;
};

/** A second loop nest of the same definition, chosen at run time when all conditions hold. Loop
 *  names must exist in both, because other functions may be computed at them. */
struct Specialization {
    std::vector<ExtentCondition> when;
    LoopNest nest;
    std::optional<std::int64_t> selected = std::nullopt;  // value of the stage's Stage::selector
    // Of inputs and outputs.
    std::vector<BufferStride> strides = {};  // NOLINT(readability-redundant-member-init)

    /** Whether both are for the same runs. */
    [[nodiscard]] bool has_condition_of(const Specialization& other) const {
        return when == other.when && selected == other.selected && strides == other.strides;
    }

    bool operator==(const Specialization&) const = default;
};

struct StageSchedule {
    std::vector<Specialization> specializations;  // tried in order, before `nest`
    LoopNest nest;
    std::optional<LoopSite> compute_with;  // fused with that stage from the outermost loop to there

    bool operator==(const StageSchedule&) const = default;
};

/** Whether the stage is specialised on values of its definition's selector. */
[[nodiscard]] bool has_selected(const StageSchedule& stage);

/** How a function that is not in the algorithm came to be. */
struct Derivation {
    enum class Kind {
        Wrapper,  // parent.in(consumers); no consumers: all of them
        Clone,    // parent.clone_in(consumers)
        Rfactor,  // parent.update(stage - 1).rfactor(preserved)
    };
    Kind kind = Kind::Wrapper;
    int parent = 0;              // index into Schedule::functions
    std::vector<int> consumers;  // indexes into Schedule::functions
    // Rfactor only: the stage's reduction dimensions are split first, then the loops in `preserved`
    // become pure dimensions of the derived function and the only reduction loops left in the
    // parent. Afterwards the parent's stage has all pure dimensions of the parent and then
    // `preserved`; the derived function has the parent's pure dimensions and then `preserved` as
    // pure dimensions, and in its update the remaining reduction loops. Reduction loops are listed
    // innermost first, as in the domain: the dimensions in order, of each the innermost level
    // first.
    int stage = 1;
    std::vector<std::vector<Split>> splits;  // [dim] of the parent's stage, as in LoopNest
    std::vector<LoopRef> preserved;

    bool operator==(const Derivation&) const = default;
};

struct Fold {
    int dim = 0;
    std::int64_t factor = 1;  // length of the circular buffer
    bool forward = true;

    bool operator==(const Fold&) const = default;
};

struct Alignment {
    int dim = 0;
    std::int64_t elements = 1;

    bool operator==(const Alignment&) const = default;
};

struct FunctionSchedule {
    std::optional<Derivation> derivation;  // none for a function of the algorithm
    Level compute;
    Level store;
    Level hoist;  // where storage is allocated (hoist_storage)
    Memory memory = Memory::Auto;
    std::vector<int> storage_order;    // dims, innermost first; empty: the order of the arguments
    std::vector<Alignment> alignment;  // of its storage
    // Of what is computed, which begins at a multiple of `elements` and is multiples long.
    std::vector<Alignment> region_alignment;
    // Of its storage: memory for so many elements and no more (bound_storage), so that distances in
    // it are constants.
    std::vector<Alignment> storage_bounds;
    std::optional<Fold> fold;
    std::vector<StageSchedule> stages;

    bool operator==(const FunctionSchedule&) const = default;
};

struct Schedule {
    std::uint64_t algorithm_hash = 0;
    // One for each of PipelineDag::functions, in that order; then the derived ones in the order in
    // which they are made: a parent, and a consumer that is derived, before what refers to it;
    // clones before wrappers.
    std::vector<FunctionSchedule> functions;

    bool operator==(const Schedule&) const = default;
};

/** A schedule that changes nothing: every level Default, no directive. */
[[nodiscard]] Schedule empty_schedule(const PipelineDag& dag);

/** The one spelling of values that mean the same: no empty split lists at the end, sets of loops in
 *  order, no partition policy Auto. print_json prints this one, and parse_json returns it. */
[[nodiscard]] Schedule normalized(Schedule schedule);

/** Hash of the canonical text; equal for equal schedules on every machine. */
[[nodiscard]] std::uint64_t hash(const Schedule& schedule, const PipelineDag& dag);

/** A dimension of a stage as the schedule sees it, which for derived functions and for their
 * parents is not what the dag says (schedule/scheduled_dag.h). */
struct StageDim {
    std::string label;  // unique in the stage, a valid C identifier
    LoopKind kind = LoopKind::Pure;
    std::int64_t extent = 1;       // at the estimates
    bool constant_extent = false;  // `extent` holds for every run (reduction dims, split loops)
};

/** Number of stages of a function of the schedule, derived ones included. */
[[nodiscard]] int stage_count(const PipelineDag& dag, const Schedule& schedule, int function);

/** Dimensions of a stage: pure ones first. Empty for extern stages. */
[[nodiscard]] std::vector<StageDim> stage_dims(const PipelineDag& dag, const Schedule& schedule,
                                               int function, int stage);
[[nodiscard]] std::vector<StageDim> stage_dims(const Stage& stage);

/** Identity of a function for people and files, unique in the schedule: "blur", "sum#2",
 *  "input_im.in(blur)", "hist.clone_in(a, b)", "sum#1.rfactor(1)". */
[[nodiscard]] std::string function_text(const PipelineDag& dag, const Schedule& schedule,
                                        int function);

/** Name of a loop: the dimension's label and an "i" for each level: x, xi, xii; with "_" behind it
 *  where that is taken. Unique in the stage, and the same however often the other dimensions are
 * split. */
[[nodiscard]] std::string loop_name(const std::vector<StageDim>& dims, LoopRef loop);

/** All loops of a nest, innermost first: `order` where given, else Halide's: reduction dimensions
 * in the order of the domain (first innermost), then pure ones in the order of the arguments; the
 * levels of a dimension next to each other. */
[[nodiscard]] std::vector<LoopRef> loop_order(const LoopNest& nest,
                                              const std::vector<StageDim>& dims);
/** The same without a copy: the nest's own order, or `usual`, which gets Halide's. */
[[nodiscard]] const std::vector<LoopRef>& loop_order(const LoopNest& nest,
                                                     const std::vector<StageDim>& dims,
                                                     std::vector<LoopRef>& usual);

}  // namespace nestor
