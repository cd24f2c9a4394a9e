#include "halide/reversed_vectors.h"

namespace nestor {

namespace ir = Halide::Internal;

namespace {

class Find : public ir::IRVisitor {
  public:
    std::string first;

  private:
    using IRVisitor::visit;

    void visit(const ir::Load* load) override {
        meet(load->name, load->index);
        IRVisitor::visit(load);
    }
    void visit(const ir::Store* store) override {
        meet(store->name, store->index);
        IRVisitor::visit(store);
    }

    void meet(const std::string& name, const Halide::Expr& index) {
        const auto* ramp = index.as<ir::Ramp>();
        if (!first.empty() || ramp == nullptr) {
            return;
        }
        const auto base = ir::as_const_int(ramp->base);
        const auto stride = ir::as_const_int(ramp->stride);
        if (base && stride && *stride < 0 && *base + *stride * (ramp->lanes - 1) < 0) {
            first = name;
        }
    }
};

}  // namespace

std::string memory_before_its_beginning(const ir::Stmt& lowered) {
    Find find;
    lowered.accept(&find);
    return find.first;
}

}  // namespace nestor
