#include "probe/types.h"

#include <cstring>

namespace nestor::probe {

namespace {

template <class T>
void put(std::uint8_t* memory, int index, double value) {
    const T element = static_cast<T>(value);
    std::memcpy(memory + static_cast<std::size_t>(index) * sizeof(T), &element, sizeof(T));
}

}  // namespace

int lanes_of(Width width, ElementType type) {
    return bytes_of(width, type) / bytes_of(type);
}

Halide::Buffer<> operands(const Halide::Type& type, int elements, int row,
                          const std::string& name) {
    Halide::Buffer<> buffer(type, std::vector<int>{elements}, name);
    auto* memory = static_cast<std::uint8_t*>(buffer.data());
    for (int i = 0; i < elements; i++) {
        const double whole = 3 + 2 * (i * 7 % 11);
        const double alternating = (i / row) % 2 == 0 ? 2.0 : 0.5;
        switch (type.bits()) {
            case 8:
                put<std::uint8_t>(memory, i, whole);
                break;
            case 16:
                put<std::uint16_t>(memory, i, whole);
                break;
            case 32:
                type.is_float() ? put<float>(memory, i, alternating)
                                : put<std::int32_t>(memory, i, whole);
                break;
            default:
                type.is_float() ? put<double>(memory, i, alternating)
                                : put<std::int64_t>(memory, i, whole);
                break;
        }
    }
    return buffer;
}

}  // namespace nestor::probe
