#pragma once
// Arithmetic on interpreted values with Halide's semantics: division rounds so that the remainder
// is not negative, x / 0 and x % 0 are 0, integers wrap to their type.

#include <optional>
#include <string>

#include "halide/interpreter.h"

namespace nestor {

enum class Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    DivideToZero,
    ModuloToZero,
    Min,
    Max,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    RoundingShiftLeft,
    RoundingShiftRight,
    AbsoluteDifference,
    HalvingAdd,
    HalvingSubtract,
    RoundingHalvingAdd,
    SaturatingAdd,
    SaturatingSubtract,
};

/** The operation of an intrinsic of two operands, if it is one of these. */
[[nodiscard]] std::optional<Operation> find_operation(const std::string& intrinsic);

/** `type`: of the operands (both are read as this type). Unknown if an operand is. */
[[nodiscard]] Value apply_operation(Operation operation, const Halide::Type& type, const Value& a,
                                    const Value& b);

/** sqrt_f32 and so on, by name; Unknown for others. */
[[nodiscard]] Value apply_float_function(const std::string& name, const Halide::Type& type,
                                         const Value& a);

/** The low bits of `value`, extended by the type's sign. */
[[nodiscard]] std::int64_t wrap(const Halide::Type& type, std::int64_t value);
[[nodiscard]] double round_to(const Halide::Type& type, double value);
/** The value, or the closest one that `to` has. */
[[nodiscard]] Value saturate(const Halide::Type& from, const Halide::Type& to, const Value& value);
/** The same bits as another type; for integers and pointers only. */
[[nodiscard]] Value reinterpret(const Halide::Type& type, const Value& value);

}  // namespace nestor
