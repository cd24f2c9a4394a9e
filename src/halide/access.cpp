#include "halide/access.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "halide/affine.h"
#include "halide/calls.h"
#include "halide/changing_loops.h"
#include "halide/operation_counts.h"
#include "halide/phases.h"
#include "halide/products.h"
#include "halide/selectors.h"

namespace nestor {

using namespace Halide;
using namespace Halide::Internal;

namespace {

class TreeSize : public IRGraphVisitor {
  public:
    double total = 0;

    void include(const Expr& e) override {
        const auto it = memo_.find(e);
        if (it != memo_.end()) {
            total += it->second;
            return;
        }
        const double outside = total;
        total = 1;
        e.accept(this);
        memo_.emplace(e, total);
        total += outside;
    }

    [[nodiscard]] int distinct() const { return static_cast<int>(memo_.size()); }

  private:
    std::map<Expr, double, ExprCompare> memo_;
};

constexpr int kLargestSimplified = 5000;  // nodes; it takes time

class Reader : public IRGraphVisitor {
  public:
    Reader(const PipelineParts& parts, const Estimates& estimates,
           const std::map<std::string, int>& input_index, const std::string& self, Stage& stage,
           LoopSet anyway = 0, const std::vector<Expr>& stored_at = {})
        : parts_(parts),
          estimates_(estimates),
          input_index_(input_index),
          self_(self),
          stage_(stage),
          stored_at_(stored_at),
          changing_(stage.loops, self, anyway) {}

  protected:
    using IRGraphVisitor::visit;

    void visit(const Add* op) override { sum(op); }
    void visit(const Sub* op) override { sum(op); }
    void visit(const Mul* op) override {
        const Type type = is_of_16_bits(op->a) && is_of_16_bits(op->b) ? Int(16) : op->type;
        count(op, Arithmetic::Multiply, type, added_at_once_.contains(op) ? 0 : 1);
        IRGraphVisitor::visit(op);
    }
    void visit(const Min* op) override { binary(op, Arithmetic::Minimum); }
    void visit(const Max* op) override { binary(op, Arithmetic::Minimum); }
    void visit(const EQ* op) override { compare(op); }
    void visit(const NE* op) override { compare(op); }
    void visit(const LT* op) override { compare(op); }
    void visit(const LE* op) override { compare(op); }
    void visit(const GT* op) override { compare(op); }
    void visit(const GE* op) override { compare(op); }
    void visit(const Div* op) override { quotient(op, op->b); }
    void visit(const Mod* op) override {
        quotient(op, op->b);
        if (!is_const_power_of_two_integer(op->b)) {  // what is left of the dividend
            count(op, Arithmetic::Multiply, op->type, 1);
            count(op, Arithmetic::Add, op->type, 1);
        }
    }

    void visit(const Cast* op) override {
        if (in_coordinate_ == 0) {
            count_cast(op->value.type(), op->type, changing_.of(op), stage_.ops);
        }
        IRGraphVisitor::visit(op);
    }

    void visit(const Select* op) override {
        // The condition of a boundary (one arm is tagged as likely) is hoisted out of the loops.
        const bool boundary = is_tagged(op->true_value) || is_tagged(op->false_value);
        count(op, Arithmetic::Select, op->type, boundary ? 0 : 0.5F);
        in_coordinate_ += boundary ? 1 : 0;
        include(op->condition);
        in_coordinate_ -= boundary ? 1 : 0;
        if (boundary && in_coordinate_ == 0) {
            count_border(op);
        }
        conditional_++;
        include(op->true_value);
        include(op->false_value);
        conditional_--;
    }

    void visit(const Call* op) override {
        if (op->call_type == Call::Halide || op->call_type == Call::Image) {
            load(op);
            return;
        }
        if (op->is_intrinsic(Call::undef)) {
            stage_.undefined = true;
        } else if (in_coordinate_ == 0) {
            count_call(op, changing_.of(op), stage_.ops);
        }
        IRGraphVisitor::visit(op);
    }

  private:
    static bool is_tagged(const Expr& e) { return Call::as_tag(e) != nullptr; }

