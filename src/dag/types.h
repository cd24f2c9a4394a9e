#pragma once
// The small nouns of the computational graph: names, element types and ranges.

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "base/arithmetic.h"

namespace nestor {

/** Identity of a function across processes: Halide's own names carry process-dependent counters.
 *  `stem` is the name without them; `rank` numbers the functions of one stem in creation order. */
struct FuncId {
    std::string stem;
    int rank = 0;

    auto operator<=>(const FuncId&) const = default;

    /** "blur" for rank 0, "blur#2" otherwise. */
    [[nodiscard]] std::string text() const;
};

/** A Halide name without what depends on the process. The printed schedules follow the same rule
 *  (schedule/code/print_cpp.cpp, print_python.cpp). */
struct NameParts {
    std::string stem;
    /** What was removed, in the order of the name: the digits of every "$3"; of the groups before
     * the ending of a name that Halide made from another ("loss_5_1_d_def__" of a derivative,
     * "total_2_intm" of rfactor); of a Func without a name ("f12") or a lambda ("lambda_3").
     * Functions of one stem were created in the lexicographical order of their counters. */
    std::vector<std::int64_t> counters;
};
[[nodiscard]] NameParts split_name(const std::string& halide_name);

/** Label of a variable without its process-dependent counter: "v12" -> "v", "r4$x" -> "r_x". */
[[nodiscard]] std::string variable_label(const std::string& halide_name);

enum class TypeKind { Int, UInt, Float, BFloat, Handle };

struct ScalarType {
    TypeKind kind = TypeKind::Int;
    int bits = 32;

    bool operator==(const ScalarType&) const = default;

    /** Size in memory; a boolean takes one byte. */
    [[nodiscard]] int bytes() const { return (bits + 7) / 8; }
    [[nodiscard]] bool is_float() const {
        return kind == TypeKind::Float || kind == TypeKind::BFloat;
    }
    /** One bit, whatever the kind. */
    [[nodiscard]] bool is_boolean() const { return bits == 1; }
    /** What arithmetic on it is done in: 16-bit floats are widened. */
    [[nodiscard]] ElementType element() const;

    /** "int32", "uint8", "bool", "float64", "bfloat16". */
    [[nodiscard]] std::string text() const;
};

/** Half-open range [min, min + extent) of one dimension, in elements or iterations. */
struct Range {
    std::int64_t min = 0;
    std::int64_t extent = 1;

    bool operator==(const Range&) const = default;

    [[nodiscard]] std::int64_t max() const { return min + extent - 1; }
};

}  // namespace nestor
