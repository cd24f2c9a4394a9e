#pragma once
// What the learned correction sees of a group: a function at root with all that is computed in its
// loops. Numbers that features (features.h) are made of, each computed once.

#include <vector>

#include "cost/cost_model.h"
#include "cost/footprints.h"
#include "cost/terms.h"

namespace nestor {

/** Of one nest of the group. Numbers "of an evaluation" are of one point of its stage. */
struct NestView {
    NestCycles cycles;
    double share = 0;  // of the cycles of the group's nests; all together 1

    // Of a vector and the body of the innermost loop that is neither a vector nor unrolled.
    double element_bytes = 1;  // of what it stores, the widest
    double lanes = 1;
    double natural_lanes = 1;  // that a register has of the widest element
    double registers = 1;      // that one vector of results takes
    double copies = 1;         // of the body, unrolled
    bool floats = false;
    bool sums = false;     // it reads itself
    bool reduces = false;  // the innermost rolled loop is a reduction

    // Of the loops.
    double inner_trips = 1;     // iterations of the innermost rolled loop
    double inner_bytes = 0;     // that all of these iterations store, in one run
    double outer_trips = 1;     // iterations of the rolled loop around it
    double depth = 0;           // rolled loops of its own
    double executions = 1;      // of the whole nest
    double recomputation = 1;   // evaluations by points at which it is needed
    bool inside = false;        // computed at a loop
    bool slides = false;        // and keeps what earlier iterations made
    double guarded_splits = 0;  // share of its splits whose tail is a condition
    bool partitioned = true;    // Halide may take first and last iterations out of loops

    // Of what an evaluation does.
    double operations = 0;  // arithmetic, inlined functions apart
    double loads = 0;       // members of families of loads
    double families = 0;    // of loads
    double inlined = 0;     // evaluations of functions that are inlined
    double shared = 0;      // share of loads that unrolled copies have in common
    double strided = 0;     // shares of the loads, by how the elements of a vector lie in memory
    double gathered = 0;
    double same = 0;     // one element for all of the vector
    double clamped = 0;  // share of the loads whose coordinates are clamped
    double code = 0;     // nodes of the expressions times copies and registers

    // Bytes that are touched by one iteration, ...
    double body_bytes = 0;  // of the innermost rolled loop
    double inner_set = 0;   // of the loop around it
    double outer_set = 0;   // of the outermost loop
};

struct GroupView {
    Cost cost;  // analytic
    Traffic traffic;
    const Machine* machine = nullptr;
    double threads = 1;  // that work on it
    std::vector<NestView> nests;
    double cycles = 0;  // of all nests, of all threads together
    double tasks = 1;   // of the parallel loops of the nest at root that has most of them
    double starts = 0;  // of parallel loops
    double functions = 1;
    double allocated = 0;      // bytes of the allocations inside, one of each
    double stored = 0;         // bytes of the function at root
    double loaded = 0;         // bytes of what it loads of other groups and inputs, each whole
    bool stays_in_l2 = false;  // all that the pipeline touches
    bool stays_in_l3 = false;

    /** Mean over the nests by their share of cycles. */
    template <class Value>
    [[nodiscard]] double mean(const Value& value) const {
        double sum = 0;
        for (const NestView& nest : nests) {
            sum += nest.share * static_cast<double>(value(nest));
        }
        return sum;
    }
    /** Largest over the nests, at least 0. */
    template <class Value>
    [[nodiscard]] double most(const Value& value) const {
        double most = 0;
        for (const NestView& nest : nests) {
            most = std::max(most, static_cast<double>(value(nest)));
        }
        return most;
    }
};

/** `work`: what group_cost() says of the same group. Its footprints are asked for more. */
[[nodiscard]] GroupView view_group(ScheduleFacts& facts, int root, const Cost& cost,
                                   GroupWork& work);

}  // namespace nestor
