#pragma once
// How often code is there: what is unrolled and what is inlined.

#include <cstdint>
#include <vector>

#include "schedule/rules/rules.h"

namespace nestor {

constexpr std::int64_t kMany = std::int64_t{1} << 40;  // products stop here

/** The product, at most kMany. */
[[nodiscard]] std::int64_t times(std::int64_t a, std::int64_t b);

/** Copies that unrolling makes of what is inside of loop `site`, in its nest and in those around
 * it. */
[[nodiscard]] std::int64_t copies_around(const RuleContext& c, const LoopSite& site);

/** Sizes of expressions with every inlined call replaced by the callee's expression. */
class InlinedSizes {
  public:
    /** `size`: what Stage says of its own expression. */
    InlinedSizes(const RuleContext& c, int Stage::* size);

    [[nodiscard]] std::int64_t of(const Stage& stage);

  private:
    [[nodiscard]] std::int64_t of_function(int f);

    const RuleContext& c_;
    int Stage::* size_;
    std::vector<std::int64_t> known_;
};

}  // namespace nestor
