#pragma once
// What the body of a nest loads and what is inlined into it: how many of each family its copies
// have, in vectors of which length, and how often.

#include <cstddef>

#include "cost/body.h"
#include "cost/sharing.h"

namespace nestor {

class BodyFamilies {
  public:
    /** Keeps references. */
    BodyFamilies(ScheduleFacts& facts, const NestFacts& nest, const Body& body);

    [[nodiscard]] const Sharing& sharing() const { return sharing_; }

    [[nodiscard]] ElementType type_of(const Family& family) const;
    /** Elements of one load, or of one result. */
    [[nodiscard]] double lanes_of(const Family& family) const;
    /** Vectors of the machine that these are. */
    [[nodiscard]] double vectors_of(const Family& family) const;
    /** Members of all copies of the body that are loaded or computed. */
    [[nodiscard]] double distinct(const Family& family) const;

    /** Position of the innermost loop around the body that something changes with, which is how
     * often it is done; the number of loops if it changes with none. */
    template <class DependsOn>
    [[nodiscard]] std::size_t innermost_of(const DependsOn& depends_on) const {
        for (std::size_t i = body_.rolled; i < nest_.loops.size(); i++) {
            if (!nest_.loops[i].is_none() && depends_on(nest_.loops[i].site.loop.dim)) {
                return i;
            }
        }
        return nest_.loops.size();
    }
    [[nodiscard]] std::size_t innermost_of(const Family& family) const;

  private:
    ScheduleFacts& facts_;
    const NestFacts& nest_;
    const Body& body_;
    const Sharing sharing_;
};

}  // namespace nestor
