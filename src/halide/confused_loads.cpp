#include "halide/confused_loads.h"

#include <set>
#include <vector>

#include "halide/apply.h"
#include "halide/baseline.h"
#include "halide/calls.h"

namespace nestor {

namespace {

using Halide::Expr;
namespace ir = Halide::Internal;

bool is_load(const ir::Call& call) {
    return call.call_type == ir::Call::Halide || call.call_type == ir::Call::Image;
}

class FindLoads : public ir::IRGraphVisitor {
  public:
    bool found = false;

  protected:
    using ir::IRGraphVisitor::visit;
    void visit(const ir::Call* call) override {
        found = found || is_load(*call);
        ir::IRGraphVisitor::visit(call);
    }
};

/** Loads whose coordinates contain loads, or calls that may be inlined. */
class FindGathers : public ir::IRGraphVisitor {
  public:
    bool found = false;

  protected:
    using ir::IRGraphVisitor::visit;
    void visit(const ir::Call* call) override {
        FindLoads loads;
        for (const Expr& arg : call->args) {
            arg.accept(&loads);
        }
        found = found || (is_load(*call) && loads.found);
        ir::IRGraphVisitor::visit(call);
    }
};

bool has_gathers(const Environment& functions) {
    FindGathers gathers;
    for (const auto& [name, function] : functions) {
        function.accept(&gathers);
    }
    return gathers.found;
}

/** Loads of the same memory, each taking every n-th element along a variable. */
class StridedLoads : public ir::IRGraphVisitor {
  public:
    StridedLoads(const Environment& functions, const std::string& variable)
        : functions_(functions), variable_(variable) {}

    std::set<std::string> names;

  protected:
    using ir::IRGraphVisitor::visit;
    void visit(const ir::Call* call) override {
        if (is_load(*call) && is_strided(*call)) {
            names.insert(call->name);
        }
        ir::IRGraphVisitor::visit(call);
    }

  private:
    /** Dimension whose elements lie side by side; -1 if that is not known. */
    [[nodiscard]] int innermost(const ir::Call& call) const {
        if (call.call_type == ir::Call::Image) {
            for (int d = 0; call.param.defined() && d < call.param.dimensions(); d++) {
                if (ir::is_const_one(call.param.stride_constraint(d))) {
                    return d;
                }
            }
            return call.param.defined() ? -1 : 0;
        }
        const auto function = functions_.find(call.name);
        if (function == functions_.end() || function->second.schedule().storage_dims().empty()) {
            return -1;
        }
        const std::string& inner = function->second.schedule().storage_dims().front().var;
        const std::vector<std::string> args = function->second.args();
        for (std::size_t d = 0; d < args.size(); d++) {
            if (args[d] == inner) {
                return static_cast<int>(d);
            }
        }
        return -1;
    }

    [[nodiscard]] bool is_strided(const ir::Call& call) const {
        const int dense = innermost(call);
        for (int d = 0; d < static_cast<int>(call.args.size()); d++) {
            const Expr& at = call.args[static_cast<std::size_t>(d)];
            const Expr next =
                ir::substitute(variable_, ir::Variable::make(Halide::Int(32), variable_) + 1, at);
            const Expr step = ir::simplify(next - at);
            const auto rate = ir::as_const_int(step);
            if (rate && *rate == 0) {
                continue;
            }
            if (d != dense || (rate && (*rate < -1 || *rate > 1))) {
                return true;
            }
        }
        return false;
    }

    const Environment& functions_;
    const std::string& variable_;
};

/** Operations with strided loads of one memory on both sides, in what is a coordinate. */
class FindConfusion : public ir::IRGraphVisitor {
  public:
    FindConfusion(const Environment& functions, const std::string& variable)
        : functions_(functions), variable_(variable) {}

    bool found = false;

    void coordinate(const Expr& e) { include(e); }

