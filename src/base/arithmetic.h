#pragma once
// Kinds of arithmetic: what processors are measured on (machine/), and what stages are made of
// (dag/).

#include <array>
#include <cstddef>
#include <cstdint>

namespace nestor {

/** Elements by how arithmetic on them is done. Signs do not matter here: 8 and 16 bits stand for
 * unsigned integers, 32 and 64 for signed ones, which is what pictures and indexes are made of. */
enum class ElementType : std::uint8_t { Int8, Int16, Int32, Int64, Float32, Float64 };
constexpr std::size_t kElementTypes = 6;

enum class Arithmetic : std::uint8_t {
    Add,          // or subtract, and, or
    Minimum,      // or maximum
    Select,       // a comparison and what is chosen by it
    Shift,        // by a constant
    Multiply,     // of the type's own width
    MultiplyAdd,  // one instruction where there is one
    Divide,       // by a variable; of integers, as Halide rounds
    SquareRoot,
    Exponential,  // Halide's own, a polynomial
    Widen,        // from half the width (or the integer of the same width, to float), and one add
    DotProduct,   // products of neighbouring 8- or 16-bit elements summed into 32 bits
};
constexpr std::size_t kArithmetic = 11;

/** An array indexed by an enumeration. */
template <class Key, class T, std::size_t size>
struct Table {
    std::array<T, size> values;

    [[nodiscard]] const T& operator[](Key key) const {
        return values[static_cast<std::size_t>(key)];
    }
    [[nodiscard]] T& operator[](Key key) { return values[static_cast<std::size_t>(key)]; }
    bool operator==(const Table&) const = default;
};
template <class T>
using ByType = Table<ElementType, T, kElementTypes>;
template <class T>
using ByArithmetic = Table<Arithmetic, T, kArithmetic>;

[[nodiscard]] const char* name_of(ElementType type);
[[nodiscard]] const char* name_of(Arithmetic operation);
[[nodiscard]] int bytes_of(ElementType type);
/** The integer of so many bytes, 1, 2, 4 or more. */
[[nodiscard]] ElementType integer_of(int bytes);

}  // namespace nestor
