#include "halide/check_program.h"

#include <sstream>
#include <string_view>
#include <utility>

namespace nestor {

using Halide::Expr;
using Halide::Internal::Call;
using Halide::Internal::IRNodeType;
using Halide::Internal::Stmt;
namespace ir = Halide::Internal;

namespace {

// ---- Pruning
// ------------------------------------------------------------------------------------------

Stmt prune(const Stmt& s);

const Call* buffer_init(Expr e) {
    while (const auto* let = e.as<ir::Let>()) {
        e = let->body;
    }
    const auto* call = e.as<Call>();
    return call != nullptr && call->name == Call::buffer_init ? call : nullptr;
}

bool asks_for_bounds_query(const Expr& condition) {
    const auto* call = condition.as<Call>();
    return call != nullptr && call->name == Call::buffer_is_bounds_query;
}

Stmt block(const Stmt& first, const Stmt& rest) {
    if (!first.defined() || !rest.defined()) {
        return first.defined() ? first : rest;
    }
    return ir::Block::make(first, rest);
}

Stmt prune_lets(const ir::LetStmt* let) {
    std::vector<const ir::LetStmt*> lets;
    Stmt body;
    for (; let != nullptr; let = body.as<ir::LetStmt>()) {
        lets.push_back(let);
        body = let->body;
    }
    body = prune(body);
    for (auto it = lets.rbegin(); body.defined() && it != lets.rend(); ++it) {
        body = ir::LetStmt::make((*it)->name, (*it)->value, body);
    }
    return body;
}

Stmt prune_if(const ir::IfThenElse* node) {
    Stmt then_case = prune(node->then_case);
    const Stmt else_case = prune(node->else_case);
    if (asks_for_bounds_query(node->condition)) {
        return then_case;  // which tells what is required also where it would not be executed
    }
    if (then_case.defined()) {
        return ir::IfThenElse::make(node->condition, then_case, else_case);
    }
    return else_case.defined() ? ir::IfThenElse::make(!node->condition, else_case) : Stmt();
}

Stmt prune_loop(const ir::For* loop) {
    const Stmt body = prune(loop->body);
    return body.defined() ? ir::For::make(loop->name, loop->min, loop->extent, ir::ForType::Serial,
                                          Halide::Partition::Auto, Halide::DeviceAPI::None, body)
                          : Stmt();
}

Stmt prune_blocks(Stmt s) {
    std::vector<Stmt> parts;
    while (const auto* node = s.as<ir::Block>()) {
        parts.push_back(prune(node->first));
        s = node->rest;
    }
    Stmt result = prune(s);
    for (auto it = parts.rbegin(); it != parts.rend(); ++it) {
        result = block(*it, result);
    }
    return result;
}

/** How far a circular buffer's window has come, which Halide keeps in memory of one element. */
bool is_window_position(const ir::Store* store) {
    return (store->name.ends_with(".head") || store->name.ends_with(".head_next")) &&
           ir::is_const_zero(store->index);
}

/** Without what computes; undefined if nothing is left. */
Stmt prune(const Stmt& s) {
    if (!s.defined()) {
        return {};
    }
    switch (s->node_type) {
        case IRNodeType::LetStmt:
            return prune_lets(s.as<ir::LetStmt>());
        case IRNodeType::AssertStmt:
            return s;
        case IRNodeType::Evaluate:
            return buffer_init(s.as<ir::Evaluate>()->value) != nullptr ? s : Stmt();
        case IRNodeType::IfThenElse:
            return prune_if(s.as<ir::IfThenElse>());
        case IRNodeType::Block:
            return prune_blocks(s);
        case IRNodeType::Fork:
            return block(prune(s.as<ir::Fork>()->first), prune(s.as<ir::Fork>()->rest));
        case IRNodeType::For:
            return prune_loop(s.as<ir::For>());
        case IRNodeType::Store:
            return is_window_position(s.as<ir::Store>()) ? s : Stmt();
        case IRNodeType::ProducerConsumer:
            return prune(s.as<ir::ProducerConsumer>()->body);
        case IRNodeType::Allocate:
            return prune(s.as<ir::Allocate>()->body);
        case IRNodeType::Realize:
            return prune(s.as<ir::Realize>()->body);
        case IRNodeType::HoistedStorage:
            return prune(s.as<ir::HoistedStorage>()->body);
        case IRNodeType::Atomic:
            return prune(s.as<ir::Atomic>()->body);
        case IRNodeType::Acquire:
            return prune(s.as<ir::Acquire>()->body);
        case IRNodeType::Prefetch:
            return prune(s.as<ir::Prefetch>()->body);
        default:
            return {};
    }
}

// ---- Arguments
// ----------------------------------------------------------------------------------------

/** Finds the buffers and scalars that the statement names. */
class FindArguments : public ir::IRVisitor {
  public:
    std::map<std::string, ArgumentBuffer> buffers;
    std::map<std::string, Halide::Parameter> scalars;

