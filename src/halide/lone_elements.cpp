#include "halide/lone_elements.h"

#include <set>

#include "halide/vector_accesses.h"

namespace nestor {

namespace ir = Halide::Internal;

namespace {

class Find : public VectorAccesses {
  public:
    std::string first;

  private:
    using VectorAccesses::visit;

    void visit(const ir::Allocate* allocation) override {
        const bool on_stack = allocation->memory_type == Halide::MemoryType::Auto ||
                              allocation->memory_type == Halide::MemoryType::Stack;
        const bool is_lone =
            on_stack && allocation->type.is_scalar() && allocation->constant_allocation_size() == 1;
        if (is_lone) {
            lone_.insert(allocation->name);
        }
        VectorAccesses::visit(allocation);
        if (is_lone) {
            lone_.erase(allocation->name);
        }
    }

    void meet(const std::string& memory, const ir::Ramp&) override {
        if (first.empty() && lone_.contains(memory)) {
            first = memory;
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
