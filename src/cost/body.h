#pragma once
// The body of a nest's innermost loop: a vector, and unrolled copies of it, as instructions.

#include <vector>

#include "cost/schedule_facts.h"

namespace nestor {

/** What one iteration of the innermost loop that is neither a vector nor unrolled does. */
struct Body {
    /** `apart`: see KnownPhases::apart(). */
    Body(ScheduleFacts& facts, const NestFacts& nest, int apart);

    std::size_t rolled = 0;   // position of that loop
    int vector_dim = -1;      // -1: no vectors
    double apart = 1;         // points from one element of a vector to the next
    double lanes = 1;         // elements of a vector
    int dot_dim = -1;         // of steps in the vector (LoopNest::dot); -1: none
    int steps_in_vector = 1;  // so many
    std::vector<Copies> copies;
    double all_copies = 1;
    double conditions = 0;  // of each copy, on what is computed together: one for each function
    double guarded = 1;     // copies that have a condition each, and share nothing; not in `copies`
};

struct Instructions {
    Width width = Width::Scalar;
    double count = 1;
};

/** Instructions that work on so many elements. */
[[nodiscard]] Instructions instructions(const Machine& machine, ElementType type, double lanes);

}  // namespace nestor