  private:
    using IRVisitor::visit;

    void visit(const ir::Variable* v) override {
        if (v->param.defined() && !v->param.is_buffer()) {
            scalars[v->param.name()] = v->param;
        } else if (v->param.defined()) {
            found_[v->param.name()].parameter = v->param;
        } else if (v->image.defined()) {
            found_[v->image.name()] = embedded(v->image);
        }
    }

    // Only buffer arguments are initialised through a variable; extern stages' buffers are made by
    // alloca.
    void visit(const Call* call) override {
        IRVisitor::visit(call);
        if (call->name != Call::buffer_init || call->args.size() < 9) {
            return;
        }
        const auto* handle = call->args[0].as<ir::Variable>();
        const auto code = ir::as_const_int(call->args[5]);
        const auto bits = ir::as_const_int(call->args[6]);
        const auto dimensions = ir::as_const_int(call->args[7]);
        if (handle == nullptr || !std::string_view(handle->name).ends_with(".buffer") || !code ||
            !bits || !dimensions) {
            return;
        }
        const std::string name = handle->name.substr(0, handle->name.size() - 7);
        ArgumentBuffer buffer = found_[name];
        buffer.dimensions = static_cast<int>(*dimensions);
        buffer.type = *code | *bits << 8 | 1 << 16;
        buffers[name] = std::move(buffer);
    }

    static ArgumentBuffer embedded(const Halide::Buffer<>& image) {
        ArgumentBuffer buffer;
        buffer.embedded.emplace();
        for (int dim = 0; dim < image.dimensions(); dim++) {
            buffer.embedded->push_back({image.dim(dim).min(), image.dim(dim).extent()});
            buffer.strides.push_back(image.dim(dim).stride());
        }
        return buffer;
    }

    std::map<std::string, ArgumentBuffer> found_;
};

/** Dense, except where a constraint on the stride can be evaluated. */
std::vector<std::int64_t> strides_of(const ArgumentBuffer& argument, const BufferRegion& region,
                                     Interpreter& interpreter) {
    std::vector<std::int64_t> strides;
    std::int64_t dense = 1;
    for (std::size_t dim = 0; dim < region.size(); dim++) {
        std::int64_t stride = dense;
        if (argument.parameter.defined()) {
            const Value constraint =
                interpreter.evaluate(argument.parameter.stride_constraint(static_cast<int>(dim)));
            if (const auto* constrained = as_integer(constraint)) {
                stride = *constrained;
            }
        }
        strides.push_back(stride);
        // An interleaved image has stride 3 in dimension 0: the next one starts after 3 * extent.
        dense = std::max(dense, stride * region[dim].extent);
    }
    return strides;
}

// ---- Running
// ------------------------------------------------------------------------------------------

struct ErrorText {
    const char* name;
    const char* format;      // {n}: argument n
    int dimension_argument;  // part of the identity of the check; -1: none
};

constexpr ErrorText kErrorTexts[] = {
    {"halide_error_access_out_of_bounds",
     "{0} is accessed from {2} to {3} in dimension {1}, where it has {4} to {5}", 1},
    {"halide_error_buffer_extents_negative", "{0} has extent {2} in dimension {1}", 1},
    {"halide_error_constraint_violated", "constraint violated: {0} ({1}) == {2} ({3})", -1},
    {"halide_error_explicit_bounds_too_small",
     "bounds given for {1} in {0} ({2} to {3}) do not cover the required region ({4} to {5})", -1},
    {"halide_error_fold_factor_too_small",
     "the fold factor {2} of dimension {1} of {0} is too small for what loop {3} needs ({4})", -1},
    {"halide_error_bad_fold", "{0} cannot be folded over {1} in loop {2}", -1},
    {"halide_error_requirement_failed", "requirement failed: {1}", -1},
};

/** Walks a pruned statement. */
class CheckRun {
  public:
    explicit CheckRun(Interpreter& interpreter) : interpreter_(interpreter) {}

