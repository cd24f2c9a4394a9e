#pragma once
// A machine and limits to try plans with.

#include <cstdint>

#include "machine/profiles.h"
#include "search/limits.h"
#include "search/plan.h"

namespace nestor {

inline Machine avx2(int parallelism = 4) {
    Machine machine = shipped_profile(InstructionSet::X86Avx2);
    machine.parallelism = parallelism;
    return machine;
}

/// The schedule that follows from a plan, on that machine.
inline Schedule build(const PipelineDag& dag, const Plan& plan) {
    const Machine machine = avx2();
    return Builder(dag, machine).build(plan);
}

inline Limits no_limits() {
    return {1e9, std::int64_t{1} << 40U};
}

}  // namespace nestor
