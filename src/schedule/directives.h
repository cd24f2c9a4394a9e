#pragma once
// The directive list: the one translation of a Schedule into calls of Halide's scheduling API.
// halide/apply executes it, the printers write it; neither decides anything.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "schedule/schedule.h"

namespace nestor {

/** Halide's methods, by the names that they have in C++ and in Python. What stands in
 * Directive::args, in the order of the C++ parameters (`X...`: any number of them, `X?`: it may be
 * missing):
 *
 *    method            args                                                subject      result
 *    CloneIn           FunctionListArg (one or more)                       function     function
 *    In                FunctionListArg (empty: in(), of every consumer)    function     function
 *    Rfactor           PreservedArg (may be empty: rfactor({}))            stage >= 1   function
 *    Specialize        ConditionArg                                        stage specialisation
 *    Split             VariableArg old, VariableArg outer,                 stage
 *                        VariableArg inner, int64 factor, Tail
 *    Reorder           VariableArg..., innermost first                     stage
 *    Vectorize         VariableArg                                         stage
 *    Unroll            VariableArg                                         stage
 *    Parallel          VariableArg                                         stage
 *    Atomic            none                                                stage
 *    Partition         VariableArg, PartitionPolicy                        stage
 *    Prefetch          FunctionArg, VariableArg at, VariableArg from,      stage
 *                        int64 offset, PrefetchBounds
 *    Unscheduled       none                                                stage >= 1
 *    ComputeWith       LevelArg                                            stage
 *    ComputeInline     none                                                function
 *    ComputeRoot       none                                                function
 *    ComputeAt         LevelArg                                            function
 *    StoreRoot         none                                                function
 *    StoreAt           LevelArg                                            function
 *    HoistStorageRoot  none                                                function
 *    HoistStorage      LevelArg                                            function
 *    StoreIn           Memory                                              function
 *    ReorderStorage    VariableArg..., innermost first                     function
 *    AlignStorage      VariableArg, int64 elements                         function
 *    AlignBounds       VariableArg, int64 modulus                          function
 *    BoundStorage      VariableArg, int64 elements                         function
 *    FoldStorage       VariableArg, int64 factor, bool forward             function
 *
 *  Subject "function": Directive::stage is -1. Subject "stage": stage 0 is the function's pure
 * definition (in C++ and Python called on the Func), stage k is Func::update(k - 1); if
 * specialization >= 0 the subject is instead the Stage that the Specialize of that number on the
 * same stage returned. Result "function": Directive::result is the index in Schedule::functions of
 * the Func that the call returns; "specialisation": the number of the Stage that it returns.
 * Tail::Auto and the like are always present, for the caller to pass on or to leave out.
 * ComputeWith joins the innermost loop that is fused, of the other stage:
 * Stage::compute_with(LoopLevel). */
enum class Method {
    // Make a derived function.
    CloneIn,
    In,
    Rfactor,
    // Of a stage.
    Specialize,
    Split,
    Reorder,
    Vectorize,
    Unroll,
    Parallel,
    Atomic,
    Partition,
    Prefetch,
    Unscheduled,
    ComputeWith,
    // Of a function.
    ComputeInline,
    ComputeRoot,
    ComputeAt,
    StoreRoot,
    StoreAt,
    HoistStorageRoot,
    HoistStorage,
    StoreIn,
    ReorderStorage,
    AlignStorage,
    AlignBounds,
    BoundStorage,
    FoldStorage,
};

/** "compute_at" and so on. */
[[nodiscard]] const char* method_name(Method method);

/** A function handle: an index into Schedule::functions. */
struct FunctionArg {
    int function = 0;
};

/** A loop variable. Original variables (level 0) are taken from the function itself, since their
 *  names may be process-dependent; others are made by name:
 *    original >= 0, !reduction   Func::args()[original]
 *    original >= 0, reduction    Func::rvars(stage - 1)[original]
 *    original < 0                Var(name) or RVar(name)
 *  all of `function`. rvars() is to be read when the directive runs: an rfactor changes it. */
struct VariableArg {
    int function = 0;
    int stage = 0;           // 0 where the subject is a function (storage dimensions)
    std::string name;        // loop_name(); for people where original >= 0
    bool reduction = false;  // RVar, not Var
    int original = -1;
    std::string variable;  // Halide's name where the pipeline was read, "" if not known: arguments
                           // of one name are one variable there and elsewhere

    bool operator==(const VariableArg&) const = default;
};

/** A loop of another function. compute_at and the like take (function, variable) and find the stage
 * that uses what they place: Halide refuses a LoopLevel that names one. compute_with takes
 *  LoopLevel(function, variable, stage). */
struct LevelArg {
    VariableArg loop;
};

/** The value of a selector: f(at...) == value of a function, Param<type>(name) == value of a
 * scalar; of booleans, without the comparison. */
struct SelectedArg {
    Selector selector;
    std::string name;  // of the scalar
    std::int64_t value = 0;
};

/** The stride of an output's buffer (f.output_buffer().dim(d).stride()) or of an input's == n. */
struct StrideArg {
    BufferStride stride;
    std::string input;  // its name
};

/** f.output_buffer().dim(d).extent() >= n (and what else an ExtentCondition says) for each term,
 * joined by &&, f being the term's output, or the directive's function; output_buffers()[0] if f
 * has several values (a tuple). Then the strides and, if there is one, the selector of the
 * directive's stage == the value. Never empty. */
struct ConditionArg {
    std::vector<ExtentCondition> terms;
    std::vector<StrideArg> strides;
    std::optional<SelectedArg> selected;
};

/** A list in braces (the consumers of in(), the preserved variables of rfactor). */
struct FunctionListArg {
    std::vector<int> functions;
};
struct PreservedArg {
    std::vector<std::pair<VariableArg, std::string>>
        pairs;  // reduction variable, new pure variable
};

using DirectiveArg =
    std::variant<std::int64_t, bool, FunctionArg, VariableArg, LevelArg, Tail, Memory,
                 PartitionPolicy, PrefetchBounds, ConditionArg, FunctionListArg, PreservedArg>;

/** subject.method(args...). The subject is a function, a stage of it, or a specialisation of that.
 */
struct Directive {
    Method method = Method::ComputeRoot;
    int function = 0;
    int stage = -1;           // -1: the function itself
    int specialization = -1;  // of that stage; -1: the general nest
    std::vector<DirectiveArg> args;
    int result = -1;  // function index, or number of the specialisation, that the call returns
};

/** In the canonical order:
 *    1. derived functions, in the order of Schedule::functions, each rfactor with the splits before
 * it;
 *    2. function by function, stage by stage: Specialize and the specialised nest, each before the
 * general nest so that it does not inherit its splits; a nest is its splits, reorder, atomic,
 * vectorize, unroll, parallel, partition, prefetch; an update that none of these touches, of a
 * function of which another stage is touched, is marked Unscheduled, or Halide would warn of it;
 * then the function's levels and storage;
 *    3. compute_with.
 *  Functions that are pinned produce nothing; levels that are left at Default produce nothing.
 *  Precondition: check_legality() found nothing. */
[[nodiscard]] std::vector<Directive> directives(const PipelineDag& dag, const Schedule& schedule);

}  // namespace nestor
