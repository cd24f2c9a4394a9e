#pragma once
// Machine: what is known of the processor that will run a pipeline. A profile comes with Nestor for
// each instruction set (profiles.h); `nestor probe` measures the machine at hand.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/arithmetic.h"
#include "machine/quantity.h"

namespace nestor {

/** Bytes of one instruction's operands. An instruction set that has no such width has unknown
 * quantities there. */
enum class Width : std::uint8_t { Scalar, Bytes16, Bytes32, Bytes64, Bytes128 };
constexpr std::size_t kWidths = 5;

/** Numbers of threads that bandwidth is known for; All is each core one. */
enum class Threads : std::uint8_t { One, Two, Four, Eight, Sixteen, ThirtyTwo, All };
constexpr std::size_t kThreads = 7;

enum class Stride : std::uint8_t { Two, Three, Four };
constexpr std::size_t kStrides = 3;

template <class T>
using ByWidth = Table<Width, T, kWidths>;
template <class T>
using ByThreads = Table<Threads, T, kThreads>;
template <class T>
using ByStride = Table<Stride, T, kStrides>;

struct ArithmeticCost {
    Quantity cycles;   // of one instruction when many are independent (reciprocal throughput)
    Quantity latency;  // in cycles, of one instruction that the next one waits for
    bool operator==(const ArithmeticCost&) const = default;
};

struct CacheLevel {
    Quantity bytes;
    Quantity cores;  // that share it
    Quantity read;   // bytes per cycle that one core reads from it
    bool operator==(const CacheLevel&) const = default;
};

struct Bandwidth {
    Quantity read;   // bytes per second, all threads together
    Quantity triad;  // bytes per second of a = b + s c, the array written counted once (J.
                     // McCalpin, STREAM)
    bool operator==(const Bandwidth&) const = default;
};

struct Machine {
    std::string target;  // the Halide target that it is for
    std::string cpu;     // the model that the numbers are of
    std::string date;    // of the probe, YYYY-MM-DD

    /** Tasks that the schedule exposes: a request, no property of the processor. */
    int parallelism = 16;

    Quantity clock;  // cycles per second
    Quantity cores;
    Quantity registers;             // of vectors
    ByType<Quantity> vector_bytes;  // that Halide calls natural
    ByArithmetic<ByType<ByWidth<ArithmeticCost>>> operations;

    ByWidth<Quantity> load;                   // cycles of one, from L1
    ByWidth<Quantity> store;                  // cycles of one, to L1
    ByType<Quantity> gather;                  // cycles of one element, in vectors of natural width
    ByType<Quantity> narrow_gather;           // the same in vectors of at most narrow_lanes()
    ByType<ByStride<Quantity>> strided_load;  // cycles of one natural vector of every n-th element
    ByType<ByStride<Quantity>> interleave;  // cycles of one natural vector stored among n channels

    Quantity line_bytes;  // of caches
    Quantity streams;     // runs of memory that the prefetchers of a core follow at the same time
    CacheLevel l1, l2, l3;
    ByThreads<Bandwidth> dram;

    Quantity page_bytes;
    Quantity page_fault;  // seconds, of the first touch of a page
    Quantity allocation;  // seconds of halide_malloc and halide_free of a few KiB
    Quantity launch;      // seconds that a parallel loop of one task a core takes beside one task
    Quantity task;        // seconds of one more task in a parallel loop

    /** Whether sums of four products of bytes, of such signs, are one instruction: of one that is
     * unsigned and one that is signed (x86, Hexagon), or of the same sign (Arm, Hexagon). */
    [[nodiscard]] bool sums_bytes(bool a_is_signed, bool b_is_signed) const;

    /** The least bytes of elements of which vectors are loaded and stored under masks; 16: there
     * are no masks. LLVM 21 makes a branch of each smaller element. Of x86, AVX has masks for four
     * and eight bytes, AVX-512BW for all. */
    [[nodiscard]] int masked_bytes() const;

    /** Lanes of which neither the elements nor their 32-bit indices fill more than half of a
     * natural vector, at least 1. */
    [[nodiscard]] int narrow_lanes(ElementType type) const;

    /** Cycles of one operation alone: a widening without the addition that is measured with it. */
    [[nodiscard]] double cycles(Arithmetic operation, ElementType type, Width width) const;

    /** Cycles of one element that is gathered in a vector of so many. */
    [[nodiscard]] double gathered(ElementType type, double lanes) const;

    /** Lanes of a natural vector for elements of this many bytes, at least 1. */
    [[nodiscard]] int lanes(int bytes) const;

    bool operator==(const Machine&) const = default;
};

[[nodiscard]] const char* name_of(Width width);
[[nodiscard]] const char* name_of(Threads threads);
[[nodiscard]] const char* name_of(Stride stride);

[[nodiscard]] int bytes_of(Width width, ElementType type);
/** 2, 3 or 4. */
[[nodiscard]] int stride_of(Stride stride);
/** 0 for All. */
[[nodiscard]] int threads_of(Threads threads);

/** Whether a cost of this operation makes sense for this type: integers have no square roots. */
[[nodiscard]] bool applies(Arithmetic operation, ElementType type);
/** Whether its latency is known apart: the widening of a load is off the chain of dependences. */
[[nodiscard]] bool has_latency(Arithmetic operation);

}  // namespace nestor
