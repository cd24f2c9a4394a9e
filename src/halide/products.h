#pragma once
// Products of narrow integers that are summed in wider ones, as instructions for dot products do.

#include <optional>
#include <string>
#include <vector>

#include "halide/halide.h"

namespace nestor {

struct NarrowOperands {
    Halide::Expr a;  // 8- or 16-bit integers
    Halide::Expr b;
};

/** Of value = function(args) + a * b, in 32 bits, where both factors have no more than 16 bits each
 * and neither the product nor its conversion loses any; nothing for other values. `args`: where the
 * update writes. */
[[nodiscard]] std::optional<NarrowOperands> narrow_operands(const std::string& function,
                                                            const std::vector<Halide::Expr>& args,
                                                            const Halide::Expr& value);

}  // namespace nestor
