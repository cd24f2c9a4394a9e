#include "halide/apply.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "halide/errors.h"
#include "halide/identity.h"
#include "schedule/cases_at_estimates.h"
#include "schedule/directives.h"

namespace nestor {

using Halide::Expr;
using Halide::Func;
using Halide::LoopLevel;
using Halide::Pipeline;
using Halide::RVar;
using Halide::Var;
using Halide::VarOrRVar;
namespace ir = Halide::Internal;

namespace {

const char* const kOtherPipeline =
    "; the schedule was made for another pipeline: schedule this one anew";

// ---- Binding
// ------------------------------------------------------------------------------------------

/** What differs between a function and its description; empty if nothing does. */
std::string mismatch(const ir::Function& found, const Function& expected) {
    if (found.dimensions() != expected.dimensions()) {
        return "dimensions";
    }
    if (found.outputs() != static_cast<int>(expected.types.size())) {
        return "values";
    }
    if (found.has_extern_definition() != expected.is_extern) {
        return "an extern definition";
    }
    const auto stages =
        expected.is_extern ? 0 : found.updates().size() + (found.has_pure_definition() ? 1 : 0);
    return stages == expected.stages.size() ? "" : "update definitions";
}

/** Functions that exist only because a schedule wraps or clones others. */
std::set<std::string> wrappers(const Environment& env) {
    std::set<std::string> names;
    for (const auto& [name, function] : env) {
        for (const auto& [consumer, wrapper] : function.schedule().wrappers()) {
            names.insert(ir::Function(wrapper).name());
        }
    }
    return names;
}

// ---- Executing
// ----------------------------------------------------------------------------------------

Halide::TailStrategy tail_strategy(Tail tail) {
    switch (tail) {
        case Tail::Auto:
            return Halide::TailStrategy::Auto;
        case Tail::RoundUp:
            return Halide::TailStrategy::RoundUp;
        case Tail::GuardWithIf:
            return Halide::TailStrategy::GuardWithIf;
        case Tail::Predicate:
            return Halide::TailStrategy::Predicate;
        case Tail::PredicateLoads:
            return Halide::TailStrategy::PredicateLoads;
        case Tail::PredicateStores:
            return Halide::TailStrategy::PredicateStores;
        case Tail::ShiftInwards:
            return Halide::TailStrategy::ShiftInwards;
        case Tail::ShiftInwardsAndBlend:
            return Halide::TailStrategy::ShiftInwardsAndBlend;
        case Tail::RoundUpAndBlend:
            return Halide::TailStrategy::RoundUpAndBlend;
    }
    return Halide::TailStrategy::Auto;
}

Halide::MemoryType memory_type(Memory memory) {
    switch (memory) {
        case Memory::Auto:
            return Halide::MemoryType::Auto;
        case Memory::Heap:
            return Halide::MemoryType::Heap;
        case Memory::Stack:
            return Halide::MemoryType::Stack;
        case Memory::Register:
            return Halide::MemoryType::Register;
    }
    return Halide::MemoryType::Auto;
}

Halide::Partition partition_policy(PartitionPolicy policy) {
    switch (policy) {
        case PartitionPolicy::Auto:
            return Halide::Partition::Auto;
        case PartitionPolicy::Never:
            return Halide::Partition::Never;
        case PartitionPolicy::Always:
            return Halide::Partition::Always;
    }
    return Halide::Partition::Auto;
}

Halide::PrefetchBoundStrategy prefetch_bounds(PrefetchBounds bounds) {
    switch (bounds) {
        case PrefetchBounds::Clamp:
            return Halide::PrefetchBoundStrategy::Clamp;
        case PrefetchBounds::GuardWithIf:
            return Halide::PrefetchBoundStrategy::GuardWithIf;
        case PrefetchBounds::NonFaulting:
            return Halide::PrefetchBoundStrategy::NonFaulting;
    }
    return Halide::PrefetchBoundStrategy::GuardWithIf;
}

/** The parameter itself, scalar or buffer: another one of its name would have no value. */
class FindParameter : public ir::IRGraphVisitor {
  public:
    explicit FindParameter(const std::string& name) : name_(name) {}

    Halide::Parameter found;

  protected:
    using IRGraphVisitor::visit;
    void visit(const ir::Variable* op) override { note(op->param); }
    void visit(const ir::Call* op) override {
        note(op->param);
        IRGraphVisitor::visit(op);
    }

  private:
    void note(const Halide::Parameter& param) {
        if (param.defined() && param.name() == name_) {
            found = param;
        }
    }

