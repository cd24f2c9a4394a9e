#include "halide/operation_counts.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nestor {

using Halide::Type;
using Halide::Internal::Call;
using enum Arithmetic;

namespace {

struct Part {
    Arithmetic operation;
    float count;
};
using Parts = std::vector<Part>;

// In the type of the result.
const std::unordered_map<std::string, Parts>& intrinsics() {
    static const std::unordered_map<std::string, Parts> table = [] {
        const std::pair<std::initializer_list<Call::IntrinsicOp>, Parts> rows[] = {
            {{Call::unreachable, Call::require, Call::return_second, Call::promise_clamped,
              Call::unsafe_promise_clamped},
             {}},
            {{Call::bitwise_and, Call::bitwise_or, Call::bitwise_xor, Call::bitwise_not},
             {{Add, 1}}},
            {{Call::strict_add, Call::strict_sub, Call::round}, {{Add, 1}}},
            {{Call::strict_mul}, {{Multiply, 1}}},
            {{Call::strict_min, Call::strict_max, Call::abs}, {{Minimum, 1}}},
            {{Call::strict_eq, Call::strict_lt, Call::strict_le}, {{Select, 0.5F}}},
            {{Call::if_then_else}, {{Select, 0.5F}}},
            {{Call::absd}, {{Minimum, 2}, {Add, 1}}},
            {{Call::saturating_add, Call::saturating_sub}, {{Add, 1}, {Minimum, 1}}},
            {{Call::shift_left, Call::shift_right}, {{Shift, 1}}},
            {{Call::rounding_shift_left, Call::rounding_shift_right}, {{Shift, 1}, {Add, 1}}},
            {{Call::halving_add, Call::halving_sub, Call::rounding_halving_add, Call::sorted_avg},
             {{Add, 2}}},
            {{Call::widening_add, Call::widening_sub}, {{Widen, 1}, {Add, 1}}},
            {{Call::widen_right_add, Call::widen_right_sub}, {{Widen, 1}, {Add, 1}}},
            {{Call::widening_mul, Call::widen_right_mul}, {{Widen, 1}, {Multiply, 1}}},
            {{Call::widening_shift_left, Call::widening_shift_right}, {{Widen, 1}, {Shift, 1}}},
            {{Call::mul_shift_right, Call::rounding_mul_shift_right},
             {{Widen, 2}, {Multiply, 1}, {Shift, 1}}},
            {{Call::div_round_to_zero, Call::mod_round_to_zero, Call::strict_div}, {{Divide, 1}}},
            {{Call::popcount, Call::count_leading_zeros, Call::count_trailing_zeros}, {{Add, 8}}},
            {{Call::random}, {{Multiply, 6}, {Add, 12}}},
        };
        std::unordered_map<std::string, Parts> by_name;
        for (const auto& [operations, parts] : rows) {
            for (const Call::IntrinsicOp operation : operations) {
                by_name[Call::get_intrinsic_name(operation)] = parts;
            }
        }
        return by_name;
    }();
    return table;
}

// Functions that have vectors, by the stem of their names: sqrt_f32. Anything else is called for
// each element.
const std::unordered_map<std::string, Parts>& functions() {
    static const std::unordered_map<std::string, Parts> table = {
        {"sqrt", {{SquareRoot, 1}}},
        {"exp", {{Exponential, 1}}},
        {"log", {{Exponential, 1}}},
        {"pow", {{Exponential, 4}}},  // a logarithm, an exponential, and cases
        {"floor", {{Add, 1}}},
        {"ceil", {{Add, 1}}},
        {"round", {{Add, 1}}},
        {"trunc", {{Add, 1}}},
        {"nearbyint", {{Add, 1}}},
        {"abs", {{Minimum, 1}}},
        {"is_nan", {{Select, 0.5F}}},
        {"is_inf", {{Select, 0.5F}}},
        {"is_finite", {{Select, 0.5F}}},
        {"fast_inverse", {{Multiply, 2}}},
        {"fast_inverse_sqrt", {{Multiply, 2}}},
    };
    return table;
}

void add(const Parts& parts, const Type& type, LoopSet loops, OpCounts& ops) {
    for (const Part& part : parts) {
        ops.add(part.operation, element_of(type), loops, part.count);
    }
}

// Floats are clamped before they are converted; integers narrow and saturate at once.
void count_saturating_cast(const Type& from, const Type& to, LoopSet loops, OpCounts& ops) {
    if (from.is_float()) {
        add({{Minimum, 2}}, from, loops, ops);
        count_cast(from, to, loops, ops);
    } else {
        add({{Minimum, 1}, {Widen, 1}}, to.bits() > from.bits() ? to : from, loops, ops);
    }
}

}  // namespace

void count_cast(const Type& from, const Type& to, LoopSet loops, OpCounts& ops) {
    if (to.bits() != from.bits()) {
        ops.add(Widen, element_of(to.bits() > from.bits() ? to : from), loops, 1);
    }
    if (to.is_float() != from.is_float()) {
        ops.add(Widen, element_of(to.is_float() ? to : from), loops, 1);
    }
}

ElementType element_of(const Type& type) {
    if (type.is_float() || type.is_bfloat()) {
        return type.bits() > 32 ? ElementType::Float64 : ElementType::Float32;
    }
    return integer_of(type.bytes());
}

ScalarType scalar_type(const Type& t) {
    const TypeKind kind = t.is_bfloat()   ? TypeKind::BFloat
                          : t.is_float()  ? TypeKind::Float
                          : t.is_handle() ? TypeKind::Handle
                          : t.is_uint()   ? TypeKind::UInt
                                          : TypeKind::Int;
    return {kind, t.bits()};
}

void count_call(const Call* call, LoopSet loops, OpCounts& ops) {
    if (call->is_tag()) {
        return;
    }
    if (call->is_intrinsic(Call::lerp)) {
        if (call->type.is_float()) {
            add({{Add, 1}, {Multiply, 1}, {MultiplyAdd, 1}}, call->type, loops, ops);
        } else {
            const Type wide = call->type.with_bits(std::min(64, 2 * call->type.bits()));
            add({{Widen, 2}, {Multiply, 2}, {Add, 2}, {Shift, 2}}, wide, loops, ops);
        }
        return;
    }
    if (call->is_intrinsic(Call::saturating_cast)) {
        count_saturating_cast(call->args[0].type(), call->type, loops, ops);
        return;
    }
    if (call->is_intrinsic(Call::mux)) {
        ops.add(Select, element_of(call->type), loops, static_cast<float>(call->args.size()) - 2);
        return;
    }
    const auto& table = call->is_intrinsic() ? intrinsics() : functions();
    const std::string name =
        call->is_intrinsic() ? call->name : call->name.substr(0, call->name.rfind("_f"));
    if (const auto known = table.find(name); known != table.end()) {
        add(known->second, call->type, loops, ops);
    } else if (call->is_intrinsic()) {
        add({{Add, 1}}, call->type, loops, ops);
    } else {
        ops.add(std::nullopt, element_of(call->type), loops, 1);
    }
}

}  // namespace nestor
