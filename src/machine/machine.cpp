#include "machine/machine.h"

#include <algorithm>

namespace nestor {

namespace {

template <class Key, std::size_t size>
const char* entry(const char* const (&names)[size], Key key) {
    return names[static_cast<std::size_t>(key)];
}

ElementType integer_of(int bytes) {
    switch (bytes) {
        case 1:
            return ElementType::Int8;
        case 2:
            return ElementType::Int16;
        case 4:
            return ElementType::Int32;
        default:
            return ElementType::Int64;
    }
}

}  // namespace

int Machine::lanes(int bytes) const {
    const auto natural = static_cast<int>(vector_bytes[integer_of(bytes)].value);
    return std::max(1, natural / std::max(1, bytes));
}

const char* name_of(ElementType type) {
    constexpr const char* kNames[] = {"int8", "int16", "int32", "int64", "float32", "float64"};
    return entry(kNames, type);
}

const char* name_of(Arithmetic operation) {
    constexpr const char* kNames[] = {"add",      "minimum",      "select",     "shift",
                                      "multiply", "multiply_add", "divide",     "square_root",
                                      "exp",      "widen",        "dot_product"};
    return entry(kNames, operation);
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

int bytes_of(ElementType type) {
    constexpr int kBytes[] = {1, 2, 4, 8, 4, 8};
    return kBytes[static_cast<std::size_t>(type)];
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
