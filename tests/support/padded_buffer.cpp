#include "padded_buffer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <sstream>

namespace nestor::testing {

namespace {

constexpr size_t kBufferAlignment = 128;  // Halide loads outputs that other stages read as aligned
// Wider than any vector, and than a few rows of tiny images.
constexpr size_t kBufferGuardBytes = 4096;
constexpr int kRowPadding = 7;  // odd, so that rows are not aligned with each other

template <typename T>
T read(const uint8_t* element) {
    T value;
    std::memcpy(&value, element, sizeof(value));
    return value;
}

template <typename T>
void write(uint8_t* element, T value) {
    std::memcpy(element, &value, sizeof(value));
}

double float_as_double(Halide::Type type, const uint8_t* element) {
    switch (type.bits()) {
        case 16:
            return type.is_bfloat()
                       ? static_cast<double>(static_cast<float>(
                             Halide::bfloat16_t::make_from_bits(read<uint16_t>(element))))
                       : static_cast<double>(
                             Halide::float16_t::make_from_bits(read<uint16_t>(element)));
        case 32:
            return read<float>(element);
        default:
            return read<double>(element);
    }
}

void write_float(Halide::Type type, uint8_t* element, double value) {
    switch (type.bits()) {
        case 16:
            if (type.is_bfloat()) {
                write(element, Halide::bfloat16_t(static_cast<float>(value)).to_bits());
            } else {
                write(element, Halide::float16_t(value).to_bits());
            }
            return;
        case 32:
            write(element, static_cast<float>(value));
            return;
        default:
            write(element, value);
    }
}

void write_value(Halide::Type type, uint8_t* element, uint64_t random, const ValueRange& range) {
    if (type.is_float()) {
        const auto steps = static_cast<uint64_t>(std::floor((range.high - range.low) * 64)) + 1;
        write_float(type, element, range.low + static_cast<double>(random % steps) / 64);
        return;
    }
    if (type.bits() == 1) {
        *element = static_cast<uint8_t>(random & 1);
        return;
    }
    const auto values = static_cast<uint64_t>(range.high - range.low) + 1;
    const int64_t value = static_cast<int64_t>(range.low) + static_cast<int64_t>(random % values);
    std::memcpy(element, &value, static_cast<size_t>(type.bytes()));  // little-endian
}

std::string to_string(const std::vector<int>& coordinates) {
    std::ostringstream text;
    text << "(";
    for (size_t d = 0; d < coordinates.size(); d++) {
        text << (d ? ", " : "") << coordinates[d];
    }
    text << ")";
    return text.str();
}

}  // namespace

std::string to_string(const Box& box) {
    std::ostringstream text;
    for (size_t d = 0; d < box.size(); d++) {
        text << (d ? " x " : "") << "[" << box[d].min << ", +" << box[d].extent << "]";
    }
    return box.empty() ? "scalar" : text.str();
}

uint64_t mix(uint64_t value) {
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

double element_as_double(Halide::Type type, const uint8_t* element) {
    if (type.is_float()) {
        return float_as_double(type, element);
    }
    uint64_t bits = 0;
    std::memcpy(&bits, element, static_cast<size_t>(type.bytes()));
    if (type.is_uint()) {
        return static_cast<double>(bits);
    }
    const int shift = 64 - 8 * type.bytes();
    return static_cast<double>(static_cast<int64_t>(bits << shift) >> shift);
}

Tolerance tolerance_for(Halide::Type type, const Expectations& expect) {
    if (!type.is_float() || expect.exact_floats) {
        return {};
    }
    double relative = 0;
    switch (type.bits()) {
        case 16:
            relative = type.is_bfloat() ? 4e-2 : 5e-3;
            break;
        case 32:
            relative = 1e-4;
            break;
        default:
            relative = 1e-11;
    }
    if (expect.relative_tolerance > 0) {
        relative = expect.relative_tolerance;
    }
    return {relative, relative / 10, expect.absolute_tolerance};
}

PaddedBuffer::PaddedBuffer(Halide::Type type, Box box, const Layout& layout)
    : type_(type), box_(std::move(box)), order_(layout.storage_order), strides_(box_.size()) {
    if (order_.empty()) {
        order_.resize(box_.size());
        std::iota(order_.begin(), order_.end(), 0);
    }
    int64_t stride = layout.element_stride;
    for (size_t i = 0; i < order_.size(); i++) {
        strides_[order_[i]] = stride;
        stride *= std::max(1, box_[order_[i]].extent);
        if (static_cast<int>(i) + 1 >= layout.packed_dims && i + 1 < order_.size()) {
            stride += kRowPadding;
        }
    }
    const size_t bytes = static_cast<size_t>(stride) * static_cast<size_t>(type_.bytes());
    first_ = kBufferGuardBytes;
    size_ = (first_ + bytes + kBufferGuardBytes + kBufferAlignment - 1) / kBufferAlignment *
            kBufferAlignment;
    memory_.reset(static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, size_)));
}

