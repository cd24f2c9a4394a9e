#pragma once
// PipelineDag: a Halide pipeline as immutable plain data, shared between threads. It is read once
// by halide/read_pipeline; everything that decides on a schedule sees only this.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/arithmetic.h"
#include "dag/steps.h"
#include "dag/types.h"

namespace nestor {

enum class LoopKind {
    Pure,       // over a pure variable: any order, any tail
    RaceFree,   // over a reduction variable proven free of races: any order, exact extent
    Reduction,  // over a reduction variable with a dependence: in order, exact extent
};

/** One dimension of a stage's iteration space: pure variables first, in the order of the function's
 *  arguments, then reduction variables in the order of the domain. An update has a loop for those
 * pure variables only that it uses: f(0, y) = ... has none over x. */
struct Loop {
    std::string label;     // unique in its stage, the same in every process; a valid C identifier
    std::string variable;  // Halide's name of the variable, process-dependent
    LoopKind kind = LoopKind::Pure;
    int position = 0;  // among the function's arguments, or among the stage's reduction variables
    Range range;       // at the estimates
    bool constant_extent = false;  // reduction variables only: `range.extent` holds for every run

    [[nodiscard]] bool is_reduction() const { return kind != LoopKind::Pure; }
};

/** Loops of a stage, as bits by their index; those from the last bit on share it. */
using LoopSet = std::uint32_t;
constexpr LoopSet kAllLoops = ~LoopSet{0};
[[nodiscard]] constexpr LoopSet loop_set(int loop) {
    return LoopSet{1} << std::min(loop, 31);
}
[[nodiscard]] constexpr bool contains(LoopSet loops, int loop) {
    return (loops & loop_set(loop)) != 0;
}

/** One coordinate of a load as a function of the loops of the loading stage. */
struct Coordinate {
    bool affine = false;              // false: data-dependent or not understood
    bool usually_affine = false;      // not affine, but away from the border as the rest says
    bool clamped = false;             // passes through a clamp, as boundary conditions do
    std::vector<bool> clamped_loops;  // [loop]: what depends on it does; empty: none
    std::vector<double> rates;        // d coordinate / d loop, one a loop of the stage; 0.5 for x/2
    std::int64_t offset_min = 0;      // the constant part, or its range (of a select, say)
    std::int64_t offset_max = 0;
    std::vector<bool> fixed_loops;  // [loop], not affine: it does not change with; empty: unknown
    std::vector<Steps> steps;       // [loop], of quotients and remainders; empty: none
    bool constant_end = false;      // the clamp's upper end is a constant: min(x, 1023)

    /** Whether it may be another one in the next iteration of that loop of the stage. */
    [[nodiscard]] bool changes_with(int loop) const {
        const auto l = static_cast<std::size_t>(loop);
        return affine ? (l < rates.size() && rates[l] != 0) || steps_along(loop).points > 0
                      : l >= fixed_loops.size() || !fixed_loops[l];
    }

    [[nodiscard]] Steps steps_along(int loop) const {
        const auto l = static_cast<std::size_t>(loop);
        return l < steps.size() ? steps[l] : Steps{};
    }

    [[nodiscard]] LoopSet changing_loops() const;

    [[nodiscard]] bool is_clamped_along(int loop) const {
        return static_cast<std::size_t>(loop) < clamped_loops.size() && clamped_loops[loop];
    }
};

/** Whether any of them does. */
[[nodiscard]] bool change_with(const std::vector<Coordinate>& coords, int loop);

enum class Source { Function, Input };

struct Load {
    Source source = Source::Function;
    int index = 0;                   // into PipelineDag::functions or ::inputs
    int value = 0;                   // tuple element
    std::vector<int> serves;         // tuple elements of the loading stage that need it; empty: all
    bool conditional = false;        // under a select or in one arm of an if
    std::vector<Coordinate> coords;  // one a dimension of the source
};

/** Operations of one kind whose results change with the same loops. */
struct OpCount {
    std::optional<Arithmetic> operation;  // none: a call of a function that has no vectors (sin,
                                          // tanh, externs)
    ElementType type;                     // that the operation is done in
    LoopSet loops = kAllLoops;            // of the stage
    float count = 0;
};

/** Operations of one evaluation of a stage's right-hand sides (common subexpressions once), address
 * arithmetic and what only depends on the border apart. A product that is added at once counts as a
 * MultiplyAdd, a comparison and the choice by it as half a Select each. */
struct OpCounts {
    std::vector<OpCount> counts;  // each kind, type and set of loops once
    float load = 0;

