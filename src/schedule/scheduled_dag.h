#pragma once
// ScheduledDag: the pipeline as the schedule's derived functions make it. Wrappers, clones and
// rfactor change who loads whom and which loops a stage has; everything that reasons about a
// schedule looks at this graph, in which the index of a function is its index in
// Schedule::functions.

#include <optional>
#include <string>
#include <vector>

#include "dag/pipeline_dag.h"
#include "schedule/schedule.h"

namespace nestor {

class ScheduledDag {
  public:
    /** Keeps a reference to `dag`; copies it only if the schedule derives functions. A derivation
     * that makes no sense becomes a problem and a function without stages. */
    ScheduledDag(const PipelineDag& dag, const Schedule& schedule);

    /** Producers come before consumers among the algorithm's functions only: see topological_order.
     */
    [[nodiscard]] const PipelineDag& operator*() const { return derived_ ? *derived_ : original_; }
    [[nodiscard]] const PipelineDag* operator->() const { return &**this; }

    struct Problem {
        int function = 0;
        std::string what;
    };
    [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

  private:
    const PipelineDag& original_;
    std::optional<PipelineDag> derived_;
    std::vector<Problem> problems_;
};

/** Names of the pure dimensions that an rfactor makes, one for each of Derivation::preserved.
 * `dims` are those of the parent's stage before. */
[[nodiscard]] std::vector<std::string> preserved_names(const Derivation& derivation,
                                                       const std::vector<std::string>& parent_args,
                                                       const std::vector<StageDim>& dims);

/** The splits of an rfactor as a nest of the parent's stage. */
[[nodiscard]] LoopNest rfactor_nest(const Derivation& derivation);

/** Sets the consumers of all functions by what is loaded. */
void find_consumers(PipelineDag& graph);

/** All functions, producers before consumers; in index order where the graph leaves a choice. */
[[nodiscard]] std::vector<int> topological_order(const PipelineDag& graph);

}  // namespace nestor
