#include "cost/body_families.h"

namespace nestor {

BodyFamilies::BodyFamilies(ScheduleFacts& facts, const NestFacts& nest, const Body& body)
    : facts_(facts), nest_(nest), body_(body), sharing_(facts, nest, body) {}

ElementType BodyFamilies::type_of(const Family& family) const {
    return family.source == Source::Input
               ? facts_.graph().inputs[family.index].type.element()
               : facts_.graph().functions[family.index].types[family.value].element();
}

double BodyFamilies::lanes_of(const Family& family) const {
    const bool all_steps = body_.dot_dim >= 0 && family.depends_on(body_.dot_dim);
    return (body_.vector_dim >= 0 && family.depends_on(body_.vector_dim) ? body_.lanes : 1) *
           (all_steps ? body_.steps_in_vector : 1);
}

double BodyFamilies::vectors_of(const Family& family) const {
    return instructions(facts_.machine(), type_of(family), lanes_of(family)).count;
}

double BodyFamilies::distinct(const Family& family) const {
    return family.distinct(body_.copies, kAllLoops, sharing_.apart(family));
}

std::size_t BodyFamilies::innermost_of(const Family& family) const {
    return innermost_of([&](int dim) { return family.depends_on(dim); });
}

}  // namespace nestor
