#pragma once
// What one definition does: operations, sizes, and loads with their coordinates as functions of
// loops.

#include <vector>

#include "dag/pipeline_dag.h"
#include "halide/estimates.h"
#include "halide/parts.h"

namespace nestor {

/** Fills in loads, ops, expression_size and reads_itself of a stage whose loops are known.
 *  `input_index`: position in PipelineDag::inputs of a parameter's or buffer's name. */
void analyse_definition(const PipelineParts& parts, const Estimates& estimates,
                        const std::map<std::string, int>& input_index, const HalideFunction& f,
                        const Halide::Internal::Definition& definition, Stage& stage);

/** Fills in where a stage repeats, and its operations there, once it is known which of its loops
 * run over the same range at any size (`constant`). */
void analyse_phases(const PipelineParts& parts, const Estimates& estimates,
                    const std::map<std::string, int>& input_index, const HalideFunction& f,
                    const Halide::Internal::Definition& definition,
                    const std::vector<bool>& constant, Stage& stage);

/** The same expressions with the front end's lets substituted: they hide coordinates, and their
 * names carry counters. In each, what is equal is the same object: in a pipeline that was read from
 * a file, nothing is, and no figure may depend on it. */
[[nodiscard]] std::vector<Halide::Expr> without_lets(std::vector<Halide::Expr> expressions);

struct Size {
    int tree = 0;      // nodes of the expressions as trees, at most the cap
    int distinct = 0;  // each once in an expression where they are equal
};
/** Linear in the size of the expressions' graph. */
[[nodiscard]] Size size_of(const std::vector<Halide::Expr>& expressions, int cap);

}  // namespace nestor
