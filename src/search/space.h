#pragma once
// What is searched: the variants of a pipeline, each with the plans that descents begin with.

#include <vector>

#include "search/descent.h"
#include "search/variant.h"

namespace nestor {

struct Space {
    Variant variant;
    std::vector<Start> starts;  // plans of variant.graph()
    /** Of sums of rows in parts: to carry_over() a plan of the pipeline as it is; others: empty. */
    std::vector<Parts> rows;
    /** Sums of the pipeline that have copies: to carry over a plan of it; others: empty. */
    std::vector<int> copied;
    /** Functions of the pipeline that are computed together: as for `copied`. */
    std::vector<Joined> together;
    /** Functions of the pipeline that have clones: as for `copied`. */
    std::vector<int> cloned;
    bool only_carried_over = false;  // searched from such plans, not from the starts
};

/** What is allowed in that space. Rows in parts are more nests, of little code each: attention's
 * take LLVM 2.7 s for 102,000 nodes, 2.5 s for 55,000 without parts (see Caps::code_size). */
[[nodiscard]] Caps caps_in(const Space& space, Caps caps);

/** The pipeline as it is, then with its long sums, all or those of rows, in parts, with those that
 * are its outputs in functions of their own, with copies of what is read across its rows, and of
 * sums that are stored, with what is computed together, and with clones, if it has any, and if
 * `moves` has them. */
[[nodiscard]] std::vector<Space> make_spaces(const PipelineDag& dag, const Machine& machine,
                                             const MoveSet& moves = {});

}  // namespace nestor
