#pragma once
// Caches and memory: bandwidth by working set and by threads, the first touch of a page, and what
// allocating costs.

#include "machine/machine.h"
#include "probe/survey.h"

namespace nestor::probe {

/** Bytes per second that `threads` read of the whole of `memory`, each of a part. */
[[nodiscard]] double read_bytes_per_second(const Halide::Target& target, int vector_bytes,
                                           int threads, const Halide::Buffer<>& memory);

/** For what the caches deliver; their sizes are taken from `machine`. */
void survey_caches(Survey& survey, Machine& machine);

/** Fills dram, page_fault and allocation; and l3.bytes with the largest working set that is read
 * much faster than memory: where several share a processor, a cache gives less than it has. */
void probe_memory(const Survey& survey, Machine& machine);

}  // namespace nestor::probe
