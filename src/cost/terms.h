#pragma once
// The terms of the cost model: what a schedule's seconds are made of. One function each, one file
// each in terms/; the model (cost_model.h) adds them up.

#include <deque>
#include <utility>
#include <vector>

#include "cost/footprints.h"
#include "cost/schedule_facts.h"

namespace nestor {

/** Cycles of one core that all executions of a nest take, by what they wait for. */
struct NestCycles {
    double arithmetic = 0;  // of the vector units
    double scalars = 0;     // of the units of scalar integers, beside those: indexes, addresses
    double loads = 0;       // of the load ports
    double stores = 0;      // of the store ports
    double issue = 0;       // of the front end, all instructions
    double latency = 0;     // of chains of dependent operations
    double loops = 0;  // of entering, leaving and advancing loops, and of branches for elements
                       // under masks

    /** Of the units, which work at the same time, the one that has most to do. */
    [[nodiscard]] double busiest() const;
    /** The busiest unit or the longest wait decides, and what the others do is not free. */
    [[nodiscard]] double total() const;
};

/**
 * What a nest executes. In each iteration of the innermost rolled loop there is one instruction (or
 * several, if vectors are wider than the machine's) for each operation, load and store of the
 * body's copies; what copies have in common is there once, and what does not change with the loop
 * is done before it, as LLVM does (loop-invariant code motion, sums kept in registers, common
 * subexpressions). Accumulators and invariants beyond the machine's registers are spilled. Unit:
 * cycles; throughputs and latencies are Machine's.
 */
[[nodiscard]] NestCycles nest_cycles(ScheduleFacts& facts, const NestFacts& nest);

/** Bytes that move between two levels of the memory, both ways. */
struct Traffic {
    double l2 = 0;    // to and from the second cache, beyond the first
    double l3 = 0;    // beyond the second
    double dram = 0;  // beyond the last
    /** Pages that are come to while more of them are in use than a core's table of translations
     * holds (its first-level data TLB); counted as what a cache holds is. */
    double page_visits = 0;
    double page_walks = 0;  // the same, of the second table: these are looked up in memory

    Traffic& operator+=(const Traffic& other);
};

/** Of one nest of a root function, and of all that is computed in its loops. */
struct NestTraffic {
    Traffic moved;
    double threads = 1;  // at the same time
};

/** What is known of what a root function's nests touch, one of them after the other. */
using GroupFootprints = std::deque<Footprints>;

/**
 * What a root function's nests, and all that is computed inside of them, move; one for each nest of
 * the function itself. For each cache: the outermost loop of which one iteration touches no more
 * than the cache holds; each iteration brings what the one before did not have, and storage that
 * lives inside never leaves. (After S. Williams et al., "Roofline", 2009, for what bounds it, and
 * U. Bondhugula's tiling of footprints.) What is written counts twice: lines are read before they
 * are written. `all` is empty, and gets the footprints of each of these nests.
 */
[[nodiscard]] std::vector<NestTraffic> group_traffic(ScheduleFacts& facts, int root,
                                                     GroupFootprints& all);

/** Whether so many bytes stay in a cache from one run of the pipeline to the next. */
[[nodiscard]] bool stays_in(const CacheLevel& cache, double bytes);

/** Seconds of one core that a root function's nests take for memory that comes and goes: calls of
 * the allocator, and the first touch of each page that the allocator does not keep. */
[[nodiscard]] double allocation_seconds(ScheduleFacts& facts, int root);

/** Seconds that starting the outermost parallel loops of a nest and their tasks takes, all
 * together; 0 where it runs within tasks. `work`: seconds of one core that the nest takes, without
 * what is computed in its loops. */
[[nodiscard]] double launch_seconds(const ScheduleFacts& facts, const NestFacts& nest, double work);

/** What a group's cost was made of. */
struct GroupWork {
    std::vector<std::pair<const NestFacts*, NestCycles>> nests;
    Traffic traffic;
    GroupFootprints footprints;
    double threads = 1;
};

}  // namespace nestor
