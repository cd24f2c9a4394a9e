#include "machine/machine.h"

#include <algorithm>

namespace nestor {

namespace {

template <class Key, std::size_t size>
const char* entry(const char* const (&names)[size], Key key) {
    return names[static_cast<std::size_t>(key)];
}

}  // namespace

int Machine::lanes(int bytes) const {
    const auto natural = static_cast<int>(vector_bytes[integer_of(bytes)].value);
    return std::max(1, natural / std::max(1, bytes));
}

int Machine::narrow_lanes(ElementType type) const {
    return std::max(1, lanes(std::max(bytes_of(type), bytes_of(ElementType::Int32))) / 2);
}

double Machine::cycles(Arithmetic operation, ElementType type, Width width) const {
    constexpr double kLeast = 0.25;
    const double all = operations[operation][type][width].cycles.value_or(1);
    // Conversions of scalars have ports of their own, or are part of the load.
    const bool with_addition = operation == Arithmetic::Widen && width != Width::Scalar;
    const double addition =
        with_addition ? operations[Arithmetic::Add][type][width].cycles.value_or(0) : 0;
    return std::max(kLeast * all, all - addition);
}

double Machine::gathered(ElementType type, double lanes) const {
    const double wide = gather[type].value_or(1);
    return lanes <= narrow_lanes(type) ? narrow_gather[type].value_or(wide) : wide;
}

int Machine::masked_bytes() const {
    constexpr int kOfAvx = 4;
    constexpr int kNone = 16;
    const auto has = [&](const char* feature) { return target.find(feature) != std::string::npos; };
    const bool of_bytes = (has("avx512_") && !has("avx512_knl")) || has("avx10") ||
                          has("hexagon") || has("sve2") || has("rvv");
    return of_bytes ? 1 : has("avx") ? kOfAvx : kNone;
}

bool Machine::sums_bytes(bool a_is_signed, bool b_is_signed) const {
    if (target.starts_with("arm")) {
        return a_is_signed == b_is_signed;
    }
    return target.starts_with("hexagon") || a_is_signed != b_is_signed;
}

const char* name_of(Width width) {
    constexpr const char* kNames[] = {"scalar", "16", "32", "64", "128"};
    return entry(kNames, width);
}

const char* name_of(Threads threads) {
    constexpr const char* kNames[] = {"1", "2", "4", "8", "16", "32", "all"};
    return entry(kNames, threads);
}

const char* name_of(Stride stride) {
    constexpr const char* kNames[] = {"2", "3", "4"};
    return entry(kNames, stride);
}

int bytes_of(Width width, ElementType type) {
    return width == Width::Scalar ? bytes_of(type) : 8 << static_cast<int>(width);
}

int stride_of(Stride stride) {
    return 2 + static_cast<int>(stride);
}

int threads_of(Threads threads) {
    return threads == Threads::All ? 0 : 1 << static_cast<int>(threads);
}

bool applies(Arithmetic operation, ElementType type) {
    const bool is_float = type == ElementType::Float32 || type == ElementType::Float64;
    switch (operation) {
        case Arithmetic::Shift:
            return !is_float;
        case Arithmetic::SquareRoot:
        case Arithmetic::Exponential:
            return is_float;
        case Arithmetic::Widen:
            return type != ElementType::Int8;
        case Arithmetic::DotProduct:
            return type == ElementType::Int8 || type == ElementType::Int16;
        default:
            return true;
    }
}

bool has_latency(Arithmetic operation) {
    return operation != Arithmetic::Widen;
}

}  // namespace nestor
