#include "halide/selectors.h"

#include <algorithm>

#include "halide/calls.h"

namespace nestor {

using namespace Halide;
using namespace Halide::Internal;

namespace {

// Without the casts that keep its value.
Expr uncast(Expr e) {
    const Cast* cast = e.as<Cast>();
    while (cast != nullptr && cast->type.can_represent(cast->value.type()) &&
           cast->type.is_int_or_uint() && cast->value.type().is_int_or_uint()) {
        e = cast->value;
        cast = e.as<Cast>();
    }
    return e;
}

std::optional<std::int64_t> constant_of(const Expr& e) {
    if (const std::optional<std::int64_t> value = as_const_int(e)) {
        return value;
    }
    const auto value = as_const_uint(e);
    return value && *value <= INT32_MAX ? std::optional(static_cast<std::int64_t>(*value))
                                        : std::nullopt;
}

// A comparison for equality with a constant.
struct Comparison {
    Expr operand;
    std::int64_t value = 0;
};

std::optional<Comparison> comparison(const Expr& a, const Expr& b) {
    if (const auto value = constant_of(b)) {
        return Comparison{uncast(a), *value};
    }
    if (const auto value = constant_of(a)) {
        return Comparison{uncast(b), *value};
    }
    return std::nullopt;
}

class Collector : public IRGraphVisitor {
  public:
    explicit Collector(const PipelineParts& parts) : parts_(parts) {}

    std::vector<FoundSelector> found;

  protected:
    using IRGraphVisitor::visit;

    void visit(const EQ* op) override {
        compared(op->a, op->b);
        IRGraphVisitor::visit(op);
    }
    void visit(const NE* op) override {
        compared(op->a, op->b);
        IRGraphVisitor::visit(op);
    }
    void visit(const Variable* op) override { boolean(op); }
    void visit(const Call* op) override {
        if (op->is_intrinsic(Call::mux)) {
            const Expr operand = uncast(op->args[0]);
            for (std::int64_t i = 0; i + 2 < static_cast<std::int64_t>(op->args.size()); i++) {
                add(operand, i);
            }
        }
        boolean(op);
        IRGraphVisitor::visit(op);
    }

  private:
    void compared(const Expr& a, const Expr& b) {
        if (const auto found_comparison = comparison(a, b)) {
            add(found_comparison->operand, found_comparison->value);
        }
    }

    void boolean(const Expr& e) {
        if (e.type().is_bool()) {
            add(e, 1);
        }
    }

    void add(const Expr& operand, std::int64_t value) {
        const auto known = std::ranges::find_if(
            found, [&](const FoundSelector& each) { return equal(each.operand, operand); });
        if (known != found.end()) {
            std::vector<std::int64_t>& values = known->selector.values;
            if (std::ranges::count(values, value) == 0) {
                values.insert(std::ranges::lower_bound(values, value), value);
            }
            return;
        }
        if (std::optional<Selector> selector = selector_of(operand)) {
            selector->values = {value};
            found.push_back({std::move(*selector), operand});
        }
    }

    // A scalar parameter, or an input at a constant place.
    [[nodiscard]] std::optional<Selector> selector_of(const Expr& operand) const {
        const Type type = operand.type();
        if (!type.is_scalar() || !type.is_int_or_uint() || type.bits() > 32) {
            return std::nullopt;
        }
        Selector selector;
        selector.type = {type.is_uint() ? TypeKind::UInt : TypeKind::Int, type.bits()};
        if (const auto* variable = operand.as<Variable>()) {
            const auto scalar = std::ranges::find_if(
                parts_.scalars, [&](const Parameter& p) { return p.name() == variable->name; });
            if (!variable->param.defined() || scalar == parts_.scalars.end()) {
                return std::nullopt;
            }
            selector.scalar = static_cast<int>(scalar - parts_.scalars.begin());
            return selector;
        }
        const Call* call = operand.as<Call>();
        if (call == nullptr || call->call_type != Call::Halide ||
            !is_input_wrapper(parts_.functions.at(call->name))) {
            return std::nullopt;
        }
        selector.function = parts_.index(call->name);
        for (const Expr& arg : call->args) {
            const std::optional<std::int64_t> at = constant_of(arg);
            if (!at) {
                return std::nullopt;
            }
            selector.at.push_back(*at);
        }
        return selector;
    }

    const PipelineParts& parts_;
};

class Choose : public IRGraphMutator {
  public:
    Choose(const FoundSelector& found, std::optional<std::int64_t> value)
        : found_(found), value_(value) {}

  protected:
    using IRGraphMutator::visit;

    Expr visit(const EQ* op) override {
        const std::optional<bool> holds = decided(op->a, op->b);
        return holds ? make_bool(*holds) : IRGraphMutator::visit(op);
    }
    Expr visit(const NE* op) override {
        const std::optional<bool> holds = decided(op->a, op->b);
        return holds ? make_bool(!*holds) : IRGraphMutator::visit(op);
    }
    Expr visit(const Variable* op) override {
        return is_flag(op) ? make_bool(value_.has_value()) : IRGraphMutator::visit(op);
    }
    Expr visit(const Call* op) override {
        if (is_flag(op)) {
            return make_bool(value_.has_value());
        }
        if (!op->is_intrinsic(Call::mux) || !equal(uncast(op->args[0]), found_.operand)) {
            return IRGraphMutator::visit(op);
        }
        const auto last = static_cast<std::int64_t>(op->args.size()) - 2;
        const std::int64_t arm = value_ && *value_ >= 0 ? std::min(*value_, last) : last;
        return mutate(op->args[static_cast<std::size_t>(arm) + 1]);
    }

  private:
    [[nodiscard]] bool is_flag(const Expr& e) const {
        return e.type().is_bool() && equal(e, found_.operand);
    }

    [[nodiscard]] std::optional<bool> decided(const Expr& a, const Expr& b) const {
        const std::optional<Comparison> compared = comparison(a, b);
        if (!compared || !equal(compared->operand, found_.operand)) {
            return std::nullopt;
        }
        return value_ == compared->value;
    }

    const FoundSelector& found_;
    const std::optional<std::int64_t> value_;
};

}  // namespace

std::vector<FoundSelector> find_selectors(const PipelineParts& parts,
                                          const std::vector<Expr>& values) {
    Collector collector(parts);
    for (const Expr& value : values) {
        value.accept(&collector);
    }
    return std::move(collector.found);
}

std::vector<Expr> when_selected(const std::vector<Expr>& values, const FoundSelector& found,
                                std::optional<std::int64_t> value) {
    std::vector<Expr> chosen;
    Choose choose(found, value);
    for (const Expr& each : values) {
        chosen.push_back(simplify(choose.mutate(each)));
    }
    return chosen;
}

}  // namespace nestor
