#include "plugin/proposal_order.h"

#include <algorithm>
#include <functional>

#include "schedule/legality.h"

namespace nestor {

bool has_less_code(const PipelineDag& dag, const Proposal& a, const Proposal& b) {
    return code_size(dag, a.schedule) < code_size(dag, b.schedule);
}

void put_off_larger(const PipelineDag& dag, std::size_t tried, std::vector<Proposal>& proposals) {
    const Proposal& endless = proposals[tried];
    const auto next = proposals.begin() + static_cast<std::ptrdiff_t>(tried) + 1;
    const auto seed = std::find_if(next, proposals.end(), std::mem_fn(&Proposal::is_seed));
    std::stable_partition(next, seed,
                          [&](const Proposal& each) { return has_less_code(dag, each, endless); });
}

}  // namespace nestor
