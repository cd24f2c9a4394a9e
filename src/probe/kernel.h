#pragma once
// Kernels of the probe: Halide pipelines that do one thing as often as they are told, compiled into
// this process.

#include <vector>

#include "halide/halide.h"
#include "halide/jit_program.h"

namespace nestor::probe {

/** What goes wrong in a kernel is thrown as std::runtime_error; probe_machine() catches it. */
struct KernelCode {
    Halide::Func output;
    /** The loop around everything runs this often. */
    Halide::Param<int> repeats{"repeats"};
    /** Each for the ImageParam of its name. */
    std::vector<Halide::Buffer<>> inputs;
    Halide::Buffer<> result;
    /** Things of the kind that is measured in one repeat. */
    double count = 1;
    /** Cycles beside each of them that are something else's. */
    double other_cycles = 0;
};

class Kernel {
  public:
    Kernel(const KernelCode& code, const Halide::Target& target);

    /** Wall time of one call. */
    [[nodiscard]] double seconds(int repeats) const;

    /** As many repeats as take about that many seconds, at least one, at most 2^28. */
    [[nodiscard]] int repeats_for(double wanted) const;

  private:
    JitProgram program_;
    std::vector<Halide::Buffer<>> buffers_;  // the arguments in order; undefined: the repeats
};

/** Smallest of some rounds, of one repeat. */
[[nodiscard]] double fastest_seconds(const Kernel& kernel, double seconds_a_round = 1e-3);

}  // namespace nestor::probe
