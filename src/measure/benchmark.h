#pragma once
// The main program of a benchmark binary: one candidate, compiled ahead of time with the
// unscheduled pipeline, on a machine that may know nothing but how to start it. Needs the standard
// library and Halide's run-time header only.
//
// Its arguments are words KEY=VALUE (see Settings in benchmark.cpp), its answer is one line on
// stdout: kBenchmarkAnswer, then a Measurement as JSON (measure/measurement.h). It ends with status
// 0 whatever the candidate did: another status comes from what was to start it.

#include <HalideRuntime.h>

#include <cstdint>
#include <vector>

#include "measure/elements.h"

namespace nestor {

constexpr const char* kBenchmarkAnswer = "nestor-benchmark: ";

/** One argument of the pipeline: a buffer, or a scalar. */
struct BenchmarkArgument {
    bool is_buffer = false;
    bool is_output = false;
    BufferLayout layout;
    std::uint64_t stream = 0;                // of its random numbers, or of its garbage
    const std::uint8_t* contents = nullptr;  // instead of random numbers
    std::uint64_t scalar = 0;                // its bits
};

/** What is linked together. */
struct BenchmarkProgram {
    std::vector<BenchmarkArgument> arguments;
    int (*reference)(void**) = nullptr;
    int (*candidate)(void**) = nullptr;
    std::uint64_t identity = 0;  // of the reference's result

    // Of the run-time.
    halide_error_handler_t (*set_error_handler)(halide_error_handler_t) = nullptr;
    int (*set_num_threads)(int) = nullptr;
    halide_malloc_t (*set_malloc)(halide_malloc_t) = nullptr;
    halide_free_t (*set_free)(halide_free_t) = nullptr;
};

/** What main() returns. */
int run_benchmark(const BenchmarkProgram& program, int argc, char** argv);

}  // namespace nestor
