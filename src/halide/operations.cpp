#include "halide/operations.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace nestor {

using enum Operation;
using Halide::Type;
using Halide::Internal::Call;

namespace {

// Wide enough for every intermediate result of 64-bit operands, signed or not.
__extension__ using Wide = __int128;
__extension__ using WideBits = unsigned __int128;

Wide widen(const Type& type, std::int64_t value) {
    return type.is_uint() ? static_cast<Wide>(static_cast<std::uint64_t>(value))
                          : static_cast<Wide>(value);
}

std::int64_t narrow(const Type& type, Wide value) {
    return wrap(
        type, static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<WideBits>(value))));
}

std::int64_t clamp_to(const Type& type, Wide value) {
    const int bits = type.bits();
    const Wide low = type.is_uint() ? 0 : -(Wide{1} << (bits - 1));
    const Wide high = type.is_uint() ? (Wide{1} << bits) - 1 : (Wide{1} << (bits - 1)) - 1;
    return narrow(type, std::clamp(value, low, high));
}

Wide multiply(Wide a, Wide b) {
    return static_cast<Wide>(static_cast<WideBits>(a) * static_cast<WideBits>(b));
}

Wide divide(Wide a, Wide b) {
    if (b == 0) {
        return 0;
    }
    const Wide quotient = a / b;
    return a % b < 0 ? quotient + (b > 0 ? -1 : 1) : quotient;
}

Wide floor_half(Wide a) {
    return divide(a, 2);
}

/** a * 2^b for b of any sign; a large |b| is undefined in Halide. */
Wide shift(Wide a, Wide b, bool rounding) {
    if (b >= 0) {
        return b < 64 ? multiply(a, Wide{1} << b) : 0;
    }
    b = std::min<Wide>(-b, 64);
    return divide(rounding ? a + (Wide{1} << (b - 1)) : a, Wide{1} << b);
}

std::int64_t integer_operation(Operation operation, const Type& type, std::int64_t x,
                               std::int64_t y) {
    const Wide a = widen(type, x);
    const Wide b = widen(type, y);
    switch (operation) {
        case Add:
            return narrow(type, a + b);
        case Subtract:
            return narrow(type, a - b);
        case Multiply:
            return narrow(type, multiply(a, b));
        case Divide:
            return narrow(type, divide(a, b));
        case Modulo:
            return narrow(type, b == 0 ? 0 : a - multiply(divide(a, b), b));
        case DivideToZero:
            return narrow(type, b == 0 ? 0 : a / b);
        case ModuloToZero:
            return narrow(type, b == 0 ? 0 : a % b);
        case Min:
            return narrow(type, std::min(a, b));
        case Max:
            return narrow(type, std::max(a, b));
        case Equal:
            return a == b ? 1 : 0;
        case NotEqual:
            return a != b ? 1 : 0;
        case Less:
            return a < b ? 1 : 0;
        case LessEqual:
            return a <= b ? 1 : 0;
        case Greater:
            return a > b ? 1 : 0;
        case GreaterEqual:
            return a >= b ? 1 : 0;
        case BitAnd:
            return wrap(type, x & y);
        case BitOr:
            return wrap(type, x | y);
        case BitXor:
            return wrap(type, x ^ y);
        // The count of a shift has a sign of its own.
        case ShiftLeft:
            return narrow(type, shift(a, y, false));
        case ShiftRight:
            return narrow(type, shift(a, -Wide{y}, false));
        case RoundingShiftLeft:
            return narrow(type, shift(a, y, true));
        case RoundingShiftRight:
            return narrow(type, shift(a, -Wide{y}, true));
        case AbsoluteDifference:
            return narrow(type.with_code(Type::UInt), a < b ? b - a : a - b);
        case HalvingAdd:
            return narrow(type, floor_half(a + b));
        case HalvingSubtract:
            return narrow(type, floor_half(a - b));
        case RoundingHalvingAdd:
            return narrow(type, floor_half(a + b + 1));
        case SaturatingAdd:
            return clamp_to(type, a + b);
        case SaturatingSubtract:
            return clamp_to(type, a - b);
    }
    return 0;
}

Value float_operation(Operation operation, const Type& type, double a, double b) {
    switch (operation) {
        case Add:
            return round_to(type, a + b);
        case Subtract:
            return round_to(type, a - b);
        case Multiply:
            return round_to(type, a * b);
        case Divide:
            return round_to(type, a / b);
        case Modulo:
            return round_to(type, a - b * std::floor(a / b));
        case Min:
            return std::min(a, b);
        case Max:
            return std::max(a, b);
        case Equal:
            return std::int64_t{a == b};
        case NotEqual:
            return std::int64_t{a != b};
        case Less:
            return std::int64_t{a < b};
        case LessEqual:
            return std::int64_t{a <= b};
        case Greater:
            return std::int64_t{a > b};
        case GreaterEqual:
            return std::int64_t{a >= b};
        case AbsoluteDifference:
            return std::abs(a - b);
        default:
            return Unknown{};
    }
}

}  // namespace

