// What a lowered program allocates and how long its loops are, by walking through it with an
// interpreter: the truth that schedule/bounds is checked against, and that tells which storage
// Halide folded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "dag/pipeline_dag.h"
#include "halide/check_program.h"

namespace nestor {

struct Observed {
    /// Bytes of the largest allocation, padding left out, by the name of the allocation: that of
    /// the function, or with ".0", ".1" for the elements of a tuple.
    std::map<std::string, std::int64_t> allocated;
    /// Largest number of iterations in one go, by Halide's name of the loop ("f.s0.x.xi"). The
    /// parts into which Halide cuts a loop count together.
    std::map<std::string, std::int64_t> iterations;
    bool complete = true;  ///< false: it was too long to be walked through
};

/// Bytes that a function's elements take together in their largest allocations; nothing if it has
/// none, or not all was looked at.
[[nodiscard]] std::optional<std::int64_t> allocated_bytes(const Observed& observed,
                                                          const Function& function);

enum class Observe { Everything, Allocations };

/// Of each loop the first two, the middle and the last iteration are looked into; where only
/// allocations are asked for, those without any are passed over.
[[nodiscard]] Observed observe(const Halide::Internal::Stmt& lowered, const ResolvedCall& call,
                               Observe what = Observe::Everything);

}  // namespace nestor
