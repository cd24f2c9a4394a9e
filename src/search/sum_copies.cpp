#include "search/sum_copies.h"

#include <algorithm>
#include <utility>

#include "search/inlining.h"
#include "search/pointwise.h"

namespace nestor {

namespace {

bool is_sum(const Function& f) {
    double work = 0;
    for (const Stage& stage : f.stages) {
        if (stage.index > 0 &&
            (!stage.reads_itself || !has_reduction(stage) || !stores_at_its_variables(f, stage))) {
            return false;
        }
        work = std::max(work, iterations(stage));
    }
    return f.stages.size() > 1 && !f.stages.front().undefined && may_be_arranged(f) &&
           work >= kLeastWork;
}

// Blocks and vectors of a stage of a function as another one has them, along its dimensions.
void follow(const Function& f, const Stage& from, const NestPlan& theirs, const Stage& stage,
            NestPlan& nest) {
    nest.vector_dim = -1;
    nest.lanes = 1;
    for (int d = 0; d < f.dimensions(); d++) {
        const int their_loop = loop_along(from, d);
        const int loop = loop_along(stage, d);
        if (their_loop < 0 || loop < 0) {
            continue;
        }
        nest.block[loop] = theirs.block[their_loop];
        nest.tile[loop] = theirs.tile[their_loop];
        if (theirs.vector_dim == their_loop) {
            nest.vector_dim = loop;
            nest.lanes = theirs.lanes;
        }
    }
    nest.short_outside = theirs.short_outside;
    nest.in_slabs = theirs.in_slabs;
    nest.task = theirs.task;
}

}  // namespace

std::optional<Replacements> copies_of_sums(const PipelineDag& dag) {
    std::vector<Derivation> derivations;
    for (int f = 0; f < std::ssize(dag.functions); f++) {
        if (is_sum(dag.functions[f]) && !sole_reading(dag, f) && may_be_replaced(dag, f)) {
            Derivation derivation;
            derivation.kind = Derivation::Kind::Wrapper;
            derivation.parent = f;
            derivations.push_back(std::move(derivation));
        }
    }
    return replaced(dag, derivations);
}

Plan carry_over(const PipelineDag& dag, const Variant& variant, const std::vector<int>& sums,
                const Plan& plan, const Plan& start) {
    Plan result = variant.in_graph(plan, start);
    for (std::size_t i = 0; i < sums.size(); i++) {
        const int f = sums[i];
        const Function& sum = dag.functions[f];
        const int copied = variant.in_graph(static_cast<int>(dag.functions.size() + i));
        // What was computed in the loops of a sum is computed in those of its copy.
        for (FunctionPlan& each : result.functions) {
            for (Spot* spot : {&each.compute, &each.store}) {
                if (spot->function == variant.in_graph(f)) {
                    spot->function = copied;
                    spot->stage = 0;
                }
            }
        }
        FunctionPlan& mine = result.functions[variant.in_graph(f)];
        FunctionPlan& copy = result.functions[copied];
        const NestPlan last = mine.stages.back();
        copy.place = mine.place;
        copy.compute = mine.compute;
        copy.store = mine.store;
        copy.modulus = mine.modulus;
        copy.dense = mine.dense;
        follow(sum, sum.stages.back(), last, variant.graph().functions[copied].stages[0],
               copy.stages[0]);
        compute_at({copied, 0, SiteKind::Inner}, mine);
        for (const Stage& stage : sum.stages) {
            follow(sum, sum.stages.back(), last, stage, mine.stages[stage.index]);
        }
    }
    return result;
}

}  // namespace nestor