    // `e`: the result.
    void count(const Expr& e, Arithmetic operation, const Type& type, float times) {
        if (in_coordinate_ == 0 && times > 0) {
            stage_.ops.add(operation, element_of(type), changing_.of(e), times);
        }
    }

    void count_border(const Select* op) {
        const LoopSet condition = changing_.of(op->condition);
        for (const Expr& each : comparisons_of(op->condition)) {
            const LoopSet loops = changing_.of(each);
            stage_.border_ops.push_back(
                {{Arithmetic::Select, element_of(Int(32)), loops, 0.5F}, loops, false});
        }
        stage_.border_ops.push_back(
            {{Arithmetic::Select, element_of(op->type), changing_.of(op), 0.5F}, condition, true});
    }

    // Of a condition that consists of comparisons, without equal ones.
    static std::vector<Expr> comparisons_of(const Expr& condition) {
        std::set<Expr, ExprCompare> found;
        std::vector<Expr> left = {condition};
        while (!left.empty()) {
            const Expr e = left.back();
            left.pop_back();
            if (const Or* either = e.as<Or>()) {
                left.insert(left.end(), {either->a, either->b});
            } else if (const And* both = e.as<And>()) {
                left.insert(left.end(), {both->a, both->b});
            } else if (const Not* other = e.as<Not>()) {
                left.push_back(other->a);
            } else if (!is_const(e)) {
                found.insert(e);
            }
        }
        return {found.begin(), found.end()};
    }

    // Whether a 32-bit factor has no value beyond 16 bits with a sign: of two such, LLVM makes a
    // product of 16-bit halves, which takes a third of the time (pmaddwd instead of pmulld; 25
    // squares of differences of pixels, 16 lanes: 1.0 cycles with the addition, Zen 4).
    bool is_of_16_bits(const Expr& e) {
        if (!(e.type().is_int_or_uint() && e.type().bits() == 32)) {
            return false;
        }
        const ConstantInterval bounds = constant_integer_bounds(e, {}, &integer_bounds_);
        return bounds >= std::numeric_limits<std::int16_t>::min() &&
               bounds <= std::numeric_limits<std::int16_t>::max();
    }

    template <class Op>
    void binary(const Op* op, Arithmetic operation) {
        count(op, operation, op->type, 1);
        IRGraphVisitor::visit(op);
    }

    template <class Op>
    void compare(const Op* op) {
        count(op, Arithmetic::Select, op->a.type(), 0.5F);
        IRGraphVisitor::visit(op);
    }

    // Products of floats that are added at once are one instruction with the addition, unless they
    // stay while it changes.
    template <class Op>
    void sum(const Op* op) {
        const Mul* product = op->b.template as<Mul>();
        product = product == nullptr ? op->a.template as<Mul>() : product;
        const bool fused = product != nullptr && op->type.is_float() &&
                           changing_.of(product) == changing_.of(op) &&
                           added_at_once_.insert(product).second;
        count(op, fused ? Arithmetic::MultiplyAdd : Arithmetic::Add, op->type, 1);
        IRGraphVisitor::visit(op);
    }

    template <class Op>
    void quotient(const Op* op, const Expr& divisor) {
        if (!is_const(divisor)) {
            count(op, Arithmetic::Divide, op->type, 1);
        } else if (op->type.is_float()) {
            count(op, Arithmetic::Multiply, op->type, 1);
        } else if (is_const_power_of_two_integer(divisor)) {
            count(op, Arithmetic::Shift, op->type, 1);
        } else {  // a high product, for which vectors of 32 bits take two and shuffles, and shifts
            const bool in_halves = op->type.bits() >= 32;
            count(op, Arithmetic::Multiply, op->type, in_halves ? 2 : 1);
            count(op, Arithmetic::Shift, op->type, in_halves ? 4 : 2);
        }
        IRGraphVisitor::visit(op);
    }

