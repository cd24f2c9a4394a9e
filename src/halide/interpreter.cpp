#include "halide/interpreter.h"

#include <cmath>
#include <optional>
#include <string_view>

#include "halide/operations.h"

namespace nestor {

using Halide::Expr;
using Halide::Type;
using Halide::Internal::Call;
using Halide::Internal::IRNodeType;
namespace ir = Halide::Internal;

namespace {

// Any address that is aligned for every host alignment somebody may ask for.
constexpr std::int64_t kHostAddress = std::int64_t{1} << 40;

/** Parses "min.1" and the like. */
std::optional<std::int64_t> buffer_field(const CallBuffer& buffer, std::string_view field) {
    const auto dot = field.find('.');
    if (dot == std::string_view::npos || dot + 1 >= field.size()) {
        return std::nullopt;
    }
    std::size_t dim = 0;
    for (const char c : field.substr(dot + 1)) {
        if (c < '0' || c > '9') {
            return std::nullopt;
        }
        dim = dim * 10 + (c - '0');
    }
    if (dim >= buffer.region.size()) {
        return std::nullopt;
    }
    const std::string_view what = field.substr(0, dot);
    if (what == "min") {
        return buffer.region[dim].min;
    }
    if (what == "extent") {
        return buffer.region[dim].extent;
    }
    if (what == "stride") {
        return buffer.strides[dim];
    }
    return std::nullopt;
}

}  // namespace

bool is_known(const Value& value) {
    return !std::holds_alternative<Unknown>(value);
}

const std::int64_t* as_integer(const Value& value) {
    return std::get_if<std::int64_t>(&value);
}

std::string text(const Value& value) {
    if (const auto* integer = as_integer(value)) {
        return std::to_string(*integer);
    }
    if (const auto* real = std::get_if<double>(&value)) {
        return std::to_string(*real);
    }
    if (const auto* string = std::get_if<std::string>(&value)) {
        return *string;
    }
    return "?";
}

Value convert(const Type& from, const Type& to, const Value& value) {
    if (const auto* integer = as_integer(value)) {
        if (to.is_float()) {
            return round_to(to, from.is_uint()
                                    ? static_cast<double>(static_cast<std::uint64_t>(*integer))
                                    : static_cast<double>(*integer));
        }
        return to.is_bool() ? std::int64_t{*integer != 0} : wrap(to, *integer);
    }
    if (const auto* real = std::get_if<double>(&value)) {
        if (to.is_float()) {
            return round_to(to, *real);
        }
        if (to.is_bool()) {
            return std::int64_t{*real != 0};
        }
        if (to.is_handle() || !(std::abs(*real) < 9e18)) {
            return Unknown{};
        }
        return wrap(to, static_cast<std::int64_t>(*real));
    }
    return to.is_handle() ? value : Value{Unknown{}};
}

void Interpreter::bind_buffer(const CallBuffer& buffer) {
    buffers_[buffer.name] = &buffer;
    values_[buffer.name + ".buffer"] = &buffer;
}

void Interpreter::bind(const std::string& name, Value value) {
    Value& slot = values_[name];
    shadowed_.emplace_back(name, std::move(slot));
    slot = std::move(value);
}

void Interpreter::restore(std::size_t mark) {
    while (shadowed_.size() > mark) {
        auto& [name, value] = shadowed_.back();
        values_[name] = std::move(value);
        shadowed_.pop_back();
    }
}

template <class Node>
Value Interpreter::binary(const Expr& e, Operation operation) {
    const Node* node = e.as<Node>();
    return apply_operation(operation, node->a.type(), evaluate(node->a), evaluate(node->b));
}

Value Interpreter::evaluate(const Expr& e) {
    if (!e.defined() || e.type().is_vector()) {
        return Unknown{};
    }
    switch (e->node_type) {
        case IRNodeType::IntImm:
            return e.as<ir::IntImm>()->value;
        case IRNodeType::UIntImm:
            return static_cast<std::int64_t>(e.as<ir::UIntImm>()->value);
        case IRNodeType::FloatImm:
            return e.as<ir::FloatImm>()->value;
        case IRNodeType::StringImm:
            return e.as<ir::StringImm>()->value;
        case IRNodeType::Cast:
            return convert(e.as<ir::Cast>()->value.type(), e.type(),
                           evaluate(e.as<ir::Cast>()->value));
        case IRNodeType::Reinterpret:
            return reinterpret(e.type(), evaluate(e.as<ir::Reinterpret>()->value));
        case IRNodeType::Variable:
            return variable(*e.as<ir::Variable>());
        case IRNodeType::Load: {
            const auto known = elements_.find(e.as<ir::Load>()->name);
            return known == elements_.end() ? Value(Unknown{}) : known->second;
        }
        case IRNodeType::Add:
            return binary<ir::Add>(e, Operation::Add);
        case IRNodeType::Sub:
            return binary<ir::Sub>(e, Operation::Subtract);
        case IRNodeType::Mul:
            return binary<ir::Mul>(e, Operation::Multiply);
        case IRNodeType::Div:
            return binary<ir::Div>(e, Operation::Divide);
        case IRNodeType::Mod:
            return binary<ir::Mod>(e, Operation::Modulo);
        case IRNodeType::Min:
            return binary<ir::Min>(e, Operation::Min);
        case IRNodeType::Max:
            return binary<ir::Max>(e, Operation::Max);
        case IRNodeType::EQ:
            return binary<ir::EQ>(e, Operation::Equal);
        case IRNodeType::NE:
            return binary<ir::NE>(e, Operation::NotEqual);
        case IRNodeType::LT:
            return binary<ir::LT>(e, Operation::Less);
        case IRNodeType::LE:
            return binary<ir::LE>(e, Operation::LessEqual);
        case IRNodeType::GT:
            return binary<ir::GT>(e, Operation::Greater);
        case IRNodeType::GE:
            return binary<ir::GE>(e, Operation::GreaterEqual);
        case IRNodeType::And:
            return logical(e.as<ir::And>()->a, e.as<ir::And>()->b, false);
        case IRNodeType::Or:
            return logical(e.as<ir::Or>()->a, e.as<ir::Or>()->b, true);
        case IRNodeType::Not:
            return apply_operation(Operation::Equal, e.type(), evaluate(e.as<ir::Not>()->a),
                                   std::int64_t{0});
        case IRNodeType::Select: {
            const auto* node = e.as<ir::Select>();
            return select(node->condition, node->true_value, node->false_value);
        }
        case IRNodeType::Let:
            return let(e.as<ir::Let>());
        case IRNodeType::Call:
            return call(*e.as<Call>());
        default:  // loads, and vectors, which have been dealt with above
            return Unknown{};
    }
}

Value Interpreter::variable(const ir::Variable& v) const {
    if (const auto found = values_.find(v.name);
        found != values_.end() && is_known(found->second)) {
        return found->second;
    }
    // "in.min.1": constraints name the fields of buffers so, before anything binds them.
    for (auto dot = v.name.find('.'); dot != std::string::npos; dot = v.name.find('.', dot + 1)) {
        if (const auto buffer = buffers_.find(v.name.substr(0, dot)); buffer != buffers_.end()) {
            if (const auto field =
                    buffer_field(*buffer->second, std::string_view(v.name).substr(dot + 1))) {
                return *field;
            }
        }
    }
    return Unknown{};
}

Value Interpreter::let(const ir::Let* let) {
    const std::size_t before = mark();
    const Expr* body = nullptr;
    for (; let != nullptr; let = body->as<ir::Let>()) {
        bind(let->name, evaluate(let->value));
        body = &let->body;
    }
    Value result = evaluate(*body);
    restore(before);
    return result;
}

Value Interpreter::logical(const Expr& a, const Expr& b, bool decides) {
    bool unknown = false;
    for (const Expr* operand : {&a, &b}) {
        const Value value = evaluate(*operand);
        const auto* integer = as_integer(value);
        if (integer != nullptr && (*integer != 0) == decides) {
            return std::int64_t{decides};
        }
        unknown = unknown || integer == nullptr;
    }
    return unknown ? Value{Unknown{}} : Value{std::int64_t{!decides}};
}

Value Interpreter::select(const Expr& condition, const Expr& a, const Expr& b) {
    const Value decision = evaluate(condition);
    if (const auto* integer = as_integer(decision)) {
        return evaluate(*integer != 0 ? a : b);
    }
    Value first = evaluate(a);
    return first == evaluate(b) ? first : Value{Unknown{}};
}

Value Interpreter::call(const Call& c) {
    if (std::string_view(c.name).starts_with("_halide_buffer_")) {
        return buffer_call(c);
    }
    if (const auto operation = c.is_intrinsic() ? find_operation(c.name) : std::nullopt) {
        // These work in the type of their operands, all others, widening ones too, in that of the
        // result.
        const bool narrow = c.type.is_bool() || *operation == Operation::AbsoluteDifference;
        const Type type = narrow ? c.args[0].type() : c.type;
        return apply_operation(*operation, type, evaluate(c.args[0]), evaluate(c.args[1]));
    }
    if (c.is_intrinsic()) {
        return special_intrinsic(c);
    }
    if (c.args.size() == 1 && c.type.is_float()) {
        return apply_float_function(c.name, c.type, evaluate(c.args[0]));
    }
    return Unknown{};
}

Value Interpreter::special_intrinsic(const Call& c) {
    if (c.is_intrinsic({Call::likely, Call::likely_if_innermost, Call::promise_clamped,
                        Call::unsafe_promise_clamped})) {
        return evaluate(c.args[0]);
    }
    if (c.is_intrinsic(Call::return_second)) {
        return evaluate(c.args[1]);
    }
    if (c.is_intrinsic(Call::if_then_else)) {
        return select(c.args[0], c.args[1], c.args.size() > 2 ? c.args[2] : Expr());
    }
    if (c.is_intrinsic(Call::require)) {
        return select(c.args[0], c.args[1], Expr());
    }
    if (c.is_intrinsic(Call::abs)) {
        const Type type = c.args[0].type();
        const Value value = evaluate(c.args[0]);
        const Value zero = type.is_float() ? Value{0.0} : Value{std::int64_t{0}};
        return apply_operation(Operation::AbsoluteDifference, type, value, zero);
    }
    if (c.is_intrinsic(Call::bitwise_not)) {
        return apply_operation(Operation::BitXor, c.type, evaluate(c.args[0]), std::int64_t{-1});
    }
    if (c.is_intrinsic(Call::saturating_cast)) {
        return saturate(c.args[0].type(), c.type, evaluate(c.args[0]));
    }
    if (c.is_intrinsic(Call::round)) {
        return apply_float_function("nearbyint_f64", c.type, evaluate(c.args[0]));
    }
    if (c.is_intrinsic(Call::size_of_halide_buffer_t)) {
        return static_cast<std::int64_t>(sizeof(halide_buffer_t));
    }
    if (c.is_intrinsic(Call::make_struct)) {
        auto fields = std::make_shared<StructValue>();
        for (const Expr& arg : c.args) {
            fields->values.push_back(evaluate(arg));
        }
        return fields;
    }
    if (c.is_intrinsic(Call::stringify)) {
        std::string all;
        for (const Expr& arg : c.args) {
            all += text(evaluate(arg));
        }
        return all;
    }
    return Unknown{};
}

Value Interpreter::buffer_call(const Call& c) {
    Value subject = c.args.empty() ? Value{Unknown{}} : evaluate(c.args[0]);
    const auto* const handle = std::get_if<const CallBuffer*>(&subject);
    if (handle == nullptr) {
        return Unknown{};  // a buffer of an extern stage, made by the pipeline itself
    }
    const CallBuffer& buffer = **handle;
    if (c.name == Call::buffer_init) {
        initialize_buffer(c);
        return subject;
    }
    if (c.args.size() == 2) {
        const Value index = evaluate(c.args[1]);
        const auto* dim = as_integer(index);
        if (dim == nullptr || *dim < 0 || *dim >= static_cast<std::int64_t>(buffer.region.size())) {
            return Unknown{};
        }
        const Range& range = buffer.region[*dim];
        if (c.name == Call::buffer_get_min) {
            return range.min;
        }
        if (c.name == Call::buffer_get_extent) {
            return range.extent;
        }
        if (c.name == Call::buffer_get_max) {
            return range.max();
        }
        return c.name == Call::buffer_get_stride ? Value{buffer.strides[*dim]} : Value{Unknown{}};
    }
    if (c.name == Call::buffer_get_dimensions) {
        return static_cast<std::int64_t>(buffer.region.size());
    }
    if (c.name == Call::buffer_get_host) {
        return buffer.bounds_query ? 0 : kHostAddress;
    }
    if (c.name == Call::buffer_is_bounds_query) {
        return std::int64_t{buffer.bounds_query};
    }
    if (c.name == Call::buffer_get_type) {
        return buffer.type;
    }
    if (c.name == Call::buffer_get_host_dirty || c.name == Call::buffer_get_device_dirty ||
        c.name == Call::buffer_get_device || c.name == Call::buffer_get_device_interface) {
        return std::int64_t{0};
    }
    return Unknown{};
}

void Interpreter::initialize_buffer(const Call& c) {
    // (buffer, shape to fill, host, device, interface, type code, bits, dimensions, shape, flags);
    // the shape is a struct of (min, extent, stride, flags) for each dimension.
    const auto* buffer = std::get<const CallBuffer*>(evaluate(c.args[0]));
    const Value shape = c.args.size() > 8 ? evaluate(c.args[8]) : Value{Unknown{}};
    const auto* fields = std::get_if<std::shared_ptr<const StructValue>>(&shape);
    Region region(buffer->region.size(), {Unknown{}, Unknown{}});
    for (std::size_t dim = 0; fields != nullptr && dim < region.size(); dim++) {
        if (4 * dim + 1 < (*fields)->values.size()) {
            region[dim] = {(*fields)->values[4 * dim], (*fields)->values[4 * dim + 1]};
        }
    }
    initialized_[buffer->name] = std::move(region);
}

Value scalar_value(const Halide::Parameter& parameter, const Expr& given) {
    Interpreter constants;
    const Type type = parameter.type();
    const auto as_typed = [&](const Expr& e) -> Value {
        return e.defined() ? convert(e.type(), type, constants.evaluate(e)) : Value{Unknown{}};
    };
    for (const Expr& e : {given, parameter.estimate(),
                          parameter.has_scalar_value() ? parameter.scalar_expr() : Expr()}) {
        if (Value value = as_typed(e); is_known(value)) {
            return value;
        }
    }
    if (type.is_handle()) {
        return Unknown{};
    }
    Value value = type.is_float() ? Value{1.0} : Value{std::int64_t{1}};
    if (const Value minimum = as_typed(parameter.min_value()); is_known(minimum)) {
        value = apply_operation(Operation::Max, type, value, minimum);
    }
    if (const Value maximum = as_typed(parameter.max_value()); is_known(maximum)) {
        value = apply_operation(Operation::Min, type, value, maximum);
    }
    return value;
}

}  // namespace nestor
