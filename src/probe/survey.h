#pragma once
// Many kernels measured in cycles, in rounds: a machine that is slow for a while, because a
// neighbour is busy, spoils a round and not a number.

#include <functional>
#include <vector>

#include "machine/machine.h"
#include "probe/kernel.h"

namespace nestor::probe {

class Survey {
  public:
    explicit Survey(const Halide::Target& target);

    [[nodiscard]] const Halide::Target& target() const { return target_; }

    /** Compiles a kernel; `take` gets the cycles of one of what it counts, once they are known. */
    void add(const KernelCode& code, std::function<void(double)> take);
    /** The same, into a quantity that outlives the survey. */
    void add(const KernelCode& code, Quantity& quantity);

    /** Measures what was added since the last time. Time is translated into cycles by a chain of
     * additions and exclusive ors that is timed before and after each sample; each takes one cycle
     * on every processor in A. Fog's "Instruction tables". Of the rounds the fastest quarter's
     * slowest counts: what disturbs a kernel makes it slower, but the clock may change between two
     * samples. */
    void measure();

    /** Cycles per second: the most that was seen. Not before the first measure(). */
    [[nodiscard]] double frequency() const { return 1 / best_cycle_; }

  private:
    struct Entry {
        Kernel kernel;
        int repeats;
        double count, other_cycles;
        std::function<void(double)> take;
        std::vector<double> rounds;  // cycles of one repeat
    };

    /** Seconds of a cycle, now. */
    double time_clock();

    Halide::Target target_;
    Kernel clock_;
    int clock_repeats_;
    double best_cycle_;  // seconds
    std::vector<Entry> entries_;
};

/** Cycles of one of what `code` counts, measured by itself. */
[[nodiscard]] double cycles_of_one(const Halide::Target& target, const KernelCode& code);

}  // namespace nestor::probe
