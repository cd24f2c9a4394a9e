// Everything inlined that can be, as long as definitions stay readable for the compiler.

#include "search/fusion.h"
#include "search/inlining.h"
#include "search/seeds/table.h"

namespace nestor {

Schedule inlined_seed(const PipelineDag& dag, const Machine& machine) {
    constexpr double kLargestExpansion = 500;
    return all_at_root(dag, inline_all(dag, kLargestExpansion), machine);
}

}  // namespace nestor
