#pragma once
// Where functions run: which are inlined, and which loops are around which.

#include <ranges>
#include <set>
#include <utility>
#include <vector>

#include "schedule/schedule.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

class Placement {
  public:
    /** Keeps references to both. Shapes have to be right (rules/shape.cpp). */
    Placement(const PipelineDag& graph, const Schedule& schedule)
        : graph_(graph), schedule_(schedule) {}

    enum class Kind {
        Inlined,    // has no loops and no memory: its consumers contain its expression
        AtEachUse,  // not inlinable and left at Default: computed in the innermost loop of each
                    // consumer
        Root,
        At,       // FunctionSchedule::compute.site
        Unknown,  // scheduled by the user
    };
    [[nodiscard]] Kind kind(int function) const;

    /** Inlined or AtEachUse: its consumers' consumers are its consumers. */
    [[nodiscard]] bool is_transparent(int function) const;

    /** All nests of a stage, as pointers: the specialised ones, then the general one. */
    [[nodiscard]] auto nests(int function, int stage) const {
        const StageSchedule& s = schedule_.functions[function].stages[stage];
        const auto nest = [&s](std::size_t i) {
            return i < s.specializations.size() ? &s.specializations[i].nest : &s.nest;
        };
        return std::views::iota(std::size_t{0}, s.specializations.size() + 1) |
               std::views::transform(nest);
    }
    /** Of these, the one that runs at the estimates; of cases of a selector, another than these. */
    [[nodiscard]] const LoopNest& running_nest(int function, int stage) const;
    /** Whether the extents that a case asks for are those of the estimates. */
    [[nodiscard]] bool has_extents(int function, const Specialization& of) const;
    /** The case whose nest that is; null: the general one. */
    [[nodiscard]] const Specialization* running_case(int function, int stage) const;
    [[nodiscard]] std::vector<StageDim> dims(int function, int stage) const;

    /** Whether loop `outer` is `inner` or around it in every nest of their stage. */
    [[nodiscard]] bool is_around(int function, int stage, LoopRef outer, LoopRef inner) const;

    /** Whether each iteration of `inner` belongs to one iteration of `outer`, through the loops at
     * which functions are computed. A loop is inside itself. */
    [[nodiscard]] bool is_inside(const LoopSite& inner, const LoopSite& outer) const;

    /** Whether all of function `f` is computed within one iteration of `site`. */
    [[nodiscard]] bool is_computed_inside(int f, const LoopSite& site) const;

    /** A stage that loads the function, itself or through transparent functions. Where a tuple is
     * inlined, what only its unread elements load is not used. */
    struct Use {
        int function = 0;
        int stage = 0;  // -1: an extern stage
        auto operator<=>(const Use&) const = default;
    };
    /** Each once, ascending. */
    [[nodiscard]] std::vector<Use> uses(int function) const;

    /** The loop sites around the code of `site`'s function and stage, innermost first: `site`, then
     * the site at which its function is computed, and so on. Stops at root, or where sites go in
     * circles. */
    [[nodiscard]] std::vector<LoopSite> chain(const LoopSite& site) const;

    /** The function at root in whose loops a function is computed; itself if it is in none. */
    [[nodiscard]] int root(int function) const;

    /** The level at which memory is allocated: hoist, else store, else compute. */
    [[nodiscard]] Level storage(int function) const;
    /** The level at which the region that is kept is decided: store, else compute. */
    [[nodiscard]] Level store(int function) const;

    /** Computed at a loop and stored outside of it, so that it keeps what earlier iterations made.
     */
    [[nodiscard]] bool slides(int function) const;
    /** The loops around the computation of a function that is computed at a loop, innermost first,
     * up to the one where it is stored. */
    [[nodiscard]] std::vector<LoopSite> slid_loops(int function) const;

    /** The dimension whose neighbours are neighbours in memory. */
    [[nodiscard]] int dense_dim(Source source, int index) const;
    /** Elements of memory between neighbours along a dimension, where that is a small constant:
     * channels of interleaved pictures are between pixels. 0: not known, or more than 8. */
    [[nodiscard]] std::int64_t stride(Source source, int index, int dim) const;

    /** Whether the memory of a function has the same extent along a dimension in every run. */
    [[nodiscard]] bool has_known_extent(int function, int dim) const;

    [[nodiscard]] const PipelineDag& graph() const { return graph_; }
    [[nodiscard]] const Schedule& schedule() const { return schedule_; }

  private:
    template <class Predicate>
    bool any_around(LoopSite site, const Predicate& is_true) const;

    static constexpr int kAll = -1;  // elements of a tuple
    void add_uses(int function, int element, std::set<std::pair<int, int>>& seen,
                  std::vector<Use>& uses) const;

    const PipelineDag& graph_;
    const Schedule& schedule_;
};

}  // namespace nestor
