#pragma once
// The loops of one stage from its plan.

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "machine/machine.h"
#include "search/plan.h"

namespace nestor {

/** Points of a dimension of channels, not of pixels, at most. */
constexpr std::int64_t kShort = 8;

constexpr SiteKind kSiteKinds[] = {SiteKind::Step, SiteKind::Inner, SiteKind::Across,
                                   SiteKind::Rows, SiteKind::Tile,  SiteKind::Slab};

/** The loops of a stage at which other functions can be computed, by SiteKind. */
using Sites = std::array<std::optional<LoopRef>, std::size(kSiteKinds)>;

struct MadeNest {
    LoopNest nest;
    Sites sites;
};

/** By dimension of the function: `open`: what it reads may end there (Reach::beyond); `borders`:
 * its vectors may meet a border there (real_borders). `has_tasks`: it has tiles and runs in
 * parallel. */
[[nodiscard]] MadeNest make_nest(const Function& f, const Stage& stage, const NestPlan& plan,
                                 const std::vector<bool>& open, const std::vector<bool>& borders,
                                 bool has_tasks, const Machine& machine);

}  // namespace nestor
