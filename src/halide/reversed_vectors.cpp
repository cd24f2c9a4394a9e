#include "halide/reversed_vectors.h"

#include "halide/vector_accesses.h"

namespace nestor {

namespace ir = Halide::Internal;

namespace {

class Find : public VectorAccesses {
  public:
    std::string first;

  private:
    void meet(const std::string& memory, const ir::Ramp& index) override {
        const auto base = ir::as_const_int(index.base);
        const auto stride = ir::as_const_int(index.stride);
        if (first.empty() && base && stride && *stride < 0 &&
            *base + *stride * (index.lanes - 1) < 0) {
            first = memory;
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
