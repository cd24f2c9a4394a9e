#include "measure/elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

namespace nestor {

namespace {

/** The finisher of splitmix64. */
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31U);
}

template <class T>
void store(std::uint8_t* at, T value) {
    std::memcpy(at, &value, sizeof(value));
}

template <class T>
T load(const std::uint8_t* at) {
    T value;
    std::memcpy(&value, at, sizeof(value));
    return value;
}

// IEEE 754 half precision: 5 bits of exponent, 10 of mantissa.
constexpr int kHalfMantissa = 10;
constexpr int kHalfBias = 15;
constexpr int kHalfSpecial = 31;  // exponent of infinities and NaNs

double half_to_double(std::uint16_t bits) {
    const int exponent = (bits >> kHalfMantissa) & kHalfSpecial;
    const int mantissa = bits & ((1 << kHalfMantissa) - 1);
    double value = 0;
    if (exponent == kHalfSpecial) {
        value = mantissa == 0 ? INFINITY : NAN;
    } else if (exponent == 0) {
        value = std::ldexp(mantissa, 1 - kHalfBias - kHalfMantissa);
    } else {
        value = std::ldexp(mantissa + (1 << kHalfMantissa), exponent - kHalfBias - kHalfMantissa);
    }
    return (bits >> 15) != 0 ? -value : value;
}

/** Of 0 to 1, rounded to the nearest, ties to even. */
std::uint16_t half_of_unit(double value) {
    const int exponent = value > 0 ? std::max(std::ilogb(value), 1 - kHalfBias) : 1 - kHalfBias;
    const auto digits =
        static_cast<int>(std::nearbyint(std::ldexp(value, kHalfMantissa - exponent)));
    // The leading 1 of a normal number adds one to the exponent, and so does what rounding carries.
    return static_cast<std::uint16_t>(((exponent + kHalfBias - 1) << kHalfMantissa) + digits);
}

double bfloat_to_double(std::uint16_t bits) {
    const std::uint32_t wide = std::uint32_t{bits} << 16U;
    float value = 0;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
}

/** The upper half of a float, rounded to the nearest, ties to even. */
std::uint16_t bfloat_of(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

void store_random(halide_type_t type, std::uint64_t random, std::uint8_t* at) {
    const double unit = static_cast<double>(random >> 40U) * 0x1p-24;  // exact as a float
    if (type.code == halide_type_bfloat) {
        store(at, bfloat_of(static_cast<float>(unit)));
    } else if (type.code == halide_type_float) {
        if (type.bits == 32) {
            store(at, static_cast<float>(unit));
        } else if (type.bits == 64) {
            store(at, unit);
        } else {
            store(at, half_of_unit(unit));
        }
    } else if (type.bits == 1) {
        store<std::uint8_t>(at, random & 1U);
    } else if (type.bits == 8) {
        store<std::uint8_t>(at, random & 0xffU);
    } else if (type.bits == 16) {
        store<std::uint16_t>(at, random & 0xffffU);
    } else if (type.bits == 32) {
        store<std::uint32_t>(at, random & 0xffU);
    } else {
        store<std::uint64_t>(at, random & 0xffU);
    }
}

double float_as_double(halide_type_t type, const std::uint8_t* at) {
    if (type.code == halide_type_bfloat) {
        return bfloat_to_double(load<std::uint16_t>(at));
    }
    switch (type.bits) {
        case 16:
            return half_to_double(load<std::uint16_t>(at));
        case 32:
            return load<float>(at);
        default:
            return load<double>(at);
    }
}

double as_double(halide_type_t type, const std::uint8_t* at) {
    const bool is_signed = type.code == halide_type_int;
    if (!is_signed && type.code != halide_type_uint) {
        return float_as_double(type, at);
    }
    switch (type.bits) {
        case 1:
        case 8:
            return is_signed ? load<std::int8_t>(at) : load<std::uint8_t>(at);
        case 16:
            return is_signed ? load<std::int16_t>(at) : load<std::uint16_t>(at);
        case 32:
            return is_signed ? load<std::int32_t>(at) : load<std::uint32_t>(at);
        default:
            return is_signed ? static_cast<double>(load<std::int64_t>(at))
                             : static_cast<double>(load<std::uint64_t>(at));
    }
}

std::string place(const BufferLayout& layout, std::int64_t position) {
    std::string text;
    for (const halide_dimension_t& dimension : layout.dimensions) {
        text += (text.empty() ? "" : ", ") +
                std::to_string(dimension.min + position % dimension.extent);
        position /= dimension.extent;
    }
    return "(" + text + ")";
}

}  // namespace

std::int64_t BufferLayout::elements() const {
    std::int64_t count = 1;
    for (const halide_dimension_t& dimension : dimensions) {
        count *= dimension.extent;
    }
    return count;
}

std::int64_t BufferLayout::bytes() const {
    std::int64_t last = 0;
    for (const halide_dimension_t& dimension : dimensions) {
        last += std::int64_t{dimension.stride} * (dimension.extent - 1);
    }
    return (last + 1) * type.bytes();
}

void fill_random(const BufferLayout& layout, std::uint64_t stream, std::uint8_t* memory) {
    for_each_element(layout, [&](std::int64_t position, std::int64_t offset) {
        store_random(layout.type, mixed(stream + static_cast<std::uint64_t>(position)),
                     memory + offset);
    });
}

void fill_garbage(std::uint64_t stream, std::uint8_t* memory, std::int64_t bytes) {
    for (std::int64_t i = 0; i + 8 <= bytes; i += 8) {
        stream = stream * 6364136223846793005U + 1442695040888963407U;
        store(memory + i, stream);
    }
}

Differences differences(const BufferLayout& layout, const std::uint8_t* expected,
                        const std::uint8_t* actual, const Tolerance& tolerance) {
    const auto size = static_cast<std::size_t>(layout.type.bytes());
    const bool is_float =
        layout.type.code == halide_type_float || layout.type.code == halide_type_bfloat;
    double largest = 0;
    if (tolerance.of_largest > 0) {
        for_each_element(layout, [&](std::int64_t, std::int64_t offset) {
            const double value = std::abs(as_double(layout.type, expected + offset));
            largest = std::isfinite(value) ? std::max(largest, value) : largest;
        });
    }
    std::int64_t wrong = 0;
    std::ostringstream first;
    for_each_element(layout, [&](std::int64_t position, std::int64_t offset) {
        const std::uint8_t* a = expected + offset;
        const std::uint8_t* b = actual + offset;
        if (std::memcmp(a, b, size) == 0) {
            return;
        }
        const double x = as_double(layout.type, a);
        const double y = as_double(layout.type, b);
        const double allowed =
            tolerance.relative * std::abs(x) + tolerance.of_largest * largest + tolerance.absolute;
        // Zero has two signs, and 64-bit integers may agree as doubles.
        const bool equal = is_float && x == y;
        if (equal || (std::isnan(x) && std::isnan(y)) ||
            (allowed > 0 && std::abs(x - y) <= allowed)) {
            return;
        }
        if (wrong++ == 0) {
            first << place(layout, position) << ": " << y << " instead of " << x;
        }
    });
    return {wrong, first.str()};
}

std::string difference(const BufferLayout& layout, const std::uint8_t* expected,
                       const std::uint8_t* actual, const Tolerance& tolerance) {
    const Differences found = differences(layout, expected, actual, tolerance);
    if (found.count <= tolerance.exceptions) {
        return "";
    }
    return layout.name + ": " + std::to_string(found.count) + " of " +
           std::to_string(layout.elements()) + " elements are wrong, the first at " + found.first;
}

}  // namespace nestor
