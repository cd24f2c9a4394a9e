#include "search/sum_copies.h"

#include <algorithm>
#include <utility>

#include "search/inlining.h"
#include "search/pointwise.h"

namespace nestor {

namespace {

constexpr double kLeastWork = 50'000;  // points of a reduction for which the code pays

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

bool is_read_by_point(const PipelineDag& dag, int function) {
    const Function& f = dag.functions[function];
    return f.consumers.size() == 1 &&
           pointwise_reading(dag.functions[f.consumers[0]], function, f.dimensions()).has_value();
}

bool may_have_copies(const PipelineDag& dag, int function) {
    return std::ranges::none_of(dag.functions[function].consumers, [&](int consumer) {
        return dag.functions[consumer].pinned || dag.functions[consumer].is_extern;
    });
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

std::optional<SumCopies> copies_of_sums(const PipelineDag& dag) {
    std::vector<Derivation> derivations;
    std::vector<int> sums;
    for (int f = 0; f < std::ssize(dag.functions); f++) {
        if (is_sum(dag.functions[f]) && !is_read_by_point(dag, f) && may_have_copies(dag, f)) {
            Derivation derivation;
            derivation.kind = Derivation::Kind::Wrapper;
            derivation.parent = f;
            derivations.push_back(std::move(derivation));
            sums.push_back(f);
        }
    }
    if (sums.empty()) {
        return std::nullopt;
    }
    return SumCopies{Variant(dag, derivations), std::move(sums)};
}

Plan carry_over(const PipelineDag& dag, const Variant& variant, const std::vector<int>& sums,
                const Plan& plan, const Plan& start) {
    const auto copy_of = [&](int function) {
        const auto sum = std::ranges::find(sums, function);
        return sum == sums.end() ? -1
                                 : variant.in_graph(static_cast<int>(std::ssize(dag.functions) +
                                                                     (sum - sums.begin())));
    };
    Plan result = start;
    for (int f = 0; f < std::ssize(dag.functions); f++) {
        FunctionPlan mine = plan.functions[f];
        // What was computed in the loops of a sum is computed in those of its copy.
        for (Spot* spot : {&mine.compute, &mine.store}) {
            if (spot->function >= 0) {
                const int copy = copy_of(spot->function);
                spot->stage = copy >= 0 ? 0 : spot->stage;
                spot->function = copy >= 0 ? copy : variant.in_graph(spot->function);
            }
        }
        result.functions[variant.in_graph(f)] = std::move(mine);
    }
    for (const int f : sums) {
        const Function& sum = dag.functions[f];
        const int copied = copy_of(f);
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
        mine.place = Place::At;
        mine.compute = mine.store = {copied, 0, SiteKind::Inner};
        mine.modulus.assign(mine.modulus.size(), 1);
        for (const Stage& stage : sum.stages) {
            follow(sum, sum.stages.back(), last, stage, mine.stages[stage.index]);
        }
    }
    return result;
}

}  // namespace nestor