    const std::string& name_;
};

/** Executes directives one by one on the functions that it was given and on those that they make.
 */
class Executor {
  public:
    explicit Executor(std::vector<Func> functions) : functions_(std::move(functions)) {}

    /** Throws Halide::Error, or std::exception for a directive that is not as directives.h says. */
    void execute(const Directive& d) {
        if (d.stage >= 0) {
            execute_on_stage(d);
        } else if (d.result >= 0) {
            make_function(d);
        } else {
            execute_on_function(d);
        }
    }

    /** No run takes the general nest of that stage. */
    void end_cases(int function, int stage) {
        Directive general;
        general.function = function;
        general.stage = stage;
        stage_of(general).specialize_fail("this is compiled for other sizes");
    }

    [[nodiscard]] std::string subject(const Directive& d) const {
        const bool known = d.function >= 0 && d.function < static_cast<int>(functions_.size());
        return (known ? functions_[d.function].name() : "function " + std::to_string(d.function)) +
               (d.stage > 0 ? ".update(" + std::to_string(d.stage - 1) + ")" : "");
    }

  private:
    void execute_on_stage(const Directive& d) {
        Halide::Stage stage = stage_of(d);
        switch (d.method) {
            case Method::Rfactor:
                return bind(d.result, stage.rfactor(preserved(argument<PreservedArg>(d, 0))));
            case Method::Specialize:
                specializations_.insert_or_assign(
                    {d.function, d.stage, d.result},
                    stage.specialize(condition(d.function, argument<ConditionArg>(d, 0))));
                return;
            case Method::Split:
                stage.split(variable(d, 0), variable(d, 1), variable(d, 2), integer(d, 3),
                            tail_strategy(argument<Tail>(d, 4)));
                return;
            case Method::Reorder:
                stage.reorder(variables(d));
                return;
            case Method::Vectorize:
                stage.vectorize(variable(d, 0));
                return;
            case Method::Unroll:
                stage.unroll(variable(d, 0));
                return;
            case Method::Parallel:
                stage.parallel(variable(d, 0));
                return;
            case Method::Atomic:
                stage.atomic();
                return;
            case Method::Partition:
                stage.partition(variable(d, 0), partition_policy(argument<PartitionPolicy>(d, 1)));
                return;
            case Method::Prefetch:
                stage.prefetch(functions_.at(argument<FunctionArg>(d, 0).function), variable(d, 1),
                               variable(d, 2), integer(d, 3),
                               prefetch_bounds(argument<PrefetchBounds>(d, 4)));
                return;
            case Method::Unscheduled:
                stage.unscheduled();
                return;
            case Method::ComputeWith:
                stage.compute_with(stage_level(d, 0));
                return;
            default:
                throw std::logic_error("not a directive of a stage");
        }
    }

    void execute_on_function(const Directive& d) {
        Func f = functions_.at(d.function);
        switch (d.method) {
            case Method::ComputeInline:
                f.compute_inline();
                return;
            case Method::ComputeRoot:
                f.compute_root();
                return;
            case Method::ComputeAt:
                f.compute_at(level(d, 0));
                return;
            case Method::StoreRoot:
                f.store_root();
                return;
            case Method::StoreAt:
                f.store_at(level(d, 0));
                return;
            case Method::HoistStorageRoot:
                f.hoist_storage_root();
                return;
            case Method::HoistStorage:
                f.hoist_storage(level(d, 0));
                return;
            case Method::StoreIn:
                f.store_in(memory_type(argument<Memory>(d, 0)));
                return;
            case Method::ReorderStorage: {
                std::vector<Var> order;
                for (const VarOrRVar& v : variables(d)) {
                    order.push_back(v.var);
                }
                f.reorder_storage(order);
                return;
            }
            case Method::AlignStorage:
                f.align_storage(variable(d, 0).var, integer(d, 1));
                return;
            case Method::AlignBounds:
                f.align_bounds(variable(d, 0).var, integer(d, 1));
                return;
            case Method::BoundStorage:
                f.bound_storage(variable(d, 0).var, integer(d, 1));
                return;
            case Method::FoldStorage:
                f.fold_storage(variable(d, 0).var, integer(d, 1), argument<bool>(d, 2));
                return;
            default:
                throw std::logic_error("not a directive of a function");
        }
    }

