#pragma once
// Legality of a schedule as far as plain data tells; halide/verify lowers the winner and tells the rest.

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace nestor {

/** Limits that keep the compiler and the program within reason, checked before lowering. */
struct Caps {
    std::int64_t unrolled_bodies = 256;          // product of unrolled extents around one statement
    std::int64_t vector_lanes = 256;
    std::int64_t stack_bytes = 256 * 1024;       // allocations with Memory::Stack, each
    std::int64_t peak_bytes = -1;                // of all allocations live at once at the estimates; -1: none
    std::int64_t inlined_size = 200'000;         // nodes of a definition with all inlined calls expanded
};

/** A broken rule, for people. */
struct Violation {
    std::string where;  // "blur, stage 1"
    std::string what;
};

/** Every rule that is broken; empty: legal. Among the rules: pinned functions and the loops that they
 *  name are untouched; loop references exist; an order lists every loop once and keeps reduction loops
 *  that are not race-free in the order of the domain unless the update is associative and commutative;
 *  only pure or race-free loops are parallel or vectors (others with atomic, if associative); split
 *  reduction loops use GuardWithIf or Predicate unless the factor divides a constant extent; vectors
 *  and unrolled loops have constant extents; a function computed at a loop has all its consumers
 *  inside that loop; store levels enclose compute levels, hoist levels enclose store levels; inlined
 *  functions are pure and not outputs; a tail that rounds up is not used on an output. */
[[nodiscard]] std::vector<Violation> check_legality(const PipelineDag &dag, const Schedule &schedule,
                                                    const Caps &caps = {});

/** Bytes of all allocations at the estimates, counting loops that hold several at once once. */
[[nodiscard]] std::int64_t peak_bytes(const PipelineDag &dag, const Schedule &schedule);

}  // namespace nestor
