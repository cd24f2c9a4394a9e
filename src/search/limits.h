#pragma once
// When to stop looking: time and memory.

#include <chrono>
#include <cstdint>

namespace nestor {

enum class StopReason { Finished, TimeLimit, MemoryLimit };

[[nodiscard]] const char* stop_reason_text(StopReason reason);

/** Resident memory of this process in bytes; 0 where the system does not tell. */
[[nodiscard]] std::int64_t resident_bytes();

class Limits {
  public:
    /** Counts time and memory growth from now on. */
    Limits(double seconds, std::int64_t bytes);

    [[nodiscard]] double elapsed_seconds() const;

    /** Finished: go on. */
    [[nodiscard]] StopReason check() const;

  private:
    std::chrono::steady_clock::time_point start_;
    double seconds_;
    std::int64_t bytes_, resident_at_start_;
};

}  // namespace nestor
