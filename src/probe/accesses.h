#pragma once
// Loads and stores out of the first cache (plain, gathered, strided, interleaved), and reading of
// any working set.

#include "machine/machine.h"
#include "probe/survey.h"

namespace nestor::probe {

/** Memory for read_code(), written once, so that it is there. */
[[nodiscard]] Halide::Buffer<> read_memory(std::int64_t bytes);

/** Reads the first `working_set` bytes of `memory` as integers once a repeat, in vectors of that
 * many bytes (4: scalars, with gaps between them); each of `threads` reads a part of its own.
 * Counts loads, of all threads together. */
[[nodiscard]] KernelCode read_code(int vector_bytes, std::int64_t working_set, int threads,
                                   const Halide::Buffer<>& memory);

/** Counts stores of vectors (4 bytes: scalars) to memory that stays in the first cache. */
[[nodiscard]] KernelCode store_code(int vector_bytes);

/** Counts elements gathered at random places of 4 KiB, in vectors of that many bytes. */
[[nodiscard]] KernelCode gather_code(ElementType type, int vector_bytes);

/** Counts vectors of every n-th element. */
[[nodiscard]] KernelCode strided_load_code(ElementType type, int vector_bytes, int stride);

/** Counts vectors of n channels that are stored interleaved, element by element in turns. */
[[nodiscard]] KernelCode interleave_code(ElementType type, int vector_bytes, int channels);

/** For load, store, gather, strided_load and interleave, at the widths that are known. */
void survey_accesses(Survey& survey, Machine& machine);

}  // namespace nestor::probe
