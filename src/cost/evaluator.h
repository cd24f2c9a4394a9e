#pragma once
// Predicts many schedules of one pipeline: what they have in common is computed once.

#include <cstdint>
#include <unordered_map>

#include "cost/cost_model.h"
#include "cost/expansion.h"

namespace nestor {

class Evaluator {
  public:
    /** Keeps references. `correction`: see predict(). */
    Evaluator(const PipelineDag& dag, const Machine& machine,
              const Correction* correction = nullptr);

    /** Seconds of a legal schedule, as predict() has them. A group whose functions are scheduled,
     * and whose producers are inlined, as in a schedule before is not looked at again. */
    [[nodiscard]] double seconds(const Schedule& schedule);

  private:
    const Machine& machine_;
    const Correction* correction_;
    const PipelineDag usual_;
    std::vector<std::vector<bool>> ancestors_;  // [function][function]
    Expansions expansions_;
    std::unordered_map<std::uint64_t, double> groups_;
};

}  // namespace nestor