    void add(std::optional<Arithmetic> operation, ElementType type, LoopSet loops, float count);
    /** So many times the others. */
    void add(const OpCounts& others, float times);
    /** In all loops; over all types, or of one. */
    [[nodiscard]] float of(std::optional<Arithmetic> operation,
                           std::optional<ElementType> type = std::nullopt) const;
    /** Operations and calls, all counted once. */
    [[nodiscard]] float arithmetic() const;
    /** Operations and loads in units of an addition or a load. */
    [[nodiscard]] float work() const;
};

/** An operation of a choice between what is inside of a border and what is beyond
 * (BoundaryConditions::constant_exterior): one of its comparisons, or the choice itself. None of
 * them is left where a loop is divided so that the outcome is known. */
struct BorderOp {
    OpCount op;
    LoopSet condition = 0;   // loops of the stage that the outcome changes with
    bool is_choice = false;  // no comparison
};

/** What a definition chooses by and what is the same for all of its points: the mode in
 * select(mode == 2, ...) or mux(modes(3), ...), the flag in select(flag, ...). */
struct Selector {
    int function = -1;             // that only wraps an input, read at `at`; or
    int scalar = -1;               // index into PipelineDag::scalars
    std::vector<std::int64_t> at;  // one a dimension of the function
    ScalarType type;
    std::vector<std::int64_t> values;  // that it is compared with, ascending; {1} of a boolean
    OpCounts ops;  // of the definition where it is known: mean over the values and "none of them"
};

/** Whether comparisons have to convert it to int first: Halide 21 makes a switch of several
 * comparisons of one signed value, with cases of 32 bits, which LLVM refuses for others. */
[[nodiscard]] bool is_widened(const Selector& selector);

/** Points of the longest period that is looked at: a copy of the code for each has to be worth it.
 */
constexpr int kLongestPeriod = 8;

/** The same where the period is a whole dimension, or all steps of a reduction: directions,
 * classes, tables of weights. */
constexpr int kLongestWhole = 16;

/** A dimension along which a definition repeats: x in select(x % 2 == 0, ...) or f(x / 2); and c in
 * select(c == 0, ...) or mux(c, ...), of a range that is the same at any size. Where the compiler
 * knows the point of the period, it leaves out the arms of the others. */
struct Phase {
    int loop = 0;        // pure, or (only with `whole`) over the steps of a reduction
    int period = 1;      // points
    bool whole = false;  // the period is the range

    bool operator==(const Phase&) const = default;
};

/** Of an update that adds products of two integers of 8 or 16 bits to sums of 32, without a loss:
 * what instructions for dot products do. */
struct NarrowProduct {
    ScalarType a;
    ScalarType b;
    OpCounts ops;  // of both factors
};

/** The most nodes of an expression that are counted. */
constexpr int kLargestExpression = 1'000'000;

struct Stage {
    int index = 0;  // 0: the pure definition; i: update(i - 1)
    std::vector<Loop> loops;
    std::vector<Load> loads;      // of other functions and of inputs; not of itself
    std::vector<Load> own_loads;  // of itself
    /** Where it writes, one a dimension of the function; empty: at its pure variables. */
    std::vector<Coordinate> stores;
    OpCounts ops;  // of a tuple, of each element by itself
    /** The same with what elements of a tuple have in common once, if there is such: see
     * cost/terms/compute.cpp. */
    std::optional<OpCounts> merged_ops;
    std::vector<BorderOp> border_ops;  // not in `ops`
    std::optional<Selector> selector;  // of several, the one by which most work can be left out
    std::optional<NarrowProduct> product;
    std::vector<Phase> phases;  // at most 3
    /** Mean operations of one evaluation where the points of some phases are known: of those whose
     * bits are set in the index plus 1. */
    std::vector<OpCounts> phase_ops;
    /** The same with what these points have in common once: of code that has all of them. */
    std::vector<OpCounts> merged_phase_ops;
    int expression_size = 0;  // nodes of the expression as a tree, kLargestExpression at most
    int distinct_nodes = 0;   // of them, each once where they are equal
    bool reads_itself = false;
    bool associative = false;  // its reduction may be reordered and split (prove_associativity)
    bool commutative = false;
    bool predicated = false;     // the domain has a where()
    double predicate_share = 1;  // of the domain that it leaves, estimated
    bool undefined = false;      // a pure definition as undef(): memory is left as it is
    std::string text;            // the definition, "f(x, y) += g(x + r_x, y)"
};

/** Operations of one evaluation where the points of the phases in the set of bits are known. */
[[nodiscard]] const OpCounts& ops_in(const Stage& stage, unsigned known_phases);

/** Stage::stores, written out. */
[[nodiscard]] std::vector<Coordinate> stored_at(const Stage& stage, int dimensions);

struct Function {
    FuncId id;
    std::string halide_name;            // process-dependent
    std::vector<ScalarType> types;      // one a tuple element
    std::vector<std::string> args;      // labels of the pure variables
    std::vector<Range> region;          // computed at the estimates, one a dimension
    std::vector<bool> constant;         // dimensions of this range wherever all assumptions hold
    std::vector<bool> assumed;          // those of them that have others where they do not
    std::vector<Stage> stages;          // empty for an extern stage
    int dense_dim = 0;                  // of an output's buffer, as Input::dense_dim
    std::vector<std::int64_t> strides;  // of an output's buffer, as Input::strides
    bool is_output = false;
    bool is_extern = false;
    bool can_inline = false;            // pure, not an output, not read by an extern stage
    bool only_wraps_input = false;      // f(x, y) = input(x, y)
    bool joined = false;                // of several functions (schedule/joined.h)
    std::optional<std::string> pinned;  // why its schedule is left exactly as it is
    int pinned_inside = -1;             // the function at a loop of which the user computes it
    std::vector<int> consumers;         // functions that load it, each once, ascending
    std::vector<int> extern_inputs;     // functions that an extern stage reads

