#include "plugin/proposal_order.h"

#include <algorithm>

#include "schedule/legality.h"

namespace nestor {

void put_off_larger(const PipelineDag& dag, std::size_t tried,
                    std::vector<const Proposal*>& order) {
    const std::int64_t endless = code_size(dag, order[tried]->schedule);
    const auto next = order.begin() + static_cast<std::ptrdiff_t>(tried) + 1;
    const auto seed = std::find_if(next, order.end(), [](const Proposal* p) { return p->is_seed; });
    std::stable_partition(next, seed,
                          [&](const Proposal* p) { return code_size(dag, p->schedule) < endless; });
}

}  // namespace nestor