    void execute(Stmt s) {
        const std::size_t before = interpreter_.mark();
        while (s.defined()) {
            if (fuel_-- <= 0) {
                result.complete = false;
                break;
            }
            if (const auto* let = s.as<ir::LetStmt>()) {
                interpreter_.bind(let->name, interpreter_.evaluate(let->value));
                s = let->body;
            } else if (const auto* node = s.as<ir::Block>()) {
                execute(node->first);
                s = node->rest;
            } else {
                step(s);
                break;
            }
        }
        interpreter_.restore(before);
    }

    BoundsQuery result;

  private:
    void step(const Stmt& s) {
        if (const auto* check = s.as<ir::AssertStmt>()) {
            execute_check(*check);
        } else if (const auto* node = s.as<ir::IfThenElse>()) {
            const Value condition = interpreter_.evaluate(node->condition);
            if (const auto* taken = as_integer(condition)) {
                execute(*taken != 0 ? node->then_case : node->else_case);
            }
        } else if (const auto* loop = s.as<ir::For>()) {
            execute_loop(*loop);
        } else if (const auto* node = s.as<ir::Evaluate>()) {
            (void)interpreter_.evaluate(node->value);
        } else if (const auto* node = s.as<ir::Store>()) {
            interpreter_.store(node->name, interpreter_.evaluate(node->value));
        }
    }

    // A check in a loop is tried in the first iterations, where windows warm up, in the last ones,
    // where tails are, and in between; in several that follow each other, because windows move.
    void execute_loop(const ir::For& loop) {
        const Value min_value = interpreter_.evaluate(loop.min);
        const Value extent_value = interpreter_.evaluate(loop.extent);
        const auto* min = as_integer(min_value);
        const auto* extent = as_integer(extent_value);
        if (min == nullptr || extent == nullptr || *extent < 1) {
            return;
        }
        std::set<std::int64_t> samples;
        const std::int64_t row = std::min<std::int64_t>(*extent, kInARow);
        for (const std::int64_t begin : {std::int64_t{0}, (*extent - row) / 2, *extent - row}) {
            for (std::int64_t i = 0; i < row; i++) {
                samples.insert(*min + begin + i);
            }
        }
        for (const std::int64_t sample : samples) {
            const std::size_t before = interpreter_.mark();
            interpreter_.bind(loop.name, sample);
            execute(loop.body);
            interpreter_.restore(before);
        }
    }

    void execute_check(const ir::AssertStmt& check) {
        const Value condition = interpreter_.evaluate(check.condition);
        const auto* holds = as_integer(condition);
        if (holds != nullptr && *holds != 0) {
            return;
        }
        FailedCheck failed = describe(check);
        if (holds == nullptr) {
            result.unknown_checks.insert(std::move(failed.key));
        } else if (failed_.insert(failed.key).second) {
            result.failed_checks.push_back(std::move(failed));
        }
    }

    FailedCheck describe(const ir::AssertStmt& check) {
        const std::size_t before = interpreter_.mark();
        Expr message = check.message;
        while (const auto* let = message.as<ir::Let>()) {
            interpreter_.bind(let->name, interpreter_.evaluate(let->value));
            message = let->body;
        }
        FailedCheck failed;
        if (const auto* call = message.as<Call>()) {
            failed = describe(*call);
        } else {
            std::ostringstream condition;
            condition << check.condition;
            failed = {condition.str(), condition.str()};
        }
        interpreter_.restore(before);
        return failed;
    }

