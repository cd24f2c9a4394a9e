// Buffers with guard zones, for telling whether a pipeline touches memory that is not its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pipelines.h"

namespace nestor::testing {

/// A mixing function with good avalanche (splitmix64's finaliser): the only source of randomness
/// here, so that every value is a function of its place and not of the order of filling.
uint64_t mix(uint64_t value);

/// Reads one element as a double; exact for everything but 64-bit integers.
double element_as_double(Halide::Type type, const uint8_t* element);

/// How far two results may be apart:
///     |a - b| <= relative * max(|a|, |b|) + scaled * max|reference| + absolute.
/// The second and third terms allow for cancellation. Integers are always compared exactly.
struct Tolerance {
    double relative = 0;
    double scaled = 0;
    double absolute = 0;
};
Tolerance tolerance_for(Halide::Type type, const Expectations& expect);

/// Host memory for one image: element (min, min, ...) is aligned to 128 bytes; at least 4 KiB of
/// guard lie before and after; rows are padded unless the layout packs them. Everything that is
/// not an element of the image is guard.
class PaddedBuffer {
  public:
    PaddedBuffer(Halide::Type type, Box box, const Layout& layout);

    /// Overwrites everything, guards and image, with bytes that depend on the seed only.
    void fill_garbage(uint64_t seed);
    /// Gives each element a value that depends on seed and coordinates only; guards stay.
    void fill_values(uint64_t seed, const ValueRange& range);
    /// Copies the image (not the guards) from a buffer of the same type and box.
    void copy_image(const PaddedBuffer& from);

    /// Remembers the present bytes; the two checks below compare with them. An empty answer means
    /// that nothing changed, any other says where.
    void arm();
    std::string changed_guard() const;
    std::string changed_anything() const;

    /// The first difference of the images, and how many there are; empty when they agree.
    std::string difference(const PaddedBuffer& reference, const Tolerance& tolerance) const;

    /// A view of this memory, which must outlive it.
    Halide::Buffer<> view();
    /// The same shape without memory: what a bounds query takes.
    Halide::Buffer<> shape() const;

    const Box& box() const { return box_; }
    Halide::Type type() const { return type_; }

  private:
    Halide::Buffer<> buffer_at(uint8_t* host) const;

    struct Free {
        void operator()(uint8_t* memory) const { std::free(memory); }
    };

    /// Calls visit(coordinates, byte offset) for each element, innermost dimension fastest.
    template <typename Visit>
    void for_each_element(Visit visit) const;
    size_t offset_of(const std::vector<int>& at) const;

    Halide::Type type_;
    Box box_;
    std::vector<int> order_;        // dimensions, innermost first
    std::vector<int64_t> strides_;  // by dimension, in elements
    size_t first_ = 0;              // offset in bytes of the element at the minima
    size_t size_ = 0;               // of the memory, in bytes
    std::unique_ptr<uint8_t, Free> memory_;
    std::vector<uint8_t> armed_;
};

std::string to_string(const Box& box);

}  // namespace nestor::testing
