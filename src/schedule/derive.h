#pragma once
// How wrappers, clones and rfactor change the graph. Used by ScheduledDag only.

#include <string>
#include <vector>

#include "dag/pipeline_dag.h"
#include "schedule/schedule.h"

namespace nestor {

class DerivedFunctions {
  public:
    /** Appends to `graph`, which starts as a copy of `dag`. */
    DerivedFunctions(const PipelineDag& dag, const Schedule& schedule, PipelineDag& graph)
        : dag_(dag), schedule_(schedule), graph_(graph) {}

    /** Appends function `f` of the schedule. Returns why that cannot be, or nothing; appends a
     * function without stages in the first case. Call it for each in order. */
    [[nodiscard]] std::string add(int f);

    /** After all are added, with consumers known: which consumer does not load wrapper or clone
     * `f`. */
    [[nodiscard]] std::string unused(int f) const;

  private:
    [[nodiscard]] std::string refuse(int f) const;
    [[nodiscard]] std::string refuse_clone(int f) const;
    [[nodiscard]] std::string refuse_rfactor(int f) const;
    void add_wrapper(const Derivation& derivation, int f);
    void add_clone(const Derivation& derivation, int f);
    void add_rfactor(const Derivation& derivation, int f);
    bool redirect(int consumer, int from, int to);
    [[nodiscard]] bool is_kind(int f, Derivation::Kind kind) const;
    [[nodiscard]] int root_of_clone(int f) const;
    [[nodiscard]] bool loads_through_wrappers(int consumer, int f) const;

    const PipelineDag& dag_;
    const Schedule& schedule_;
    PipelineDag& graph_;
};

}  // namespace nestor