  protected:
    using ir::IRGraphVisitor::visit;
    void visit(const ir::Sub* op) override { both(op); }
    void visit(const ir::Mod* op) override { both(op); }
    void visit(const ir::Div* op) override { both(op); }
    void visit(const ir::EQ* op) override { both(op); }
    void visit(const ir::NE* op) override { both(op); }
    void visit(const ir::LT* op) override { both(op); }
    void visit(const ir::LE* op) override { both(op); }
    void visit(const ir::GT* op) override { both(op); }
    void visit(const ir::GE* op) override { both(op); }

  private:
    template <class Operation>
    void both(const Operation* op) {
        StridedLoads left(functions_, variable_);
        op->a.accept(&left);
        if (!left.names.empty()) {
            StridedLoads right(functions_, variable_);
            op->b.accept(&right);
            for (const std::string& name : left.names) {
                found = found || right.names.contains(name);
            }
        }
        include(op->a);
        include(op->b);
    }

    const Environment& functions_;
    const std::string& variable_;
};

/** The coordinates of all loads in a value. What is in a coordinate is left to `find`. */
class VisitCoordinates : public ir::IRGraphVisitor {
  public:
    explicit VisitCoordinates(FindConfusion& find) : find_(find) {}

  protected:
    using ir::IRGraphVisitor::visit;
    void visit(const ir::Call* call) override {
        if (!is_load(*call)) {
            ir::IRGraphVisitor::visit(call);
            return;
        }
        for (const Expr& arg : call->args) {
            find_.coordinate(arg);
        }
    }

  private:
    FindConfusion& find_;
};

/** Variables of the definition that the vectorised loops run over. */
std::set<std::string> vector_variables(const ir::Definition& definition) {
    std::set<std::string> variables;
    for (const ir::Dim& dim : definition.schedule().dims()) {
        if (dim.for_type == ir::ForType::Vectorized) {
            variables.insert(dim.var);
        }
    }
    // Later splits act on what earlier ones made.
    const std::vector<ir::Split>& splits = definition.schedule().splits();
    for (auto split = splits.rbegin(); split != splits.rend(); ++split) {
        if (split->split_type == ir::Split::FuseVars) {
            if (variables.contains(split->old_var)) {
                variables.insert({split->outer, split->inner});
            }
        } else if (variables.contains(split->outer) || variables.contains(split->inner)) {
            variables.insert(split->old_var);
        }
    }
    return variables;
}

class Search {
  public:
    explicit Search(const Environment& functions) : functions_(functions) {}

    [[nodiscard]] bool confused(const HalideFunction& function) const {
        if (!function.has_pure_definition()) {
            return false;
        }
        if (confused(function.definition())) {
            return true;
        }
        for (const ir::Definition& update : function.updates()) {
            if (confused(update)) {
                return true;
            }
        }
        return false;
    }

  private:
    [[nodiscard]] bool confused(const ir::Definition& definition) const {
        for (const std::string& variable : vector_variables(definition)) {
            FindConfusion find(functions_, variable);
            for (const Expr& arg : definition.args()) {
                find.coordinate(inlined(arg));
            }
            for (const Expr& value : definition.values()) {
                VisitCoordinates coordinates(find);
                inlined(value).accept(&coordinates);
            }
            if (find.found) {
                return true;
            }
        }
        for (const ir::Specialization& special : definition.specializations()) {
            if (confused(special.definition)) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] Expr inlined(Expr e) const {
        for (bool changed = true; changed;) {
            changed = false;
            CountCalls count;
            e.accept(&count);
            for (const auto& [callee, times] : count.calls) {
                const auto function = functions_.find(callee.first);
                if (function != functions_.end() && is_inlined(function->second)) {
                    e = ir::inline_function(e, function->second);
                    changed = true;
                }
            }
        }
        return e;
    }

    const Environment& functions_;
};

}  // namespace

std::string function_with_confused_loads(const Halide::Pipeline& scheduled) {
    const Halide::Pipeline copy = deep_copy(scheduled);  // levels are inspected once locked
    const Environment functions = locked_environment(copy);
    if (!has_gathers(functions)) {
        return {};
    }
    const Search search(functions);
    for (const auto& [name, function] : functions) {
        if (!is_inlined(function) && search.confused(function)) {
            return name;
        }
    }
    return {};
}

}  // namespace nestor
