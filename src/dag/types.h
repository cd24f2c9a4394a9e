#pragma once
// The small nouns of the computational graph: names, element types and ranges.

#include <compare>
#include <cstdint>
#include <string>

namespace nestor {

/** Identity of a function across processes: Halide's own names carry process-dependent counters.
 *  `stem` is the name without them; `rank` numbers the functions of one stem in creation order. */
struct FuncId {
    std::string stem;
    int rank = 0;

    auto operator<=>(const FuncId &) const = default;

    /** "blur" for rank 0, "blur#2" otherwise. */
    [[nodiscard]] std::string text() const;
};

/** Splits a Halide name such as "sum$3", "f12" (a Func that was given no name) or "lambda_0" into
 *  its stem and the counters that order functions of one stem by creation. */
struct NameParts {
    std::string stem;
    std::int64_t number = -1;   // digits of an unnamed "f12" or "lambda_3"; -1 if the stem has none
    std::int64_t counter = -1;  // digits after '$'; -1 if there are none
};
[[nodiscard]] NameParts split_name(const std::string &halide_name);

/** Label of a variable without its process-dependent counter: "v12" -> "v", "r4$x" -> "r_x". */
[[nodiscard]] std::string variable_label(const std::string &halide_name);

enum class TypeKind { Int, UInt, Float, BFloat, Handle };

struct ScalarType {
    TypeKind kind = TypeKind::Int;
    int bits = 32;

    bool operator==(const ScalarType &) const = default;

    /** Size in memory; a boolean takes one byte. */
    [[nodiscard]] int bytes() const { return (bits + 7) / 8; }
    [[nodiscard]] bool is_float() const { return kind == TypeKind::Float || kind == TypeKind::BFloat; }

    /** "int32", "uint8", "bool", "float64", "bfloat16". */
    [[nodiscard]] std::string text() const;
};

/** Half-open range [min, min + extent) of one dimension, in elements or iterations. */
struct Range {
    std::int64_t min = 0;
    std::int64_t extent = 1;

    bool operator==(const Range &) const = default;

    [[nodiscard]] std::int64_t max() const { return min + extent - 1; }
};

}  // namespace nestor
