#include "halide/undefined_names.h"

#include <string_view>
#include <unordered_map>

namespace nestor {

using Halide::Expr;
namespace ir = Halide::Internal;

namespace {

class FindUndefined : public ir::IRVisitor {
  public:
    std::string first;

  private:
    using IRVisitor::visit;

    void visit(const ir::Variable* v) override {
        // The buffers of inputs and outputs are arguments, as are scalar parameters.
        const bool argument = v->param.defined() || v->image.defined() ||
                              std::string_view(v->name).ends_with(".buffer") ||
                              v->name == "__user_context";
        if (!argument) {
            use(v->name);
        }
    }
    void visit(const ir::Load* load) override {
        if (!load->image.defined() && !load->param.defined()) {
            use(load->name);
        }
        IRVisitor::visit(load);
    }
    void visit(const ir::Store* store) override {
        if (!store->param.defined()) {
            use(store->name);
        }
        IRVisitor::visit(store);
    }

    void visit(const ir::Let* let) override {
        let->value.accept(this);
        within(let->name, [&] { let->body.accept(this); });
    }
    void visit(const ir::LetStmt* let) override {
        let->value.accept(this);
        within(let->name, [&] { let->body.accept(this); });
    }
    void visit(const ir::For* loop) override {
        loop->min.accept(this);
        loop->extent.accept(this);
        within(loop->name, [&] { loop->body.accept(this); });
    }
    void visit(const ir::Allocate* allocation) override {
        for (const Expr& extent : allocation->extents) {
            extent.accept(this);
        }
        allocation->condition.accept(this);
        if (allocation->new_expr.defined()) {
            allocation->new_expr.accept(this);
        }
        within(allocation->name, [&] { allocation->body.accept(this); });
    }

    template <class Visit>
    void within(const std::string& name, const Visit& visit_body) {
        int& definitions = defined_[name];  // references into a map of nodes stay valid
        definitions++;
        visit_body();
        definitions--;
    }

    void use(const std::string& name) {
        const auto found = defined_.find(name);
        if (first.empty() && (found == defined_.end() || found->second == 0)) {
            first = name;
        }
    }

    std::unordered_map<std::string, int> defined_;
};

}  // namespace

std::string undefined_name(const ir::Stmt& lowered) {
    FindUndefined find;
    lowered.accept(&find);
    return find.first;
}

}  // namespace nestor