template <typename Visit>
void PaddedBuffer::for_each_element(Visit visit) const {
    std::vector<int> at(box_.size());
    for (size_t d = 0; d < box_.size(); d++) {
        if (box_[d].extent <= 0) {
            return;
        }
        at[d] = box_[d].min;
    }
    while (true) {
        visit(at, offset_of(at));
        size_t i = 0;
        for (; i < order_.size(); i++) {
            const int d = order_[i];
            if (++at[d] < box_[d].min + box_[d].extent) {
                break;
            }
            at[d] = box_[d].min;
        }
        if (i == order_.size()) {
            return;
        }
    }
}

size_t PaddedBuffer::offset_of(const std::vector<int>& at) const {
    int64_t index = 0;
    for (size_t d = 0; d < box_.size(); d++) {
        index += (at[d] - box_[d].min) * strides_[d];
    }
    return first_ + static_cast<size_t>(index) * static_cast<size_t>(type_.bytes());
}

void PaddedBuffer::fill_garbage(uint64_t seed) {
    for (size_t i = 0; i < size_; i += sizeof(uint64_t)) {
        write(memory_.get() + i, mix(seed ^ i));
    }
}

void PaddedBuffer::fill_values(uint64_t seed, const ValueRange& range) {
    for_each_element([&](const std::vector<int>& at, size_t offset) {
        uint64_t random = seed;
        for (int coordinate : at) {
            random = mix(random ^ static_cast<uint32_t>(coordinate));
        }
        write_value(type_, memory_.get() + offset, mix(random), range);
    });
}

void PaddedBuffer::copy_image(const PaddedBuffer& from) {
    const auto bytes = static_cast<size_t>(type_.bytes());
    for_each_element([&](const std::vector<int>& at, size_t offset) {
        std::memcpy(memory_.get() + offset, from.memory_.get() + from.offset_of(at), bytes);
    });
}

void PaddedBuffer::arm() {
    armed_.assign(memory_.get(), memory_.get() + size_);
}

std::string PaddedBuffer::changed_guard() const {
    // The image may change: compare a copy of the memory in which it is as it was.
    std::vector<uint8_t> now(memory_.get(), memory_.get() + size_);
    const auto bytes = static_cast<size_t>(type_.bytes());
    for_each_element([&](const std::vector<int>&, size_t offset) {
        std::memcpy(now.data() + offset, armed_.data() + offset, bytes);
    });
    const auto [was, is] = std::mismatch(armed_.begin(), armed_.end(), now.begin());
    if (was == armed_.end()) {
        return "";
    }
    const int64_t offset = (was - armed_.begin()) - static_cast<int64_t>(first_);
    return "guard overwritten " + std::to_string(offset / type_.bytes()) +
           " elements from the first element of " + to_string(box_);
}

std::string PaddedBuffer::changed_anything() const {
    if (std::memcmp(armed_.data(), memory_.get(), size_) == 0) {
        return "";
    }
    const std::string guard = changed_guard();
    return guard.empty() ? "an element was overwritten" : guard;
}

std::string PaddedBuffer::difference(const PaddedBuffer& reference,
                                     const Tolerance& tolerance) const {
    const auto bytes = static_cast<size_t>(type_.bytes());
    double largest = 0;
    if (tolerance.scaled > 0) {
        for_each_element([&](const std::vector<int>& at, size_t) {
            const double value = std::abs(
                element_as_double(type_, reference.memory_.get() + reference.offset_of(at)));
            largest = std::isfinite(value) ? std::max(largest, value) : largest;
        });
    }
    int64_t count = 0;
    int64_t total = 0;
    std::ostringstream first;
    for_each_element([&](const std::vector<int>& at, size_t offset) {
        total++;
        const uint8_t* actual = memory_.get() + offset;
        const uint8_t* expected = reference.memory_.get() + reference.offset_of(at);
        if (std::memcmp(actual, expected, bytes) == 0) {
            return;
        }
        const double a = element_as_double(type_, actual);
        const double b = element_as_double(type_, expected);
        const double allowed = tolerance.relative * std::max(std::abs(a), std::abs(b)) +
                               tolerance.scaled * largest + tolerance.absolute;
        const bool close = std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= allowed;
        if (type_.is_float() && (close || a == b || (std::isnan(a) && std::isnan(b)))) {
            return;
        }
        if (count++ == 0) {
            first.precision(17);
            first << "at " << to_string(at) << " expected " << b << ", got " << a;
        }
    });
    if (count == 0) {
        return "";
    }
    return first.str() + " (" + std::to_string(count) + " of " + std::to_string(total) +
           " elements differ)";
}

Halide::Buffer<> PaddedBuffer::buffer_at(uint8_t* host) const {
    std::vector<halide_dimension_t> dims(box_.size());
    for (size_t d = 0; d < box_.size(); d++) {
        dims[d] =
            halide_dimension_t(box_[d].min, box_[d].extent, static_cast<int32_t>(strides_[d]));
    }
    return Halide::Buffer<>(type_, host, static_cast<int>(dims.size()), dims.data());
}

Halide::Buffer<> PaddedBuffer::view() {
    return buffer_at(memory_.get() + first_);
}

Halide::Buffer<> PaddedBuffer::shape() const {
    return buffer_at(nullptr);
}

}  // namespace nestor::testing