    FailedCheck describe(const Call& error) {
        std::vector<std::string> args;
        FailedCheck failed{error.name, ""};
        const ErrorText* known = nullptr;
        for (const ErrorText& candidate : kErrorTexts) {
            if (error.name == candidate.name) {
                known = &candidate;
            }
        }
        for (const Expr& arg : error.args) {
            const Value value = interpreter_.evaluate(arg);
            args.push_back(text(value));
            const bool is_dimension =
                known != nullptr && known->dimension_argument == static_cast<int>(args.size()) - 1;
            if (is_dimension || std::holds_alternative<std::string>(value)) {
                failed.key += " " + args.back();
            }
        }
        std::string format = known != nullptr ? known->format : error.name + "(";
        for (std::size_t i = 0; known == nullptr && i < args.size(); i++) {
            format += (i > 0 ? ", " : "") + args[i];
        }
        failed.text = known != nullptr ? substitute(format, args) : format + ")";
        return failed;
    }

    static std::string substitute(const std::string& format, const std::vector<std::string>& args) {
        std::string result;
        for (std::size_t i = 0; i < format.size(); i++) {
            const std::size_t index =
                i + 2 < format.size() && format[i] == '{' ? format[i + 1] - '0' : args.size();
            if (index < args.size()) {
                result += args[index];
                i += 2;
            } else {
                result += format[i];
            }
        }
        return result;
    }

    static constexpr int kInARow = 3;

    Interpreter& interpreter_;
    std::set<std::string> failed_;
    int fuel_ = 1'000'000;  // statements; a limit on nests of loops with checks
};

std::optional<Range> known_range(const std::pair<Value, Value>& range) {
    const auto* min = as_integer(range.first);
    const auto* extent = as_integer(range.second);
    return min != nullptr && extent != nullptr ? std::optional(Range{*min, *extent}) : std::nullopt;
}

}  // namespace

CheckProgram::CheckProgram(const Stmt& lowered) : statement_(prune(lowered)) {
    FindArguments arguments;
    if (statement_.defined()) {
        statement_.accept(&arguments);
    }
    buffers_ = std::move(arguments.buffers);
    scalars_ = std::move(arguments.scalars);
}

ResolvedCall CheckProgram::resolve(const ImaginedCall& call) const {
    ResolvedCall resolved;
    Interpreter interpreter;
    resolve(call, resolved, interpreter);
    return resolved;
}

void CheckProgram::resolve(const ImaginedCall& call, ResolvedCall& resolved,
                           Interpreter& interpreter) const {
    for (const auto& [name, parameter] : scalars_) {
        const auto given = call.scalars.find(name);
        const Expr value = given == call.scalars.end() ? Expr() : given->second;
        resolved.scalars[name] = scalar_value(parameter, value);
        interpreter.bind(name, resolved.scalars[name]);
    }
    for (const auto& [name, argument] : buffers_) {
        CallBuffer& buffer = resolved.buffers[name];
        const auto given = call.buffers.find(name);
        buffer.name = name;
        buffer.type = argument.type;
        buffer.bounds_query = call.bounds_query;
        if (argument.embedded) {
            buffer.region = *argument.embedded;
        } else if (given != call.buffers.end()) {
            buffer.region = given->second;
        }
        buffer.region.resize(argument.dimensions, Range{0, 0});
        buffer.strides.resize(argument.dimensions, 0);
        interpreter.bind_buffer(buffer);
    }
    for (auto& [name, buffer] : resolved.buffers) {
        const ArgumentBuffer& argument = buffers_.at(name);
        buffer.strides =
            argument.embedded ? argument.strides : strides_of(argument, buffer.region, interpreter);
    }
}

BoundsQuery CheckProgram::run(const ImaginedCall& call) const {
    ResolvedCall resolved;
    Interpreter interpreter;
    resolve(call, resolved, interpreter);
    CheckRun run(interpreter);
    run.execute(statement_);
    for (const auto& [name, region] : interpreter.initialized()) {
        for (const auto& range : region) {
            run.result.required[name].push_back(known_range(range));
        }
        run.result.required.try_emplace(name);  // without dimensions
    }
    return std::move(run.result);
}

}  // namespace nestor
