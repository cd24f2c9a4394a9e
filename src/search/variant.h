#pragma once
// Variants of a pipeline: itself, and with its long sums taken apart (rfactor), as graphs of their
// own that are searched like any other.

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "schedule/joined.h"
#include "schedule/schedule.h"
#include "search/plan.h"

namespace nestor {

/** Points of a reduction for which a variant pays: the code, and searching it. */
constexpr double kLeastWork = 50'000;

class Variant {
  public:
    /** The pipeline as it is. */
    explicit Variant(const PipelineDag& dag);
    /** With functions derived in that order, as they stand in Schedule::functions. */
    Variant(const PipelineDag& dag, const std::vector<Derivation>& derivations);

    /** With functions that are computed together. Only of such as join() takes. */
    Variant(const PipelineDag& dag, std::vector<Joined> together);

    /** Producers before consumers. */
    [[nodiscard]] const PipelineDag& graph() const { return graph_; }
    /** The pipeline's schedule for one of the graph's. */
    [[nodiscard]] Schedule of_pipeline(Schedule schedule) const;
    /** Index in graph() of a function of the schedule. */
    [[nodiscard]] int in_graph(int function) const { return places_[function]; }
    /** A plan of the pipeline as one of graph(). `start`: any of that, for what the pipeline does
     * not have. */
    [[nodiscard]] Plan in_graph(const Plan& plan, const Plan& start) const;

  private:
    /** Puts producers before consumers. */
    void set_graph(const PipelineDag& graph);

    const PipelineDag* dag_;
    std::vector<Derivation> derivations_;
    std::vector<Joined> together_;
    PipelineDag graph_;
    std::vector<int> places_;     // [function of the schedule]: index in graph_
    std::vector<int> functions_;  // the reverse
};

/** The pipeline with functions that are read instead of some of its own: copies or clones. */
struct Replacements {
    Variant variant;
    /** Of the pipeline; what is read instead of number i is its function functions.size() + i. */
    std::vector<int> parents;
};
/** None if nothing is derived. */
[[nodiscard]] std::optional<Replacements> replaced(const PipelineDag& dag,
                                                   const std::vector<Derivation>& derivations);

/** Whether all that reads a function may read another one instead. */
[[nodiscard]] bool may_be_replaced(const PipelineDag& dag, int function);

/** A reduction whose sums are taken apart. */
struct Parts {
    int function = 0;  // of Variant::graph(): has a dimension more for each kind of part
    int reader = 0;    // where they are added up, in an update
    int stage = 1;     // of the reader
    // Dimensions of the function, -1: none.
    int lanes = -1;   // a part for each element of a vector; those after it: for each of its runs
    int copies = -1;  // a part for each unrolled step, so that they need not wait for each other
    int tasks = -1;   // a part for each task
};

/** Sums over many points into few: vectors along what is contiguous, and tasks, where the sums are
 * too few for all threads. A histogram, whose sums are not known beforehand, has copies instead of
 * vectors. Where the order counts (argmax, of equal values), each part is of neighbours, and parts
 * are combined in order. Sums of floating-point numbers are reassociated. None if there is nothing
 * to gain; another one if tasks are possible where they are not needed, and one of rows only if
 * there are others. */
struct SumsInParts {
    Variant variant;
    std::vector<Parts> parts;
    bool in_tasks = false;  // also sums into points that would do for all threads
    /** Of rows only, in vectors: each thing that they load is used once, by one of their points.
     * Products, whose factors are used again and again, are better off as register tiles. */
    bool of_rows = false;
    bool of_rows_only = false;  // there are others that are not taken apart
};
[[nodiscard]] std::vector<SumsInParts> sums_in_parts(const PipelineDag& dag,
                                                     const Machine& machine);

/** Puts parts where they belong: tasks at root and in parallel, vectors in registers in the loops
 * of what adds them up. `graph`: with the parts, Variant::graph(). */
void place_parts(const PipelineDag& graph, const std::vector<Parts>& all, const Machine& machine,
                 Plan& plan);

/** Puts vectors of parts that share what they load into register tiles (part_tiles.h). Whether
 * there are any. `plan`: with the parts in their places. */
[[nodiscard]] bool place_in_tiles(const PipelineDag& graph, const std::vector<Parts>& all,
                                  const Machine& machine, Plan& plan);

/** A plan of the pipeline as it is, with parts. `start`: any plan of the variant, for what the
 * pipeline does not have. */
[[nodiscard]] Plan carry_over(const Variant& variant, const std::vector<Parts>& parts,
                              const Machine& machine, const Plan& plan, const Plan& start);

}  // namespace nestor
