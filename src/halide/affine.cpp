#include "halide/affine.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace nestor {

using namespace Halide;
using namespace Halide::Internal;

namespace {

// sum(rates * loops) + [lo, hi]
struct Affine {
    bool known = false;
    bool clamped = false;
    std::vector<double> rates;
    std::vector<bool> clamped_loops;
    std::vector<Steps> steps;
    double lo = 0, hi = 0;

    [[nodiscard]] bool varies() const {
        return std::any_of(rates.begin(), rates.end(), [](double r) { return r != 0; });
    }
    [[nodiscard]] bool is_constant() const { return known && !varies() && lo == hi; }
};

class Analysis {
  public:
    /** `usually`: what a select between the interior and a border yields counts as the interior. */
    Analysis(const std::vector<Loop>& loops, bool usually) : loops_(loops), usually_(usually) {}

    // A coordinate is a graph: the memo keeps shared subexpressions from being read again and
    // again.
    Affine of(const Expr& e) {
        const auto it = memo_.find(e);
        if (it != memo_.end()) {
            return it->second;
        }
        const Affine result = compute(e);
        memo_.emplace(e, result);
        return result;
    }

  private:
    Affine compute(const Expr& e) {
        if (const auto value = as_const_int(e)) {
            return constant(static_cast<double>(*value));
        }
        if (const auto value = as_const_uint(e)) {
            return constant(static_cast<double>(*value));
        }
        if (const auto value = as_const_float(e)) {
            return constant(*value);
        }
        if (const auto* op = e.as<Variable>()) {
            return variable(op->name);
        }
        if (const auto* op = e.as<Cast>()) {
            return convert(of(op->value), op->value.type(), op->type);
        }
        if (const auto* op = e.as<Add>()) {
            return add(of(op->a), of(op->b), 1);
        }
        if (const auto* op = e.as<Sub>()) {
            return add(of(op->a), of(op->b), -1);
        }
        if (const auto* op = e.as<Mul>()) {
            return multiply(of(op->a), of(op->b));
        }
        if (const auto* op = e.as<Div>()) {
            return divide(of(op->a), of(op->b), e.type().is_float());
        }
        return compute_rest(e);
    }

    Affine compute_rest(const Expr& e) {
        if (const auto* op = e.as<Mod>()) {
            return modulo(of(op->a), of(op->b));
        }
        if (const auto* op = e.as<Min>()) {
            return clamp(of(op->a), of(op->b));
        }
        if (const auto* op = e.as<Max>()) {
            return clamp(of(op->a), of(op->b));
        }
        if (const auto* op = e.as<Select>()) {
            if (usually_ && (is_likely(op->true_value) || is_likely(op->false_value))) {
                return of(is_likely(op->true_value) ? op->true_value : op->false_value);
            }
            return either(of(op->true_value), of(op->false_value));
        }
        if (const auto* op = e.as<Call>()) {
            return call(op);
        }
        return {};
    }

    // Boundary conditions tag the interior.
    static bool is_likely(const Expr& e) {
        class Find : public IRGraphVisitor {
          public:
            bool found = false;

          protected:
            using IRGraphVisitor::visit;
            void visit(const Call* op) override {
                found = found || op->is_intrinsic({Call::likely, Call::likely_if_innermost});
                IRGraphVisitor::visit(op);
            }
        } find;
        e.accept(&find);
        return find.found;
    }

    [[nodiscard]] Affine constant(double value) const {
        return {true,
                false,
                std::vector<double>(loops_.size(), 0.0),
                std::vector<bool>(loops_.size(), false),
                std::vector<Steps>(loops_.size()),
                value,
                value};
    }

    [[nodiscard]] Affine variable(const std::string& name) const {
        Affine result = constant(0);
        for (std::size_t i = 0; i < loops_.size(); i++) {
            if (loops_[i].variable == name) {
                result.rates[i] = 1;
                return result;
            }
        }
        return {};
    }

    static Affine convert(Affine a, const Type& from, const Type& to) {
        if (a.known && from.is_float() && !to.is_float()) {
            a.lo -= 1;  // truncation: anything within one below ...
            a.hi += 1;  // ... or, for negative values, above
        }
        return a;
    }

    static Affine add(const Affine& a, const Affine& b, int sign) {
        if (!a.known || !b.known) {
            return {};
        }
        Affine result = a;
        result.clamped |= b.clamped;
        for (std::size_t i = 0; i < result.rates.size(); i++) {
            result.clamped_loops[i] = result.clamped_loops[i] || b.clamped_loops[i];
            const Steps& other = b.steps[i];
            result.steps[i] =
                sum(a.steps[i], a.rates[i], {other.points, sign * other.rate}, sign * b.rates[i]);
            result.rates[i] += sign * b.rates[i];
        }
        result.lo += sign > 0 ? b.lo : -b.hi;
        result.hi += sign > 0 ? b.hi : -b.lo;
        return result;
    }

    static Affine scale(Affine a, double factor) {
        for (double& rate : a.rates) {
            rate *= factor;
        }
        for (Steps& steps : a.steps) {
            steps.rate *= factor;
        }
        a.lo *= factor;
        a.hi *= factor;
        if (factor < 0) {
            std::swap(a.lo, a.hi);
        }
        return a;
    }

    static Affine multiply(const Affine& a, const Affine& b) {
        if (b.is_constant() && a.known) {
            return scale(a, b.lo);
        }
        if (a.is_constant() && b.known) {
            return scale(b, a.lo);
        }
        return {};
    }

