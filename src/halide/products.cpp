#include "halide/products.h"

#include <string>
#include <vector>

namespace nestor {

using Halide::Expr;
using Halide::Type;
using Halide::Internal::Add;
using Halide::Internal::Call;
using Halide::Internal::Cast;
using Halide::Internal::Mul;

namespace {

bool is_itself(const std::string& function, const std::vector<Expr>& args, const Expr& e) {
    const Call* call = e.as<Call>();
    if (call == nullptr || call->call_type != Call::Halide || call->name != function ||
        call->args.size() != args.size()) {
        return false;
    }
    for (std::size_t i = 0; i < args.size(); i++) {
        if (!Halide::Internal::equal(call->args[i], args[i])) {
            return false;
        }
    }
    return true;
}

// In the narrowest type that has all its values.
Expr narrowed(const Expr& e) {
    for (const Type& type : {Halide::UInt(8), Halide::Int(8), Halide::Int(16)}) {
        const Expr narrow = Halide::Internal::lossless_cast(type, e);
        if (narrow.defined()) {
            return narrow;
        }
    }
    return {};
}

std::optional<NarrowOperands> factors(const Expr& product) {
    Expr a, b;
    if (const Mul* mul = product.as<Mul>()) {
        a = mul->a;
        b = mul->b;
    } else if (const Call* call = Call::as_intrinsic(product, {Call::widening_mul})) {
        a = call->args[0];
        b = call->args[1];
    } else if (const Cast* cast = product.as<Cast>()) {
        // A product of bytes in 16 bits, which has room for it.
        const bool room = cast->value.type().is_int_or_uint() && cast->value.type().bits() == 16;
        const std::optional<NarrowOperands> found = room ? factors(cast->value) : std::nullopt;
        const bool bytes = found && found->a.type().bits() == 8 && found->b.type().bits() == 8;
        const bool same_sign = bytes && found->a.type().is_uint() && found->b.type().is_uint();
        return bytes && same_sign == cast->value.type().is_uint() ? found : std::nullopt;
    } else {
        return std::nullopt;
    }
    NarrowOperands operands{narrowed(a), narrowed(b)};
    if (!operands.a.defined() || !operands.b.defined()) {
        return std::nullopt;
    }
    return operands;
}

}  // namespace

std::optional<NarrowOperands> narrow_operands(const std::string& function,
                                              const std::vector<Expr>& args, const Expr& value) {
    const Add* sum = value.as<Add>();
    if (sum == nullptr || !value.type().is_int_or_uint() || value.type().bits() != 32) {
        return std::nullopt;
    }
    if (is_itself(function, args, sum->a)) {
        return factors(sum->b);
    }
    return is_itself(function, args, sum->b) ? factors(sum->a) : std::nullopt;
}

}  // namespace nestor
