#pragma once
// What LLVM would make of a lowered program, and whether it ever ends.
//
// The loop access analysis of LLVM 21 (run for LoopLoadElimination) compares the accesses of an
// innermost loop by subtracting addresses that may be long expressions: a loop with 1,632 loads and
// 16 stores took more than eight minutes (RESULTS.md, "What LLVM does not finish").

#include <cstdint>

#include "base/result.h"
#include "halide/halide.h"

namespace nestor {

/** Of the loops that have no others inside, the most pairs of a load and a store, both counted in
 * vectors of the target (elements, where they are spread). `lowered`: as nestor::lower() returns
 * it. */
[[nodiscard]] std::int64_t most_access_pairs(const Halide::Internal::Stmt& lowered,
                                             const Halide::Target& target);

/** Compiles a scheduled pipeline to an object, which is thrown away. May take minutes or crash: to
 * be done apart (base/apart.h). */
[[nodiscard]] Status compile_away(const Halide::Pipeline& pipeline, const Halide::Target& target);

}  // namespace nestor