    void make_function(const Directive& d) {
        Func f = functions_.at(d.function);
        std::vector<Func> consumers;
        for (const int consumer : argument<FunctionListArg>(d, 0).functions) {
            consumers.push_back(functions_.at(consumer));
        }
        if (d.method == Method::CloneIn) {
            bind(d.result,
                 consumers.size() == 1 ? f.clone_in(consumers[0]) : f.clone_in(consumers));
        } else if (d.method == Method::In) {
            bind(d.result, consumers.empty()       ? f.in()
                           : consumers.size() == 1 ? f.in(consumers[0])
                                                   : f.in(consumers));
        } else {
            throw std::logic_error("not a directive that makes a function");
        }
    }

    void bind(int result, const Func& f) {
        functions_.resize(std::max(functions_.size(), static_cast<std::size_t>(result) + 1));
        functions_[result] = f;
    }

    Halide::Stage stage_of(const Directive& d) {
        if (d.specialization >= 0) {
            return specializations_.at({d.function, d.stage, d.specialization});
        }
        const Func& f = functions_.at(d.function);
        return d.stage == 0 ? Halide::Stage(f.function(), f.function().definition(), 0)
                            : Func(f).update(d.stage - 1);
    }

    template <class T>
    static const T& argument(const Directive& d, std::size_t index) {
        return std::get<T>(d.args.at(index));
    }

    static Expr integer(const Directive& d, std::size_t index) {
        return Expr(static_cast<int>(argument<std::int64_t>(d, index)));
    }

    [[nodiscard]] VarOrRVar variable(const VariableArg& v) const {
        if (v.original < 0) {
            return v.reduction ? VarOrRVar(RVar(v.name)) : VarOrRVar(Var(v.name));
        }
        const Func& f = functions_.at(v.function);
        return v.reduction ? VarOrRVar(f.rvars(v.stage - 1).at(v.original))
                           : VarOrRVar(f.args().at(v.original));
    }

    [[nodiscard]] VarOrRVar variable(const Directive& d, std::size_t index) const {
        return variable(argument<VariableArg>(d, index));
    }

    [[nodiscard]] std::vector<VarOrRVar> variables(const Directive& d) const {
        std::vector<VarOrRVar> all;
        for (std::size_t i = 0; i < d.args.size(); i++) {
            all.push_back(variable(d, i));
        }
        return all;
    }

    // compute_at and the like find the stage that uses the function; they refuse a level that names
    // one.
    [[nodiscard]] LoopLevel level(const Directive& d, std::size_t index) const {
        const VariableArg& loop = argument<LevelArg>(d, index).loop;
        return {functions_.at(loop.function), variable(loop)};
    }

    // compute_with needs it.
    [[nodiscard]] LoopLevel stage_level(const Directive& d, std::size_t index) const {
        const VariableArg& loop = argument<LevelArg>(d, index).loop;
        return {functions_.at(loop.function), variable(loop), loop.stage};
    }

    [[nodiscard]] Expr condition(int function, const ConditionArg& condition) const {
        Expr all;
        const auto add = [&](const Expr& holds) { all = all.defined() ? all && holds : holds; };
        for (const ExtentCondition& term : condition.terms) {
            const Halide::Internal::Dimension range =
                buffer_dim(term.output_for(function), term.dim);
            const int extent = static_cast<int>(term.extent);
            add(term.min ? range.min() == static_cast<int>(*term.min) && range.extent() == extent
                         : range.extent() >= extent);
            if (term.multiple > 1) {
                const int multiple = static_cast<int>(term.multiple);
                add(range.min() % multiple == 0 && range.extent() % multiple == 0);
            }
        }
        for (const StrideArg& each : condition.strides) {
            const BufferStride& wanted = each.stride;
            const Expr stride = wanted.source == Source::Function
                                    ? buffer_dim(wanted.index, wanted.dim).stride()
                                    : input_stride(each.input, wanted.dim);
            add(stride == static_cast<int>(wanted.stride));
        }
        if (condition.selected) {
            add(selected(functions_.at(function), *condition.selected));
        }
        return all;
    }

    [[nodiscard]] Expr input_stride(const std::string& input, int dim) const {
        const std::string name = input + ".stride." + std::to_string(dim);
        return ir::Variable::make(Halide::Int(32), name, parameter(functions_, input));
    }

    [[nodiscard]] Halide::Internal::Dimension buffer_dim(int output, int dim) const {
        const Func& f = functions_.at(output);
        return (f.outputs() > 1 ? f.output_buffers()[0] : f.output_buffer()).dim(dim);
    }

