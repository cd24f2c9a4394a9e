#include "random_values.h"

#include <algorithm>
#include <cmath>

#include "padded_buffer.h"

namespace nestor::testing {

namespace {

using namespace Halide;

constexpr double kIntegerLimit = 1 << 28;
constexpr double kFloatLimit = 256;

double magnitude(const Value& value) {
    return std::max(std::abs(value.low), std::abs(value.high));
}

/// The range of a product of two ranges.
Value with_product_range(const Expr& expr, const Value& a, const Value& b) {
    const double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    return {expr, *std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

constexpr int kCommonOperations = 5;

/// What integers and floats have in common.
Value common_binary(int operation, const Value& a, const Value& b) {
    switch (operation) {
        case 0:
            return {a.expr + b.expr, a.low + b.low, a.high + b.high};
        case 1:
            return {a.expr - b.expr, a.low - b.high, a.high - b.low};
        case 2:
            return with_product_range(a.expr * b.expr, a, b);
        case 3:
            return {min(a.expr, b.expr), std::min(a.low, b.low), std::min(a.high, b.high)};
        default:
            return {max(a.expr, b.expr), std::max(a.low, b.low), std::max(a.high, b.high)};
    }
}

Value float_binary(Draw& draw, const Value& a, const Value& b) {
    const int operation = draw.below(kCommonOperations + 1);
    if (operation < kCommonOperations) {
        return common_binary(operation, a, b);
    }
    return {a.expr / (1.0f + b.expr * b.expr), std::min(a.low, 0.0), std::max(a.high, 0.0)};
}

/// In unsigned 8- or 16-bit arithmetic, which wraps around.
Value wrapping_binary(Draw& draw, const Value& a, const Value& b) {
    const Type type = draw.chance(50) ? UInt(8) : UInt(16);
    const Expr left = cast(type, a.expr), right = cast(type, b.expr);
    const Expr result = draw.chance(50) ? left * right : left - right;
    return {cast<int32_t>(result), 0, type.bits() == 8 ? 255.0 : 65535.0};
}

Value integer_division(Draw& draw, const Value& a, const Value& b) {
    if (draw.chance(50)) {
        // Division by zero is zero in Halide; the quotient is never larger than the dividend.
        return {a.expr / b.expr, -magnitude(a), magnitude(a)};
    }
    return {a.expr % b.expr, 0, magnitude(b)};
}

Value integer_binary(Draw& draw, const Value& a, const Value& b) {
    const int operation = draw.below(kCommonOperations + 5);
    if (operation < kCommonOperations) {
        return common_binary(operation, a, b);
    }
    switch (operation - kCommonOperations) {
        case 0:
            return {cast<int32_t>(absd(a.expr, b.expr)), 0, magnitude(a) + magnitude(b)};
        case 1:
            return {select(a.expr > b.expr, a.expr - b.expr, b.expr), std::min(b.low, 0.0),
                    std::max(a.high - b.low, b.high)};
        case 2:
            return {((a.expr & 255) ^ (b.expr & 255)), 0, 255};
        case 3:
            return wrapping_binary(draw, a, b);
        default:
            return integer_division(draw, a, b);
    }
}

}  // namespace

Draw::Draw(uint64_t seed) : seed_(mix(seed)) {}

int Draw::below(int count) {
    return static_cast<int>(mix(seed_ + count_++) % static_cast<uint64_t>(count));
}

int Draw::between(int first, int last) {
    return first + below(last - first + 1);
}

bool Draw::chance(int percent) {
    return below(100) < percent;
}

Value loaded(const Expr& load, double low, double high) {
    return {load.type().is_float() ? cast<float>(load) : cast<int32_t>(load), low, high};
}

Value limited(const Value& value, double limit) {
    if (magnitude(value) <= limit) {
        return value;
    }
    if (value.is_float()) {
        const double scale = limit / magnitude(value);
        return {value.expr * static_cast<float>(scale), value.low * scale, value.high * scale};
    }
    const int modulus = static_cast<int>(limit) | 1;
    if (value.low >= 0) {
        return {value.expr % modulus, 0, static_cast<double>(modulus - 1)};
    }
    const int half = modulus / 2;
    return {value.expr % modulus - half, static_cast<double>(-half), static_cast<double>(half)};
}

Value as_float(const Value& value) {
    return value.is_float() ? value : Value{cast<float>(value.expr), value.low, value.high};
}

Value integer_or(const Value& value, int constant) {
    if (!value.is_float()) {
        return value;
    }
    return {Expr(constant), static_cast<double>(constant), static_cast<double>(constant)};
}

Value random_unary(Draw& draw, const Value& a) {
    if (a.is_float()) {
        switch (draw.below(4)) {
            case 0:
                return {abs(a.expr), 0, magnitude(a)};
            case 1:
                return {sqrt(abs(a.expr) + 0.25f), 0.5, std::sqrt(magnitude(a) + 0.25)};
            case 2:
                return {a.expr * 0.5f + 1.0f, a.low * 0.5 + 1, a.high * 0.5 + 1};
            default:
                return {clamp(a.expr, -8.0f, 8.0f), std::clamp(a.low, -8.0, 8.0),
                        std::clamp(a.high, -8.0, 8.0)};
        }
    }
    const int constant = draw.between(1, 9);
    switch (draw.below(5)) {
        case 0:
            return {cast<int32_t>(abs(a.expr)), 0, magnitude(a)};
        case 1:
            return {a.expr / constant, a.low / constant - 1, a.high / constant + 1};
        case 2:
            return {a.expr >> (constant % 4), -magnitude(a) - 1, magnitude(a)};
        case 3:
            return {clamp(a.expr, -constant, 10 * constant),
                    std::clamp(a.low, -1.0 * constant, 10.0 * constant),
                    std::clamp(a.high, -1.0 * constant, 10.0 * constant)};
        default:
            return {a.expr % constant, 0, static_cast<double>(constant - 1)};
    }
}

Value random_binary(Draw& draw, const Value& a, const Value& b) {
    if (a.is_float() || b.is_float()) {
        // Factors within 16 keep products within the limit.
        const Value left = limited(as_float(a), 16), right = limited(as_float(b), 16);
        return limited(float_binary(draw, left, right), kFloatLimit);
    }
    const Value left = limited(a, 16000), right = limited(b, 16000);
    return limited(integer_binary(draw, left, right), kIntegerLimit);
}

Stored stored_as(Type type, const Value& value) {
    if (type.is_float()) {
        const Value small = limited(as_float(value), kFloatLimit);
        return {cast(type, small.expr), small.low, small.high};
    }
    if (type.bits() == 1) {
        return {value.expr % 3 == 1, 0, 1};
    }
    const double span = std::pow(2.0, type.bits());
    const double low = type.is_uint() ? 0 : -span / 2;
    const double high = type.is_uint() ? span - 1 : span / 2 - 1;
    if (value.low >= low && value.high <= high) {
        return {cast(type, value.expr), value.low, value.high};
    }
    // 2^15 and more need no reduction except for the sign.
    const int modulus = static_cast<int>(std::min(high, 30000.0));
    return {cast(type, value.expr % modulus), 0, static_cast<double>(modulus - 1)};
}

Stored stored_as_random_type(Draw& draw, const Value& value) {
    static const std::vector<Type> floats = {Float(32), Float(32), Float(32), Float(64)};
    static const std::vector<Type> integers = {UInt(8), UInt(8), Int(16),  UInt(16), Int(32),
                                               Int(32), Int(8),  UInt(32), Int(64),  Bool()};
    const bool is_float = value.is_float() || draw.chance(20);
    const Type type = is_float ? draw.pick(floats) : draw.pick(integers);
    return stored_as(type, value);
}

}  // namespace nestor::testing
