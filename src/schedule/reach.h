#pragma once
// Reach: whether a function that computes more than it was asked for makes the pipeline read more
// of an input than it was given.

#include <vector>

#include "dag/pipeline_dag.h"

namespace nestor {

/** Of a graph, for each function and dimension. Coordinates that pass through a clamp stop at the
 * border, wherever they come from; all others are taken to go on. */
class Reach {
  public:
    explicit Reach(const PipelineDag& graph);

    /** Whether points further along that dimension may need more of an input, itself or through
     * other functions. Always so for extern stages. */
    [[nodiscard]] bool beyond(int function, int dim) const { return beyond_[function][dim]; }

  private:
    [[nodiscard]] bool goes_on(const Stage& stage, int loop) const;

    std::vector<std::vector<bool>> beyond_;
};

}  // namespace nestor
