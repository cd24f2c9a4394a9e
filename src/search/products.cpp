#include "search/products.h"

#include <algorithm>
#include <vector>

namespace nestor {

namespace {

// Along a dimension of the points, not the steps.
bool changes_alone(const Stage& stage, const Load& one, const Load& other) {
    for (int l = 0; l < std::ssize(stage.loops); l++) {
        if (!stage.loops[l].is_reduction() && change_with(one.coords, l) &&
            !change_with(other.coords, l)) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool changes_with_reduction(const Stage& stage, const Load& load) {
    for (int l = 0; l < std::ssize(stage.loops); l++) {
        if (stage.loops[l].is_reduction() && change_with(load.coords, l)) {
            return true;
        }
    }
    return false;
}

bool is_product(const Stage& stage) {
    if (!stage.reads_itself) {
        return false;
    }
    std::vector<const Load*> factors;
    for (const Load& load : stage.loads) {
        if (changes_with_reduction(stage, load)) {
            factors.push_back(&load);
        }
    }
    return std::ranges::any_of(factors, [&](const Load* one) {
        return std::ranges::any_of(factors, [&](const Load* other) {
            return changes_alone(stage, *one, *other) && changes_alone(stage, *other, *one);
        });
    });
}

bool has_products(const PipelineDag& dag) {
    return std::ranges::any_of(
        dag.functions, [](const Function& f) { return std::ranges::any_of(f.stages, is_product); });
}

}  // namespace nestor
