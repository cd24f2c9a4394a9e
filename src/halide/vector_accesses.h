#pragma once
// A walk over all loads and stores of a lowered program whose elements are at even distances.

#include <string>

#include "halide/halide.h"

namespace nestor {

class VectorAccesses : public Halide::Internal::IRVisitor {
  protected:
    using IRVisitor::visit;

    virtual void meet(const std::string& memory, const Halide::Internal::Ramp& index) = 0;

    void visit(const Halide::Internal::Load* load) override {
        meet_if_even(load->name, load->index);
        IRVisitor::visit(load);
    }
    void visit(const Halide::Internal::Store* store) override {
        meet_if_even(store->name, store->index);
        IRVisitor::visit(store);
    }

  private:
    void meet_if_even(const std::string& memory, const Halide::Expr& index) {
        if (const auto* ramp = index.as<Halide::Internal::Ramp>()) {
            meet(memory, *ramp);
        }
    }
};

}  // namespace nestor
