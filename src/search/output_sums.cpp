#include "search/output_sums.h"

#include <algorithm>
#include <vector>

#include "search/inlining.h"
#include "search/plan.h"
#include "search/pointwise.h"

namespace nestor {

namespace {

constexpr std::int64_t kFewestSteps = 4;  // that share a load and a store of the output

bool is_long_sum(const Function& f, const Stage& stage) {
    std::int64_t steps = 1;
    for (const Loop& loop : stage.loops) {
        steps *= loop.is_reduction() ? loop.range.extent : 1;
    }
    return stage.associative && stage.commutative && stage.reads_itself && steps >= kFewestSteps &&
           iterations(stage) >= kLeastWork && stores_at_its_variables(f, stage);
}

}  // namespace

std::optional<Variant> sums_before_outputs(const PipelineDag& dag) {
    std::vector<Derivation> derivations;
    for (const int output : dag.outputs) {
        const Function& f = dag.functions[output];
        if (f.pinned || f.is_extern || f.stages.front().undefined) {
            continue;
        }
        for (const Stage& stage : f.stages) {
            if (stage.index > 0 && is_long_sum(f, stage)) {
                Derivation derivation;
                derivation.kind = Derivation::Kind::Rfactor;
                derivation.parent = output;
                derivation.stage = stage.index;
                derivations.push_back(std::move(derivation));
            }
        }
    }
    if (derivations.empty()) {
        return std::nullopt;
    }
    return Variant(dag, derivations);
}

}  // namespace nestor