    void load(const Call* op) {
        stage_.ops.load++;
        const bool own = op->call_type == Call::Halide && op->name == self_;
        Load load;
        load.source = op->call_type == Call::Halide ? Source::Function : Source::Input;
        load.index =
            load.source == Source::Function ? parts_.index(op->name) : input_index_.at(op->name);
        load.value = op->value_index;
        load.conditional = conditional_ > 0;
        for (const Expr& arg : op->args) {
            Coordinate coordinate = affine_coordinate(estimates_.substitute(arg), stage_.loops);
            coordinate.constant_end = coordinate.clamped && has_constant_end(arg);
            load.coords.push_back(std::move(coordinate));
        }
        stage_.reads_itself = stage_.reads_itself || own;
        for (std::size_t d = 0; d < op->args.size(); d++) {
            // An update finds once where it loads and stores.
            if (own && d < stored_at_.size() && equal(op->args[d], stored_at_[d])) {
                continue;
            }
            // Addresses that go on by constants, but for borders, are no work of the stage's.
            const bool steady = load.coords[d].affine || load.coords[d].usually_affine;
            in_coordinate_ += steady ? 1 : 0;
            include(op->args[d]);
            in_coordinate_ -= steady ? 1 : 0;
        }
        (own ? stage_.own_loads : stage_.loads).push_back(std::move(load));
    }

