#include "halide/changing_loops.h"

#include <utility>

namespace nestor {

using namespace Halide;
using namespace Halide::Internal;

namespace {

class Find : public IRGraphVisitor {
  public:
    Find(const std::vector<Loop>& loops, const std::string& self,
         std::map<Expr, LoopSet, ExprCompare>& known)
        : loops_(loops), self_(self), known_(known) {}

    LoopSet found = 0;

    void include(const Expr& e) override {
        if (const auto it = known_.find(e); it != known_.end()) {
            found |= it->second;
            return;
        }
        const LoopSet outside = std::exchange(found, 0);
        e.accept(this);
        known_.emplace(e, found);
        found |= outside;
    }

  protected:
    using IRGraphVisitor::visit;

    void visit(const Variable* op) override {
        for (int l = 0; l < std::ssize(loops_); l++) {
            found |= loops_[l].variable == op->name ? loop_set(l) : 0;
        }
    }

    void visit(const Call* op) override {
        IRGraphVisitor::visit(op);
        if (op->call_type == Call::Halide && op->name == self_) {
            for (int l = 0; l < std::ssize(loops_); l++) {
                found |= loop_set(l);
            }
        }
    }

  private:
    const std::vector<Loop>& loops_;
    const std::string& self_;
    std::map<Expr, LoopSet, ExprCompare>& known_;
};

}  // namespace

ChangingLoops::ChangingLoops(const std::vector<Loop>& loops, std::string self, LoopSet anyway)
    : loops_(loops), self_(std::move(self)), anyway_(anyway) {}

LoopSet ChangingLoops::of(const Expr& e) {
    Find find(loops_, self_, known_);
    find.include(e);
    return find.found | anyway_;
}

}  // namespace nestor
