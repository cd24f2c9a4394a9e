#pragma once
// Machine: what is assumed of the processor that will run the pipeline.

#include <cstdint>

namespace nestor {

struct Machine {
    int vector_bytes = 32;                // of one vector register
    int parallelism = 16;                 // tasks that the schedule exposes; not a thread count
    std::int64_t l1_bytes = 32 * 1024;    // data, of one core
    std::int64_t l2_bytes = 1024 * 1024;  // of one core
    double cycles_per_second = 3e9;
    double dram_bytes_per_cycle = 5;  // of one core
    double launch_cycles = 20'000;    // of one parallel loop
    double task_cycles = 1'000;       // of one iteration of a parallel loop

    /** Lanes of a register for elements of this many bytes, at least 1. */
    [[nodiscard]] int lanes(int bytes) const {
        return bytes >= vector_bytes ? 1 : vector_bytes / bytes;
    }
};

}  // namespace nestor
