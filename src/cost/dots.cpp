#include "cost/dots.h"

namespace nestor {

namespace {

constexpr int kBytes = 4;  // that one instruction sums
constexpr int kWords = 2;

bool sums_bytes(const Machine& machine, const NarrowProduct& product) {
    return product.a.bits == 8 && product.b.bits == 8 &&
           machine.sums_bytes(product.a.kind == TypeKind::Int, product.b.kind == TypeKind::Int);
}

}  // namespace

DotWork dot_work(const Machine& machine, const Stage& stage, int steps) {
    DotWork work;
    if (!stage.product || steps % kWords != 0) {
        work.ops.add(stage.ops, static_cast<float>(steps));
        return work;
    }
    const NarrowProduct& product = *stage.product;
    const bool bytes = steps % kBytes == 0 && sums_bytes(machine, product);
    const int at_once = bytes ? kBytes : kWords;  // it divides them
    const float instructions = static_cast<float>(steps) / static_cast<float>(at_once);
    work.type = bytes ? ElementType::Int8 : ElementType::Int16;
    work.elements = at_once;
    work.widens = !bytes;
    work.ops.add(Arithmetic::DotProduct, work.type, kAllLoops, instructions);
    work.ops.add(product.ops, instructions);
    return work;
}

std::vector<int> dot_steps(const Machine& machine, const Stage& stage) {
    if (!stage.product) {
        return {};
    }
    return sums_bytes(machine, *stage.product) ? std::vector{kBytes, kWords} : std::vector{kWords};
}

}  // namespace nestor
