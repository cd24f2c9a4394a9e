#pragma once
// Which loops of a stage a value changes with: of the others, it is computed once.

#include <map>
#include <string>

#include "dag/pipeline_dag.h"
#include "halide/halide.h"

namespace nestor {

/** Of expressions of one stage, without lets. */
class ChangingLoops {
  public:
    /** Keeps a reference to the loops. `self`: the stage's function, whose values change with all
     * of them. `anyway`: that all expressions are taken to change with. */
    ChangingLoops(const std::vector<Loop>& loops, std::string self, LoopSet anyway = 0);

    [[nodiscard]] LoopSet of(const Halide::Expr& e);

  private:
    const std::vector<Loop>& loops_;
    const std::string self_;
    const LoopSet anyway_;
    std::map<Halide::Expr, LoopSet, Halide::ExprCompare> known_;
};

}  // namespace nestor
