#pragma once
// The elements of buffers: what a pipeline is run on, and whether two results agree. Part of
// benchmark binaries for other machines, too (measure/benchmark.h): nothing but the standard
// library and Halide's run-time header.

#include <HalideRuntime.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nestor {

/** What a buffer's memory means. */
struct BufferLayout {
    std::string name;
    halide_type_t type;
    std::vector<halide_dimension_t> dimensions;  // strides in elements, none negative

    [[nodiscard]] std::int64_t elements() const;
    /** From the first to the last element. */
    [[nodiscard]] std::int64_t bytes() const;
};

/** Calls visit(linear position of the coordinates, byte offset) for each element, dimension 0
 * fastest. */
template <class Visit>
void for_each_element(const BufferLayout& layout, Visit visit) {
    const std::int64_t count = layout.elements();
    const std::int64_t size = layout.type.bytes();
    std::vector<std::int64_t> at(layout.dimensions.size(), 0);
    std::int64_t offset = 0;  // in elements
    for (std::int64_t position = 0; position < count; position++) {
        visit(position, offset * size);
        for (std::size_t d = 0; d < at.size(); d++) {
            const halide_dimension_t& dimension = layout.dimensions[d];
            offset += dimension.stride;
            if (++at[d] < dimension.extent) {
                break;
            }
            offset -= at[d] * dimension.stride;
            at[d] = 0;
        }
    }
}

/** Numbers that depend on the stream and the element's position only. Integers of 8 and 16 bits:
 * all values; wider ones: 0..255; floats: 0..1. */
void fill_random(const BufferLayout& layout, std::uint64_t stream, std::uint8_t* memory);

/** Bytes that no result should have, so that what is not written shows. */
void fill_garbage(std::uint64_t stream, std::uint8_t* memory, std::int64_t bytes);

/** How far two results may be apart:
 *     |a - b| <= relative * |a| + of_largest * max|expected| + absolute,
 * but for so many exceptions, which may be anything.
 * All zero: bit for bit (but any NaN is as good as another). */
struct Tolerance {
    double relative = 0;
    double of_largest = 0;
    double absolute = 0;
    std::int64_t exceptions = 0;
};

/** Elements that are further apart, exceptions included. */
struct Differences {
    std::int64_t count = 0;
    std::string first;  // place and both values
};
[[nodiscard]] Differences differences(const BufferLayout& layout, const std::uint8_t* expected,
                                      const std::uint8_t* actual, const Tolerance& tolerance);

/** Empty if they agree, else how many elements differ, and the first of them. */
[[nodiscard]] std::string difference(const BufferLayout& layout, const std::uint8_t* expected,
                                     const std::uint8_t* actual, const Tolerance& tolerance);

}  // namespace nestor