    static Affine divide(const Affine& a, const Affine& b, bool exact) {
        if (!a.known || !b.is_constant() || b.lo == 0) {
            return {};
        }
        Affine result = scale(a, 1 / b.lo);
        if (!exact) {
            result.steps = by_blocks(a, b.lo, 0);
            result.lo = std::floor(result.lo);
            result.hi = std::ceil(result.hi);
        }
        return result;
    }

    [[nodiscard]] Affine modulo(const Affine& a, const Affine& b) const {
        if (!b.is_constant() || b.lo <= 0) {
            return {};
        }
        Affine result = constant(0);
        if (a.is_constant()) {
            result.lo = result.hi = a.lo - b.lo * std::floor(a.lo / b.lo);
            return result;
        }
        result.hi = b.lo - 1;
        result.steps =
            a.known ? by_blocks(a, b.lo, 1) : std::vector<Steps>(loops_.size(), kUnknownSteps);
        return result;
    }

    // Of a quotient (`rate` 0) or a remainder (1) by a constant.
    static std::vector<Steps> by_blocks(const Affine& a, double divisor, double rate) {
        const Steps outer{static_cast<int>(std::min(std::abs(divisor), 1e6)), rate};
        std::vector<Steps> result;
        for (std::size_t i = 0; i < a.rates.size(); i++) {
            const bool aligned = is_multiple(a.lo, a.hi, a.rates, a.steps, i, divisor);
            result.push_back(outer.points == 1 ? a.steps[i]
                                               : composed(outer, a.steps[i], a.rates[i], aligned));
        }
        return result;
    }

    // min or max: with a loop-independent side it is a clamp of the other.
    static Affine clamp(const Affine& a, const Affine& b) {
        if (a.known && (!b.known || !b.varies()) && a.varies()) {
            Affine result = a;
            result.clamped = true;
            for (std::size_t i = 0; i < result.rates.size(); i++) {
                result.clamped_loops[i] = result.clamped_loops[i] || result.rates[i] != 0;
            }
            return result;
        }
        if (b.known && (!a.known || !a.varies()) && b.varies()) {
            return clamp(b, a);
        }
        return either(a, b);
    }

    static Affine either(const Affine& a, const Affine& b) {
        if (!a.known || !b.known || a.rates != b.rates) {
            return {};
        }
        Affine result = a;
        result.clamped |= b.clamped;
        for (std::size_t i = 0; i < result.rates.size(); i++) {
            result.clamped_loops[i] = result.clamped_loops[i] || b.clamped_loops[i];
            result.steps[i] = a.steps[i] == b.steps[i] ? a.steps[i] : kUnknownSteps;
        }
        result.lo = std::min(a.lo, b.lo);
        result.hi = std::max(a.hi, b.hi);
        return result;
    }

    Affine call(const Call* op) {
        if (op->is_intrinsic({Call::likely, Call::likely_if_innermost, Call::promise_clamped,
                              Call::unsafe_promise_clamped})) {
            return of(op->args[0]);
        }
        if (op->is_intrinsic({Call::shift_left, Call::shift_right})) {
            const Affine by = of(op->args[1]);
            if (!by.is_constant()) {
                return {};
            }
            const Affine factor = constant(std::exp2(std::abs(by.lo)));
            return op->is_intrinsic(Call::shift_left) == (by.lo >= 0)
                       ? multiply(of(op->args[0]), factor)
                       : divide(of(op->args[0]), factor, false);
        }
        if (op->name.starts_with("floor_") || op->name.starts_with("ceil_") ||
            op->name.starts_with("round_")) {
            Affine result = of(op->args[0]);
            result.lo -= 1;
            result.hi += 1;
            return result;
        }
        return {};
    }

    const std::vector<Loop>& loops_;
    const bool usually_;
    std::map<Expr, Affine, ExprCompare> memo_;
};

class FindConstantEnd : public IRGraphVisitor {
  public:
    bool found = false;

  private:
    using IRGraphVisitor::visit;

    void visit(const Min* op) override {
        found = found || is_const(simplify(op->a)) || is_const(simplify(op->b));
        IRGraphVisitor::visit(op);
    }
};

}  // namespace

bool has_constant_end(const Expr& index) {
    FindConstantEnd find;
    index.accept(&find);
    return find.found;
}

Coordinate affine_coordinate(const Expr& index, const std::vector<Loop>& loops) {
    const auto representable = [](const Affine& a) {
        return a.known && std::abs(a.lo) < 1e12 && std::abs(a.hi) < 1e12;
    };
    Coordinate result;
    Affine a = Analysis(loops, false).of(index);
    result.affine = representable(a);
    if (!result.affine) {
        a = Analysis(loops, true).of(index);
        result.usually_affine = representable(a);
        for (const Loop& loop : loops) {
            result.fixed_loops.push_back(!expr_uses_var(index, loop.variable));
        }
    }
    if (!result.affine && !result.usually_affine) {
        return result;
    }
    result.clamped = a.clamped;
    if (a.clamped) {
        result.clamped_loops = a.clamped_loops;
    }
    result.rates = a.rates;
    if (std::ranges::any_of(a.steps, [](const Steps& each) { return each.points > 0; })) {
        result.steps = a.steps;
    }
    result.offset_min = static_cast<std::int64_t>(std::floor(a.lo));
    result.offset_max = static_cast<std::int64_t>(std::ceil(a.hi));
    return result;
}

}  // namespace nestor
