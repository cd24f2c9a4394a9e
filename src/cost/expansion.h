#pragma once
// What one evaluation of a stage does once the functions that are inlined into it are expanded.

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "schedule/placement.h"

namespace nestor {

/** Halide 21 makes vectors of points that far from each other, and interleaves them. It does not
 * take a vector apart by more. */
constexpr int kMostApart = 4;

/** Whether blocks say more of what a vector loads than the rate: quotients by two to four are
 * vectors that are taken apart, if anything. */
[[nodiscard]] inline bool is_far(const Steps& steps, double rate) {
    return steps.points > kMostApart || (steps.points > 0 && rate == 0);
}

/** The body of a stage repeated along a dimension, as unrolling does: so many times, so many points
 * apart. */
struct Copies {
    int dim = 0;
    double count = 1;
    double stride = 1;
    std::int64_t multiple = 1;  // that the place of the first one is known to be one of
};

/**
 * Evaluations of one thing at several offsets: what is read at (x - 1, y), (x, y) and (x + 1, y) is
 * one family of three. Copies of the stage's body share what they have in common (see distinct()).
 */
struct Family {
    Source source = Source::Function;
    int index = 0;  // into PipelineDag::functions (of the scheduled dag) or ::inputs
    int value = 0;  // tuple element
    /** One a dimension of the source. Offsets are those of the first member. */
    std::vector<Coordinate> coords;
    std::vector<LoopSet> changes;  // [coordinate]: the stage's loops that it changes with
    /** Extents of the box around all offsets, one a dimension; 1 for a single member. */
    std::vector<double> box;
    double members = 0;  // distinct ones
    bool conditional = false;
    /** How often each is loaded or computed, on average: once for each of the functions that are
     * computed together and need it, since what they do is under conditions of their own. */
    double times = 1;

    /** Whether any coordinate changes with that loop of the stage. What is not affine may change
     * with all. */
    [[nodiscard]] bool depends_on(int dim) const;
    [[nodiscard]] bool is_affine() const;

    /** Members of all copies of the body, each counted once: exact if the members fill their box,
     * and if coordinates change with one loop each. */
    [[nodiscard]] double distinct(std::span<const Copies> copies) const;
    /** The same of what changes with some of the coordinates only, which are in the set. Along
     * those in `apart`, copies share nothing. */
    [[nodiscard]] double distinct(std::span<const Copies> copies, LoopSet coordinates,
                                  LoopSet apart = 0) const;
    /** The stage's loops that any coordinate of the set changes with. */
    [[nodiscard]] LoopSet changing_with(LoopSet coordinates) const;
};

struct Expansion {
    std::vector<Family> inlined;     // functions that are computed at each use
    std::vector<Family> loads;       // of functions that have memory, and of inputs
    std::vector<Coordinate> stores;  // see stored_at()
    LoopSet stores_change = 0;       // the loops that any of these changes with
    std::vector<int> periods;        // see periods(), one a loop
    bool complete = true;            // false: more than kMostMembers; the rest is left out
};

/** Members that an expansion may have. */
constexpr int kMostMembers = 2000;

/** Expansions of the stages of one graph under any number of schedules, each computed when it is
 * first asked for. */
class Expansions {
  public:
    /** `placement`: of a schedule of the same graph as ever. */
    [[nodiscard]] const Expansion& of(const Placement& placement, int function, int stage);

  private:
    struct Known {
        std::vector<bool> expanded;  // functions
        std::unique_ptr<const Expansion> expansion;
    };
    std::map<std::pair<int, int>, std::vector<Known>> known_;
};

}  // namespace nestor