    const PipelineParts& parts_;
    const Estimates& estimates_;
    const std::map<std::string, int>& input_index_;
    const std::string& self_;
    Stage& stage_;
    const std::vector<Expr> stored_at_;
    ChangingLoops changing_;
    int conditional_ = 0;
    int in_coordinate_ = 0;
    std::set<const Mul*> added_at_once_;
    std::map<Expr, ConstantInterval, ExprCompare> integer_bounds_;
};

/** Fills in which elements of a pure tuple need which load. (An update of a tuple writes all of its
 * elements, and none of them goes away by inlining.) */
void find_served_elements(const PipelineParts& parts, const std::vector<Expr>& values,
                          Stage& stage) {
    for (int element = 0; element < static_cast<int>(values.size()); element++) {
        CountCalls count;
        values[element].accept(&count);
        for (Load& load : stage.loads) {
            if (load.source == Source::Function &&
                count.calls.contains({parts.order[load.index].name(), load.value})) {
                load.serves.push_back(element);
            }
        }
    }
}

OpCounts count_ops(const PipelineParts& parts, const Estimates& estimates,
                   const std::map<std::string, int>& input_index, const std::string& self,
                   const std::vector<Loop>& loops, const std::vector<Expr>& values,
                   LoopSet anyway = 0, const std::vector<Expr>& stored_at = {}) {
    Stage scratch;
    scratch.loops = loops;
    Reader counter(parts, estimates, input_index, self, scratch, anyway, stored_at);
    for (const Expr& value : values) {
        value.accept(&counter);
    }
    return scratch.ops;
}

/** The same expressions, in which equal parts of different ones are one object, too. */
std::vector<Expr> sharing_parts(const std::vector<Expr>& expressions) {
    const Expr all = Call::make(Int(32), "nestor_all", expressions, Call::PureExtern);
    return without_lets({all}).front().as<Call>()->args;
}

/** Fills in what the stage chooses by, if knowing it saves work. `count`: operations of
 * expressions of the stage. */
template <class Count>
void choose_selector(const PipelineParts& parts, const std::vector<Expr>& values,
                     const Count& count, Stage& stage) {
    constexpr std::size_t kMost = 8;    // values: each is a copy of the code
    constexpr float kWorthwhile = 0.9;  // of the work
    if (stage.expression_size > kLargestSimplified) {
        return;
    }
    for (FoundSelector& found : find_selectors(parts, values)) {
        Selector& selector = found.selector;
        if (selector.values.size() > kMost) {
            continue;
        }
        const auto share = 1 / static_cast<float>(selector.values.size() + 1);
        selector.ops.add(count(when_selected(values, found, std::nullopt)), share);
        for (const std::int64_t value : selector.values) {
            selector.ops.add(count(when_selected(values, found, value)), share);
        }
        const float before = stage.selector ? stage.selector->ops.work() : stage.ops.work();
        if (selector.ops.work() < kWorthwhile * before) {
            stage.selector = selector;
        }
    }
}

}  // namespace

std::vector<Expr> without_lets(std::vector<Expr> expressions) {
    for (Expr& e : expressions) {
        e = substitute_in_all_lets(
            common_subexpression_elimination(substitute_in_all_lets(e), true));
    }
    return expressions;
}

Size size_of(const std::vector<Expr>& expressions, int cap) {
    double tree = 0;
    int distinct = 0;
    for (const Expr& e : expressions) {
        TreeSize size;
        size.include(e);
        tree += size.total;
        distinct += size.distinct();
    }
    return {static_cast<int>(std::min<double>(tree, cap)), distinct};
}

void analyse_definition(const PipelineParts& parts, const Estimates& estimates,
                        const std::map<std::string, int>& input_index, const HalideFunction& f,
                        const Definition& definition, Stage& stage) {
    const std::vector<Expr> values = without_lets(definition.values());
    const std::vector<Expr> args = without_lets(definition.args());
    std::vector<Expr> expressions = values;
    expressions.insert(expressions.end(), args.begin(), args.end());
    for (const Expr& predicate : without_lets(definition.split_predicate())) {
        expressions.push_back(predicate);
    }
    const Size size = size_of(expressions, kLargestExpression);
    stage.expression_size = size.tree;
    stage.distinct_nodes = size.distinct;
    Reader reader(parts, estimates, input_index, f.name(), stage, 0, args);
    for (const Expr& e : expressions) {
        e.accept(&reader);
    }
    for (const Expr& arg : args) {
        stage.stores.push_back(affine_coordinate(estimates.substitute(arg), stage.loops));
    }
    const auto count = [&](const std::vector<Expr>& chosen) {
        return count_ops(parts, estimates, input_index, f.name(), stage.loops, chosen);
    };
    if (values.size() > 1) {
        OpCounts merged = count_ops(parts, estimates, input_index, f.name(), stage.loops,
                                    sharing_parts(expressions), 0, args);
        merged.load = stage.ops.load;  // each is loaded once in any case
        if (merged.arithmetic() < stage.ops.arithmetic()) {
            stage.merged_ops = std::move(merged);
        }
    }
    choose_selector(parts, values, count, stage);
    if (const auto factors = stage.index > 0 && values.size() == 1
                                 ? narrow_operands(f.name(), args, values[0])
                                 : std::nullopt) {
        stage.product = {scalar_type(factors->a.type()), scalar_type(factors->b.type()),
                         count({factors->a, factors->b})};
    }
    if (stage.index == 0 && definition.values().size() > 1) {
        find_served_elements(parts, definition.values(), stage);
    }
}

void analyse_phases(const PipelineParts& parts, const Estimates& estimates,
                    const std::map<std::string, int>& input_index, const HalideFunction& f,
                    const Definition& definition, const std::vector<bool>& constant, Stage& stage) {
    if (stage.expression_size > kLargestSimplified) {
        return;
    }
    const std::vector<Expr> values = without_lets(definition.values());
    stage.phases = find_phases(estimates, values, stage.loops, constant);
    for (unsigned known = 1; known < 1U << stage.phases.size(); known++) {
        std::vector<Phase> phases;
        LoopSet anyway = 0;  // their variables have become numbers, others at each point
        for (std::size_t i = 0; i < stage.phases.size(); i++) {
            if ((known >> i & 1U) != 0) {
                phases.push_back(stage.phases[i]);
                anyway |= loop_set(stage.phases[i].loop);
            }
        }
        const std::vector<std::vector<Expr>> points = in_phases(values, stage.loops, phases);
        const float share = 1 / static_cast<float>(points.size());
        const auto count = [&](const std::vector<Expr>& expressions) {
            return count_ops(parts, estimates, input_index, f.name(), stage.loops, expressions,
                             anyway);
        };
        OpCounts& mean = stage.phase_ops.emplace_back();
        std::vector<Expr> all;
        for (const std::vector<Expr>& point : points) {
            mean.add(count(point), share);
            all.insert(all.end(), point.begin(), point.end());
        }
        OpCounts& merged = stage.merged_phase_ops.emplace_back(mean);
        if (size_of(all, kLargestExpression).distinct <= kLargestSimplified) {
            merged = {};
            merged.add(count(sharing_parts(all)), share);
            merged.load = mean.load;  // what copies load together is known otherwise
        }
    }
}

}  // namespace nestor
