#pragma once
// What a definition chooses by and what is the same for all of its points (see nestor::Selector).

#include <optional>
#include <vector>

#include "dag/pipeline_dag.h"
#include "halide/parts.h"

namespace nestor {

struct FoundSelector {
    Selector selector;  // but for its operations
    Halide::Expr operand;
};

/** All of them, by first visit. Expressions without lets. */
[[nodiscard]] std::vector<FoundSelector> find_selectors(const PipelineParts& parts,
                                                        const std::vector<Halide::Expr>& values);

/** What is left of the expressions where the selector has that value; nullopt: none of its values.
 */
[[nodiscard]] std::vector<Halide::Expr> when_selected(const std::vector<Halide::Expr>& values,
                                                      const FoundSelector& found,
                                                      std::optional<std::int64_t> value);

}  // namespace nestor
