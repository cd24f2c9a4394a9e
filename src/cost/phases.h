#pragma once
// What the compiler knows about the points at which the copies of a stage's body are: whether each
// is at one point of the definition's period (nestor::Phase).

#include <vector>

#include "cost/schedule_facts.h"

namespace nestor {

class KnownPhases {
  public:
    KnownPhases(ScheduleFacts& facts, const NestFacts& nest);

    /** Halide takes a vector along a dimension in which the stage repeats apart, one vector for
     * each point of the period, so many; 1: it does not. */
    [[nodiscard]] int apart() const { return apart_; }

    /** Sets of bits for ops_in(): of the stage itself, ... */
    [[nodiscard]] unsigned own() const;
    /** ... and of a function that is inlined into it. */
    [[nodiscard]] unsigned of(const Family& inlined, const Stage& stage) const;

  private:
    [[nodiscard]] bool is_known(int loop, int period) const;

    const Stage& stage_;
    int apart_ = 1;
    std::vector<int> modulus_;  // by loop: each copy's point is known modulo so many
    std::vector<bool> fixed_;   // by loop: each copy is at a constant point
};

}  // namespace nestor
