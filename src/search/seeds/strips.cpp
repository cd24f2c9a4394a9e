// Outputs in parallel strips of rows; producers slide down each strip, a row at a time.

#include "search/fusion.h"
#include "search/inlining.h"
#include "search/seeds/table.h"

namespace nestor {

Schedule strips_seed(const PipelineDag& dag, const Machine& machine) {
    FusionOptions options;
    options.shape = {0, 64};
    options.slide = true;
    return fuse(dag, choose_inlined(dag), machine, options);
}

}  // namespace nestor