    [[nodiscard]] int dimensions() const { return static_cast<int>(args.size()); }
    /** Sum over the tuple's elements. */
    [[nodiscard]] std::int64_t bytes_per_point() const;
    /** Product of the region's extents. */
    [[nodiscard]] std::int64_t points() const;
};

struct Input {
    std::string name;
    ScalarType type;
    std::vector<Range> region;  // by its estimates
    bool embedded = false;      // a Buffer in the program: no function, no argument
    std::string constraints;    // "stride(0) = 3, min(2) = 0", or empty
    int dense_dim = 0;          // along which neighbours are neighbours in memory
    /** Elements from one to the next, one a dimension, where constraints say or it is to be
     * expected (PipelineDag::layouts); 0: not known. */
    std::vector<std::int64_t> strides;
};

/** "Neighbours along dimension `dim` of a buffer are `stride` elements apart." */
struct BufferStride {
    Source source = Source::Input;  // Function: the buffer of an output
    int index = 0;                  // into PipelineDag::functions or ::inputs
    int dim = 0;
    std::int64_t stride = 1;

    bool operator==(const BufferStride&) const = default;
};

struct Scalar {
    std::string name;
    ScalarType type;
    std::string estimate;  // as text; empty if there is none
};

/** A range of an output that nothing constrains, but that is as small as channels or weights are,
 * and then mostly the same in each run. */
struct Assumption {
    int output = 0;  // into PipelineDag::functions
    int dim = 0;
    Range range;
};

struct PipelineDag {
    std::string name;                 // stem of the first output
    std::vector<Function> functions;  // producers before consumers
    std::vector<int> outputs;         // into functions, in the pipeline's order
    std::vector<Assumption> assumptions;
    /** What is to be expected of strides that nothing constrains: planar pictures, or few channels
     * of a pixel side by side and then the next pixel; then, if there is more than one layout, all
     * pictures interleaved that are not bound to be planar. Estimates are of the first. */
    std::vector<std::vector<BufferStride>> layouts;
    std::vector<Input> inputs;
    std::vector<Scalar> scalars;
    std::uint64_t algorithm_hash = 0;  // of the definitions, not of sizes or names with counters

    /** Index of the function, or -1. */
    [[nodiscard]] int find(const FuncId& id) const;
};

/** The same with what is usually affine taken for affine: for estimates, never for legality. */
[[nodiscard]] PipelineDag usual(PipelineDag dag);

/** The graph in readable notation: inputs as placeholders with sizes, one line a definition. */
[[nodiscard]] std::string print(const PipelineDag& dag);
/** The same as JSON text, for scripts. */
[[nodiscard]] std::string print_json(const PipelineDag& dag);

}  // namespace nestor
