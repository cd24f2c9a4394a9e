// What a lowered program allocates and how long its loops are, by walking through it with an
// interpreter: the truth that schedule/bounds is checked against.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "halide/check_program.h"

namespace nestor::testing {

struct Observed {
    /// Bytes of the largest allocation, padding left out, by the name of the allocation.
    std::map<std::string, std::int64_t> allocated;
    /// Largest number of iterations in one go, by Halide's name of the loop ("f.s0.x.xi"). The
    /// parts into which Halide cuts a loop count together.
    std::map<std::string, std::int64_t> iterations;
    bool complete = true;  ///< false: it was too long to be walked through
};

/// Of each loop the first two, the middle and the last iteration are looked into.
Observed observe(const Halide::Internal::Stmt& lowered, const ResolvedCall& call);

}  // namespace nestor::testing
