#pragma once
// Legality of a schedule as far as plain data tells; halide/verify lowers the winner and tells the
// rest.

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace nestor {

/** Limits that keep the compiler and the program within reason, checked before lowering. */
struct Caps {
    std::int64_t unrolled_bodies = 256;  // product of unrolled extents around one statement
    std::int64_t vector_lanes = 256;
    std::int64_t stack_bytes = 256 * 1024;  // allocations with Memory::Stack, each
    std::int64_t peak_bytes = -1;  // of all allocations live at once at the estimates; -1: none
    int threads = 1;               // that run parallel loops, for peak_bytes
    std::int64_t inlined_size = 200'000;  // nodes of a definition with all inlined calls expanded
    std::int64_t code_size = -1;          // see code_size(); -1: none
    int masked_bytes = 1;                 // of the machine: Machine::masked_bytes()
    bool careful_reads =
        false;  // refuse whatever may read more of an input than the algorithm does
    std::int64_t distinct_size = -1;  // as inlined_size, what is equal in a function once; -1: none
};

/** A broken rule, for people. */
struct Violation {
    std::string where;  // "blur, stage 1"
    std::string what;
};

/** Every rule that is broken; empty: legal. The rules are the table in legality.cpp, and each is
 * explained where it is written, in schedule/rules/. What they promise together: directives() can
 * be executed, Halide takes each of them, and none changes the meaning of the algorithm. What only
 * lowering shows (the inputs that tails and sliding windows read, the size of the code) is
 * halide/verify's. */
[[nodiscard]] std::vector<Violation> check_legality(const PipelineDag& dag,
                                                    const Schedule& schedule,
                                                    const Caps& caps = {});

/** All violations in one text, "blur, stage 1: what; ..."; empty if there are none. */
[[nodiscard]] std::string text(const std::vector<Violation>& violations);

/** What Halide and LLVM have to compile, in nodes of expressions: each definition with all inlined
 * calls expanded, once for each copy that unrolling, specialisation and loop partitioning make of
 * it, and for each register of its vectors; and for elements under masks that the machine does not
 * have (Caps::masked_bytes). */
[[nodiscard]] std::int64_t code_size(const PipelineDag& dag, const Schedule& schedule,
                                     const Caps& caps = {});

/** Bytes of all allocations at the estimates, outputs excluded. An upper bound of what is live at
 * once: an allocation within serial loops counts once, one within parallel loops as often as
 * threads or iterations hold it, and no two are taken to share memory because one ends before the
 * other begins. */
[[nodiscard]] std::int64_t peak_bytes(const PipelineDag& dag, const Schedule& schedule,
                                      int threads = 1);

}  // namespace nestor
