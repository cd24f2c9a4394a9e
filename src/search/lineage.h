#pragma once
// Where a schedule of the search comes from: what is needed to go on from it.

#include <span>
#include <string>

#include "base/result.h"
#include "search/guards.h"
#include "search/plan.h"
#include "search/space.h"

namespace nestor {

/** A schedule that follows from a plan: of_pipeline(build(plan)), guarded and folded or not. */
struct Lineage {
    int space = 0;  // of make_spaces()
    Plan plan;      // of that space's graph
    Guards guards = Guards::None;
    bool folded = false;  // all that slides: see folds.h

    bool operator==(const Lineage&) const = default;
};

/** One line of JSON. */
[[nodiscard]] std::string print_lineage(const Lineage& lineage);

/** Reads print_lineage's text. An Error if it is something else, or of other spaces: plans of
 * another version of Nestor may not fit. */
[[nodiscard]] Result<Lineage> parse_lineage(const std::string& text, std::span<const Space> spaces);

}  // namespace nestor
