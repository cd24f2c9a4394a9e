// What a lowered program allocates, how long its loops are and how often they run, by walking
// through it with an interpreter: the truth that schedule/bounds is checked against, and that tells
// which storage Halide folded and which windows it slid.
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
    /// How often the innermost loops of a stage run in all, by what the names of its loops begin
    /// with ("f.s0"). An estimate: of long loops the one in the middle, or a few, are taken for
    /// all but the first and the last iteration; of branches whose condition is not known, either
    /// is taken half the time; and where a single iteration is left of a loop, it is none any more.
    std::map<std::string, double> runs;
    std::int64_t access_pairs = 0;  ///< as most_access_pairs() (halide/compiling.h) has them
    bool complete = true;           ///< false: it was too long to be walked through
};

/// Bytes that a function's elements take together in their largest allocations; nothing if it has
/// none, or not all was looked at.
[[nodiscard]] std::optional<std::int64_t> allocated_bytes(const Observed& observed,
                                                          const Function& function);

/// How often the innermost loops of a function's stage run; nothing if it has no loops, or not all
/// was looked at.
[[nodiscard]] std::optional<double> innermost_runs(const Observed& observed,
                                                   const Function& function, int stage);

/// Everything: but for Observed::runs. Costs: Observed::allocated and Observed::runs.
enum class Observe { Everything, Costs };

/// Of each loop the first two, the middle and the last iteration are looked into.
[[nodiscard]] Observed observe(const Halide::Internal::Stmt& lowered, const ResolvedCall& call,
                               Observe what = Observe::Everything);

}  // namespace nestor