    [[nodiscard]] Expr selected(const Func& chooser, const SelectedArg& selected) const {
        const Selector& selector = selected.selector;
        Expr operand;
        if (selector.scalar >= 0) {
            operand = scalar(chooser, selected.name);
        } else {
            std::vector<Expr> at;
            for (const std::int64_t coordinate : selector.at) {
                at.emplace_back(static_cast<int>(coordinate));
            }
            operand = functions_.at(selector.function)(at);
        }
        if (operand.type().is_bool()) {
            return operand;
        }
        const bool widened = is_widened(selector);
        return (widened ? Halide::cast<int>(operand) : operand) == static_cast<int>(selected.value);
    }

    static Expr scalar(const Func& reader, const std::string& name) {
        const Halide::Parameter found = parameter({reader}, name);
        return ir::Variable::make(found.type(), name, found);
    }

    static Halide::Parameter parameter(const std::vector<Func>& readers, const std::string& name) {
        FindParameter find(name);
        for (const Func& f : readers) {
            f.function().accept(&find);
        }
        if (!find.found.defined()) {
            throw std::logic_error("nothing reads the parameter " + name);
        }
        return find.found;
    }

    [[nodiscard]] std::vector<std::pair<RVar, Var>> preserved(const PreservedArg& arg) const {
        std::vector<std::pair<RVar, Var>> pairs;
        for (const auto& [loop, name] : arg.pairs) {
            pairs.emplace_back(variable(loop).rvar, Var(name));
        }
        return pairs;
    }

    std::vector<Func> functions_;
    std::map<std::tuple<int, int, int>, Halide::Stage> specializations_;  // function, stage, number
};

}  // namespace

Result<std::vector<Func>> bind_functions(const Pipeline& pipeline, const PipelineDag& dag) {
    return catching(
        "finding the functions of the pipeline failed", [&]() -> Result<std::vector<Func>> {
            const Environment env = environment(pipeline);
            std::map<FuncId, ir::Function> by_id;
            for (const auto& [name, id] : identify(env)) {
                by_id.emplace(id, env.at(name));
            }
            std::set<std::string> bound = wrappers(env);
            std::vector<Func> functions;
            for (const Function& expected : dag.functions) {
                const auto found = by_id.find(expected.id);
                if (found == by_id.end()) {
                    return Error{"the pipeline has no function `" + expected.id.text() + "`" +
                                 kOtherPipeline};
                }
                if (const std::string differs = mismatch(found->second, expected);
                    !differs.empty()) {
                    return Error{"function `" + expected.id.text() + "` differs in its number of " +
                                 differs + kOtherPipeline};
                }
                functions.emplace_back(found->second);
                bound.insert(found->second.name());
            }
            for (const auto& [name, function] : env) {
                if (!bound.contains(name)) {
                    return Error{"the pipeline has a function `" + name +
                                 "` that the schedule does not know" + kOtherPipeline};
                }
            }
            return functions;
        });
}

Pipeline deep_copy(const Pipeline& pipeline) {
    std::vector<ir::Function> outputs;
    for (const Func& output : pipeline.outputs()) {
        outputs.push_back(output.function());
    }
    const auto copies = ir::deep_copy(outputs, environment(pipeline)).first;
    std::vector<Func> functions;
    for (const ir::Function& copy : copies) {
        functions.emplace_back(copy);
    }
    return {functions, pipeline.requirements()};
}

namespace {

Status apply_all(const Pipeline& pipeline, const PipelineDag& dag, const Schedule& schedule,
                 const std::vector<std::pair<int, int>>& complete) {
    Result<std::vector<Func>> functions = bind_functions(pipeline, dag);
    if (!functions.ok()) {
        return Error{functions.error()};
    }
    std::string doing;  // outlives the exception that a directive throws
    Status status = catching("Halide refuses", [&]() -> Status {
        Executor executor(std::move(functions).value());
        for (const Directive& d : directives(dag, schedule)) {
            doing = executor.subject(d) + "." + method_name(d.method);
            executor.execute(d);
        }
        for (const auto& [function, stage] : complete) {
            executor.end_cases(function, stage);
        }
        Pipeline(pipeline).invalidate_cache();  // a copy of the handle
        return Ok{};
    });
    return status.ok() ? status : Status{Error{"cannot apply " + doing + ": " + status.error()}};
}

}  // namespace

Status apply(const Pipeline& pipeline, const PipelineDag& dag, const Schedule& schedule) {
    return apply_all(pipeline, dag, schedule, {});
}

Status apply_for_estimates(const Pipeline& pipeline, const PipelineDag& dag,
                           const Schedule& schedule) {
    const CasesAtEstimates kept = cases_at_estimates(dag, schedule);
    return apply_all(pipeline, dag, kept.schedule, kept.complete);
}

}  // namespace nestor
