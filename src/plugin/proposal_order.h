#pragma once
// In which order proposals are tried.

#include <cstddef>
#include <vector>

#include "search/search.h"

namespace nestor {

/** Whether lowering one has less code to make than lowering the other. */
[[nodiscard]] bool has_less_code(const PipelineDag& dag, const Proposal& a, const Proposal& b);

/** What took too long to lower, proposals[tried], is rarely alone: of what is left, up to the first
 * seed, proposals that have as much code come after those that have less, each in the order as
 * before. Those up to `tried` stay where they are. Without that, two endless ones take all the time
 * of a busy machine, and a seed is left (max_filter, blocks of four and of eight rows). */
void put_off_larger(const PipelineDag& dag, std::size_t tried, std::vector<Proposal>& proposals);

}  // namespace nestor
