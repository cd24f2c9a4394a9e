#include "halide/lone_elements.h"

#include <set>

namespace nestor {

namespace ir = Halide::Internal;

namespace {

class Find : public ir::IRVisitor {
  public:
    std::string first;

  private:
    using IRVisitor::visit;

    void visit(const ir::Allocate* allocation) override {
        const bool on_stack = allocation->memory_type == Halide::MemoryType::Auto ||
                              allocation->memory_type == Halide::MemoryType::Stack;
        const bool is_lone =
            on_stack && allocation->type.is_scalar() && allocation->constant_allocation_size() == 1;
        if (is_lone) {
            lone_.insert(allocation->name);
        }
        IRVisitor::visit(allocation);
        if (is_lone) {
            lone_.erase(allocation->name);
        }
    }
    void visit(const ir::Load* load) override {
        meet(load->name, load->index);
        IRVisitor::visit(load);
    }
    void visit(const ir::Store* store) override {
        meet(store->name, store->index);
        IRVisitor::visit(store);
    }

    void meet(const std::string& name, const Halide::Expr& index) {
        if (first.empty() && index.as<ir::Ramp>() != nullptr && lone_.contains(name)) {
            first = name;
        }
    }

    std::set<std::string> lone_;
};

}  // namespace

std::string lone_element_as_vector(const ir::Stmt& lowered) {
    Find find;
    lowered.accept(&find);
    return find.first;
}

}  // namespace nestor
