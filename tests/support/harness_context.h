// Replacements for Halide's run-time services that make wrong schedules visible.
#pragma once

#include <atomic>
#include <cstdint>

#include "Halide.h"

namespace nestor::testing {

enum class ParallelOrder {
    Threads,    ///< Halide's own thread pool
    Forwards,   ///< one thread, first iteration first
    Backwards,  ///< one thread, last iteration first: a loop that was not parallel shows
};

/// Passed to Pipeline::realize. With `fill_allocations`, heap allocations of the pipeline are
/// filled with garbage (an uninitialised read shows in the result) and followed by a guard that is
/// checked when they are freed.
class HarnessContext : public Halide::JITUserContext {
  public:
    HarnessContext(ParallelOrder order, bool fill_allocations, uint64_t seed);

    /// Allocations whose guard was overwritten, and those that were never freed.
    int overruns() const { return overruns_; }
    int leaks() const { return live_; }

  private:
    static void* allocate(Halide::JITUserContext* context, size_t bytes);
    static void release(Halide::JITUserContext* context, void* memory);

    uint64_t seed_;
    std::atomic<int> overruns_{0};
    std::atomic<int> live_{0};
};

}  // namespace nestor::testing
