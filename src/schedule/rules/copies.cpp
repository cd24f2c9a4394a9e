#include "schedule/rules/copies.h"

#include <algorithm>

#include "schedule/loops.h"

namespace nestor {

std::int64_t times(std::int64_t a, std::int64_t b) {
    return std::min(kMany, std::min(kMany, a) * std::min<std::int64_t>(1 << 20, b));
}

std::int64_t copies_around(const RuleContext& c, const LoopSite& site) {
    std::int64_t copies = 1;
    for (const LoopSite& s : c.placement.chain(site)) {
        const std::vector<StageDim> dims = c.placement.dims(s.function, s.stage);
        std::int64_t most = 1;
        for (const LoopNest* nest : c.placement.nests(s.function, s.stage)) {
            const std::vector<LoopRef> order = loop_order(*nest, dims);
            std::int64_t product = 1;
            for (const LoopRef loop : nest->unrolled) {
                if (position(order, loop) >= position(order, s.loop)) {
                    product = times(product, loop_extent(*nest, dims, loop));
                }
            }
            most = std::max(most, product);
        }
        copies = times(copies, most);
    }
    return copies;
}

InlinedSizes::InlinedSizes(const RuleContext& c, int Stage::* size)
    : c_(c), size_(size), known_(c.functions(), -1) {}

std::int64_t InlinedSizes::of(const Stage& stage) {
    std::int64_t size = stage.*size_;
    for (const Load& load : stage.loads) {
        if (load.source == Source::Function &&
            c_.placement.kind(load.index) == Placement::Kind::Inlined) {
            size = std::min(kMany, size + of_function(load.index));
        }
    }
    return size;
}

std::int64_t InlinedSizes::of_function(int f) {
    if (known_[f] < 0) {
        known_[f] = 0;
        for (const Stage& stage : c_.graph.functions[f].stages) {
            known_[f] = std::min(kMany, known_[f] + of(stage));
        }
    }
    return known_[f];
}

}  // namespace nestor
