// Cheap functions inlined, everything else at root, vectors and parallel strips.

#include "search/fusion.h"
#include "search/inlining.h"
#include "search/seeds/table.h"

namespace nestor {

Schedule root_seed(const PipelineDag& dag, const Machine& machine) {
    return all_at_root(dag, choose_inlined(dag), machine);
}

}  // namespace nestor