std::optional<Operation> find_operation(const std::string& intrinsic) {
    static const std::unordered_map<std::string, Operation> operations = [] {
        const std::pair<Call::IntrinsicOp, Operation> table[] = {
            {Call::absd, AbsoluteDifference},
            {Call::bitwise_and, BitAnd},
            {Call::bitwise_or, BitOr},
            {Call::bitwise_xor, BitXor},
            {Call::div_round_to_zero, DivideToZero},
            {Call::halving_add, HalvingAdd},
            {Call::halving_sub, HalvingSubtract},
            {Call::mod_round_to_zero, ModuloToZero},
            {Call::rounding_halving_add, RoundingHalvingAdd},
            {Call::rounding_shift_left, RoundingShiftLeft},
            {Call::rounding_shift_right, RoundingShiftRight},
            {Call::saturating_add, SaturatingAdd},
            {Call::saturating_sub, SaturatingSubtract},
            {Call::shift_left, ShiftLeft},
            {Call::shift_right, ShiftRight},
            {Call::sorted_avg, HalvingAdd},
            {Call::strict_add, Add},
            {Call::strict_div, Divide},
            {Call::strict_eq, Equal},
            {Call::strict_le, LessEqual},
            {Call::strict_lt, Less},
            {Call::strict_max, Max},
            {Call::strict_min, Min},
            {Call::strict_mul, Multiply},
            {Call::strict_sub, Subtract},
            {Call::widen_right_add, Add},
            {Call::widen_right_mul, Multiply},
            {Call::widen_right_sub, Subtract},
            {Call::widening_add, Add},
            {Call::widening_mul, Multiply},
            {Call::widening_shift_left, ShiftLeft},
            {Call::widening_shift_right, ShiftRight},
            {Call::widening_sub, Subtract},
        };
        std::unordered_map<std::string, Operation> by_name;
        for (const auto& [op, operation] : table) {
            by_name[Call::get_intrinsic_name(op)] = operation;
        }
        return by_name;
    }();
    const auto found = operations.find(intrinsic);
    return found == operations.end() ? std::nullopt : std::optional(found->second);
}

Value apply_operation(Operation operation, const Type& type, const Value& a, const Value& b) {
    if (const auto* x = as_integer(a)) {
        if (const auto* y = as_integer(b)) {
            return integer_operation(operation, type, *x, *y);
        }
    }
    if (const auto* x = std::get_if<double>(&a)) {
        if (const auto* y = std::get_if<double>(&b)) {
            return float_operation(operation, type, *x, *y);
        }
    }
    return Unknown{};
}

Value apply_float_function(const std::string& name, const Type& type, const Value& a) {
    using Function = double (*)(double);
    static const std::unordered_map<std::string, Function> functions = {
        {"floor", std::floor}, {"ceil", std::ceil},
        {"trunc", std::trunc}, {"nearbyint", std::nearbyint},
        {"sqrt", std::sqrt},   {"exp", std::exp},
        {"log", std::log},     {"sin", std::sin},
        {"cos", std::cos},     {"tan", std::tan},
        {"atan", std::atan},   {"tanh", std::tanh},
    };
    const auto* x = std::get_if<double>(&a);
    const auto found = functions.find(name.substr(0, name.rfind("_f")));
    if (x == nullptr || found == functions.end()) {
        return Unknown{};
    }
    return round_to(type, found->second(*x));
}

std::int64_t wrap(const Type& type, std::int64_t value) {
    const int bits = type.bits();
    if (type.is_handle() || bits >= 64) {
        return value;
    }
    const int unused = 64 - bits;
    const std::uint64_t high = static_cast<std::uint64_t>(value) << unused;
    return type.is_uint() ? static_cast<std::int64_t>(high >> unused)
                          : static_cast<std::int64_t>(high) >> unused;
}

double round_to(const Type& type, double value) {
    return type.bits() < 64 ? static_cast<double>(static_cast<float>(value)) : value;
}

Value saturate(const Type& from, const Type& to, const Value& value) {
    if (const auto* integer = as_integer(value); integer != nullptr && !to.is_float()) {
        return clamp_to(to, widen(from, *integer));
    }
    const auto* real = std::get_if<double>(&value);
    if (real == nullptr || to.is_float()) {
        return convert(from, to, value);
    }
    return std::isnan(*real)
               ? Value{Unknown{}}
               : Value{clamp_to(to, static_cast<Wide>(std::clamp(*real, -1e30, 1e30)))};
}

Value reinterpret(const Type& type, const Value& value) {
    if (std::holds_alternative<const CallBuffer*>(value) && !type.is_handle()) {
        return std::int64_t{1};  // any address but null
    }
    if (const auto* integer = as_integer(value)) {
        return type.is_float() ? Value{Unknown{}} : Value{wrap(type, *integer)};
    }
    return std::holds_alternative<double>(value) ? Value{Unknown{}} : value;
}

}  // namespace nestor
