#pragma once
// Reach: whether a function that computes more than it was asked for makes the pipeline read more
// of an input than it was given.

#include <cstdint>
#include <vector>

#include "dag/pipeline_dag.h"

namespace nestor {

/** Which clamps are taken to stop at a border. An end that is a constant may lie beyond what a
 * small size needs: of `min(x, 1023)`, a run over 500 points needs less than twice as many do. */
enum class Ends : std::uint8_t { All, OfInputsOnly };

/** Of a graph, for each function and dimension. Coordinates that pass through a clamp stop at the
 * border, wherever they come from; all others are taken to go on. */
class Reach {
  public:
    explicit Reach(const PipelineDag& graph, Ends ends = Ends::All);

    /** Whether points further along that dimension may need more of an input, itself or through
     * other functions. Always so for extern stages. */
    [[nodiscard]] bool beyond(int function, int dim) const { return beyond_[function][dim]; }

  private:
    [[nodiscard]] bool goes_on(const Stage& stage, int loop) const;

    const Ends ends_;
    std::vector<std::vector<bool>> beyond_;
};

}  // namespace nestor
