#include "halide/compiling.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "halide/errors.h"
#include "halide/lower.h"

namespace nestor {

namespace ir = Halide::Internal;

namespace {

class InnermostLoops : public ir::IRVisitor {
  public:
    explicit InnermostLoops(const Halide::Target& target)
        : vector_bits_(8 * target.natural_vector_size<std::uint8_t>()) {}

    std::int64_t most_pairs = 0;

  private:
    using ir::IRVisitor::visit;

    void visit(const ir::For* loop) override {
        loads_ = stores_ = 0;
        has_loops_ = false;
        ir::IRVisitor::visit(loop);
        if (!has_loops_) {
            most_pairs = std::max(most_pairs, loads_ * stores_);
        }
        has_loops_ = true;
    }

    void visit(const ir::Load* load) override {
        loads_ += vectors(load->type, load->index);
        ir::IRVisitor::visit(load);
    }

    void visit(const ir::Store* store) override {
        stores_ += vectors(store->value.type(), store->index);
        ir::IRVisitor::visit(store);
    }

    [[nodiscard]] std::int64_t vectors(const Halide::Type& type, const Halide::Expr& index) const {
        const auto* ramp = index.as<ir::Ramp>();
        const std::optional<std::int64_t> stride =
            ramp != nullptr ? ir::as_const_int(ramp->stride) : std::nullopt;
        if (!stride || *stride < 1) {
            return type.lanes();
        }
        const std::int64_t bits = *stride * type.bits() * type.lanes();
        return std::min<std::int64_t>((bits + vector_bits_ - 1) / vector_bits_, type.lanes());
    }

    std::int64_t vector_bits_;
    // Of the innermost loop that is being visited:
    std::int64_t loads_ = 0;
    std::int64_t stores_ = 0;
    bool has_loops_ = false;
};

}  // namespace

std::int64_t most_access_pairs(const ir::Stmt& lowered, const Halide::Target& target) {
    InnermostLoops loops(target);
    lowered.accept(&loops);
    return loops.most_pairs;
}

Status compile_away(const Halide::Pipeline& pipeline, const Halide::Target& target) {
    return catching("compiling failed", [&]() -> Status {
        Halide::Pipeline(pipeline).compile_to_object(
            "/dev/null", arguments(pipeline), "nestor_compiled",
            target.with_feature(Halide::Target::NoRuntime));
        return Ok{};
    });
}

}  // namespace nestor
