#include "halide/equivalence.h"

#include <cctype>
#include <sstream>
#include <utility>
#include <vector>

#include "halide/renaming.h"

namespace nestor {

using Halide::Expr;
using Halide::Internal::IRNodeType;
using Halide::Internal::Stmt;
namespace ir = Halide::Internal;

namespace {

bool is_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
}

bool is_name(const std::string& token) {
    return std::isalpha(static_cast<unsigned char>(token[0])) != 0 || token[0] == '_';
}

/** Splits a message into names and what is between them. */
std::vector<std::string> tokens(const std::string& text) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        if (is_name_character(text[i])) {
            while (end < text.size() && is_name_character(text[end])) {
                end++;
            }
        }
        all.push_back(text.substr(i, end - i));
        i = end;
    }
    return all;
}

std::string brief(const Expr& e) {
    constexpr std::size_t kLength = 100;
    std::ostringstream printed;
    printed << e;
    const std::string all = printed.str();
    return "`" + (all.size() > kLength ? all.substr(0, kLength) + "..." : all) + "`";
}

class Comparison {
  public:
    bool equal(const Stmt& a, const Stmt& b);

    // Where it first went wrong: the innermost statements.
    Stmt first_a, first_b;
    std::string reason;

  private:
    // Expressions.
    bool equal(const Expr& a, const Expr& b);
    bool equal(const std::vector<Expr>& a, const std::vector<Expr>& b);
    bool equal_leaves(const Expr& a, const Expr& b);
    bool equal_operations(const Expr& a, const Expr& b);
    bool equal_vectors(const Expr& a, const Expr& b);
    bool equal_lets(const ir::Let& a, const ir::Let& b);
    bool equal_calls(const ir::Call& a, const ir::Call& b);
    bool equal_loads(const ir::Load& a, const ir::Load& b);

    // Statements.
    bool equal_pair(const Stmt& a, const Stmt& b);
    bool equal_bodies(const Stmt& a, const Stmt& b);
    bool equal_ifs(const ir::IfThenElse& a, const ir::IfThenElse& b);
    bool equal_loops(const ir::For& a, const ir::For& b);
    bool equal_stores(const ir::Store& a, const ir::Store& b);
    bool equal_allocations(const ir::Allocate& a, const ir::Allocate& b);

    template <class Node>
    bool both(const Expr& a, const Expr& b) {
        return equal(a.as<Node>()->a, b.as<Node>()->a) && equal(a.as<Node>()->b, b.as<Node>()->b);
    }

    /** The operands of a chain of one operation, which Halide orders by name in places. */
    template <class Node>
    static void flatten(const Expr& e, std::vector<Expr>& operands) {
        if (const Node* node = e.as<Node>()) {
            flatten<Node>(node->a, operands);
            flatten<Node>(node->b, operands);
        } else {
            operands.push_back(e);
        }
    }

    template <class Node>
    bool both_in_any_order(const Expr& a, const Expr& b) {
        std::vector<Expr> left;
        std::vector<Expr> right;
        flatten<Node>(a, left);
        flatten<Node>(b, right);
        return equal_in_any_order(left, std::move(right));
    }

    bool equal_in_any_order(const std::vector<Expr>& a, std::vector<Expr> b);

    template <class Node>
    bool both_swapped_or_not(const Expr& a, const Expr& b) {
        const Node& x = *a.as<Node>();
        const Node& y = *b.as<Node>();
        return equal_in_any_order({x.a, x.b}, {y.a, y.b});
    }

    void bind(const std::string& a, const Expr& value_a, const std::string& b,
              const Expr& value_b) {
        names_.forget(a, b);
        defined_a_.bind(a, value_a);
        defined_b_.bind(b, value_b);
    }
    void unbind(std::size_t mark) {
        while (defined_a_.mark() > mark) {
            names_.forget(defined_a_.last(), defined_b_.last());
            defined_a_.unbind_last();
            defined_b_.unbind_last();
        }
    }

    bool equal_variables(const std::string& a, const std::string& b);
    bool same_name(const std::string& a, const std::string& b) {
        if (!names_.allows(a, b)) {
            return fail(names_.explain(a, b));
        }
        names_.add(a, b);
        return true;
    }

    bool same_text(const std::string& a, const std::string& b);

    bool fail(const std::string& why) {
        if (reason.empty()) {
            reason = why;
        }
        return false;
    }

    template <class T>
    bool same(const T& a, const T& b, const char* what) {
        return a == b || fail(std::string("another ") + what);
    }

    Renaming names_;
    Definitions defined_a_, defined_b_;
    int tries_ = 10'000;  // of operands in another order, in the whole program
};

// Messages name functions and buffers: names that are known to differ must differ in the same way.
bool Comparison::same_text(const std::string& a, const std::string& b) {
    const std::vector<std::string> tokens_a = tokens(a);
    const std::vector<std::string> tokens_b = tokens(b);
    if (tokens_a.size() != tokens_b.size()) {
        return fail("another text");
    }
    for (std::size_t i = 0; i < tokens_a.size(); i++) {
        const bool names = is_name(tokens_a[i]) && is_name(tokens_b[i]);
        if (tokens_a[i] == tokens_b[i] && !(names && names_.knows(tokens_a[i], tokens_b[i]))) {
            continue;
        }
        if (!names) {
            return fail("another text");
        }
        if (!same_name(tokens_a[i], tokens_b[i])) {
            return false;
        }
    }
    return true;
}

bool Comparison::equal(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    if (a.size() != b.size()) {
        return fail("another number of operands");
    }
    for (std::size_t i = 0; i < a.size(); i++) {
        if (!equal(a[i], b[i])) {
            return false;
        }
    }
    return true;
}

bool Comparison::equal(const Expr& a, const Expr& b) {
    if (!a.defined() || !b.defined()) {
        return same(a.defined(), b.defined(), "number of expressions");
    }
    if (a->node_type != b->node_type) {
        return fail("another kind of expression, " + brief(a) + " and " + brief(b));
    }
    if (a.type() != b.type()) {
        return fail("another type, " + brief(a) + " and " + brief(b));
    }
    switch (a->node_type) {
        case IRNodeType::IntImm:
        case IRNodeType::UIntImm:
        case IRNodeType::FloatImm:
        case IRNodeType::StringImm:
        case IRNodeType::Variable:
            return equal_leaves(a, b);
        case IRNodeType::Cast:
            return equal(a.as<ir::Cast>()->value, b.as<ir::Cast>()->value);
        case IRNodeType::Reinterpret:
            return equal(a.as<ir::Reinterpret>()->value, b.as<ir::Reinterpret>()->value);
        case IRNodeType::Select: {
            const auto& x = *a.as<ir::Select>();
            const auto& y = *b.as<ir::Select>();
            return equal(x.condition, y.condition) && equal(x.true_value, y.true_value) &&
                   equal(x.false_value, y.false_value);
        }
        case IRNodeType::Load:
            return equal_loads(*a.as<ir::Load>(), *b.as<ir::Load>());
        case IRNodeType::Call:
            return equal_calls(*a.as<ir::Call>(), *b.as<ir::Call>());
        case IRNodeType::Let:
            return equal_lets(*a.as<ir::Let>(), *b.as<ir::Let>());
        case IRNodeType::Ramp:
        case IRNodeType::Broadcast:
        case IRNodeType::Shuffle:
        case IRNodeType::VectorReduce:
            return equal_vectors(a, b);
        default:
            return equal_operations(a, b);
    }
}

// Each operand takes the first one of the other side that it equals, its counterpart before all.
bool Comparison::equal_in_any_order(const std::vector<Expr>& a, std::vector<Expr> b) {
    if (a.size() != b.size()) {
        return fail("another number of operands");
    }
    const std::string reason_before = reason;
    for (std::size_t i = 0; i < a.size(); i++) {
        std::string reason_in_order;
        std::size_t j = i;
        for (; j < b.size(); j++) {
            const std::size_t before = names_.mark();
            if (equal(a[i], b[j])) {
                break;
            }
            reason_in_order = j == i ? reason : reason_in_order;
            if (tries_-- <= 0) {
                return false;
            }
            names_.take_back(before);
            reason = reason_before;
        }
        if (j == b.size()) {
            reason = reason_in_order;
            return false;
        }
        std::swap(b[i], b[j]);
    }
    return true;
}

bool Comparison::equal_leaves(const Expr& a, const Expr& b) {
    switch (a->node_type) {
        case IRNodeType::IntImm:
            return same(a.as<ir::IntImm>()->value, b.as<ir::IntImm>()->value, "constant");
        case IRNodeType::UIntImm:
            return same(a.as<ir::UIntImm>()->value, b.as<ir::UIntImm>()->value, "constant");
        case IRNodeType::FloatImm: {
            const double x = a.as<ir::FloatImm>()->value;
            const double y = b.as<ir::FloatImm>()->value;
            return (x != x && y != y) || same(x, y, "constant");  // NaN
        }
        case IRNodeType::StringImm:
            return same_text(a.as<ir::StringImm>()->value, b.as<ir::StringImm>()->value);
        default:
            return equal_variables(a.as<ir::Variable>()->name, b.as<ir::Variable>()->name);
    }
}

// The order in which loop invariants are lifted, and with it the order of lets, depends on their
// names. So a variable that a let binds is compared by its value, when it is first used.
bool Comparison::equal_variables(const std::string& a, const std::string& b) {
    if (!names_.has(a, b)) {
        const Expr value_a = defined_a_.find(a);
        const Expr value_b = defined_b_.find(b);
        if ((value_a.defined() || value_b.defined()) && names_.allows(a, b) &&
            !equal(value_a, value_b)) {
            return false;
        }
    }
    return same_name(a, b);
}

bool Comparison::equal_operations(const Expr& a, const Expr& b) {
    switch (a->node_type) {
        case IRNodeType::Add:
            return both_in_any_order<ir::Add>(a, b);
        case IRNodeType::Sub:
            return both<ir::Sub>(a, b);
        case IRNodeType::Mul:
            return both_in_any_order<ir::Mul>(a, b);
        case IRNodeType::Div:
            return both<ir::Div>(a, b);
        case IRNodeType::Mod:
            return both<ir::Mod>(a, b);
        case IRNodeType::Min:
            return both_in_any_order<ir::Min>(a, b);
        case IRNodeType::Max:
            return both_in_any_order<ir::Max>(a, b);
        case IRNodeType::EQ:
            return both_swapped_or_not<ir::EQ>(a, b);
        case IRNodeType::NE:
            return both_swapped_or_not<ir::NE>(a, b);
        case IRNodeType::LT:
            return both<ir::LT>(a, b);
        case IRNodeType::LE:
            return both<ir::LE>(a, b);
        case IRNodeType::GT:
            return both<ir::GT>(a, b);
        case IRNodeType::GE:
            return both<ir::GE>(a, b);
        case IRNodeType::And:
            return both_in_any_order<ir::And>(a, b);
        case IRNodeType::Or:
            return both_in_any_order<ir::Or>(a, b);
        case IRNodeType::Not:
            return equal(a.as<ir::Not>()->a, b.as<ir::Not>()->a);
        default:
            return fail("a kind of expression that cannot be compared");
    }
}

bool Comparison::equal_vectors(const Expr& a, const Expr& b) {
    if (const auto* x = a.as<ir::Ramp>()) {
        const auto* y = b.as<ir::Ramp>();
        return equal(x->base, y->base) && equal(x->stride, y->stride);
    }
    if (const auto* x = a.as<ir::Broadcast>()) {
        return equal(x->value, b.as<ir::Broadcast>()->value);
    }
    if (const auto* x = a.as<ir::Shuffle>()) {
        const auto* y = b.as<ir::Shuffle>();
        return same(x->indices, y->indices, "shuffle") && equal(x->vectors, y->vectors);
    }
    const auto* x = a.as<ir::VectorReduce>();
    const auto* y = b.as<ir::VectorReduce>();
    return same(x->op, y->op, "reduction") && equal(x->value, y->value);
}

bool Comparison::equal_lets(const ir::Let& a, const ir::Let& b) {
    const std::size_t before = defined_a_.mark();
    bind(a.name, a.value, b.name, b.value);
    const bool result = equal(a.body, b.body);
    unbind(before);
    return result;
}

bool Comparison::equal_calls(const ir::Call& a, const ir::Call& b) {
    const bool names_a_function = a.call_type == ir::Call::Halide || a.call_type == ir::Call::Image;
    return same(a.call_type, b.call_type, "kind of call") &&
           (names_a_function ? same_name(a.name, b.name)
                             : same(a.name, b.name, "function called")) &&
           same(a.value_index, b.value_index, "tuple element") && equal(a.args, b.args);
}

bool Comparison::equal_loads(const ir::Load& a, const ir::Load& b) {
    return same_name(a.name, b.name) && equal(a.index, b.index) &&
           equal(a.predicate, b.predicate) &&
           same(a.alignment.modulus, b.alignment.modulus, "alignment") &&
           same(a.alignment.remainder, b.alignment.remainder, "alignment");
}

bool Comparison::equal(const Stmt& a, const Stmt& b) {
    Stmt x = a;
    Stmt y = b;
    const std::size_t before = defined_a_.mark();
    bool result = false;
    // Lets and blocks are lists of thousands: no recursion along them.
    while (x.defined() && y.defined() && x->node_type == y->node_type) {
        if (const auto* let = x.as<ir::LetStmt>()) {
            const auto* other = y.as<ir::LetStmt>();
            bind(let->name, let->value, other->name, other->value);
            x = let->body;
            y = other->body;
        } else if (const auto* block = x.as<ir::Block>()) {
            const auto* other = y.as<ir::Block>();
            if (!equal(block->first, other->first)) {
                break;
            }
            x = block->rest;
            y = other->rest;
        } else {
            result = equal_pair(x, y);
            break;
        }
    }
    unbind(before);
    if (result || (!x.defined() && !y.defined())) {
        return true;
    }
    if (!first_a.defined() && !first_b.defined()) {
        first_a = x;
        first_b = y;
    }
    return fail("another kind of statement");
}

bool Comparison::equal_pair(const Stmt& a, const Stmt& b) {
    switch (a->node_type) {
        case IRNodeType::AssertStmt:
            return equal(a.as<ir::AssertStmt>()->condition, b.as<ir::AssertStmt>()->condition) &&
                   equal(a.as<ir::AssertStmt>()->message, b.as<ir::AssertStmt>()->message);
        case IRNodeType::Evaluate:
            return equal(a.as<ir::Evaluate>()->value, b.as<ir::Evaluate>()->value);
        case IRNodeType::Free:
            return same_name(a.as<ir::Free>()->name, b.as<ir::Free>()->name);
        case IRNodeType::For:
            return equal_loops(*a.as<ir::For>(), *b.as<ir::For>());
        case IRNodeType::Store:
            return equal_stores(*a.as<ir::Store>(), *b.as<ir::Store>());
        case IRNodeType::Allocate:
            return equal_allocations(*a.as<ir::Allocate>(), *b.as<ir::Allocate>());
        case IRNodeType::IfThenElse:
            return equal_ifs(*a.as<ir::IfThenElse>(), *b.as<ir::IfThenElse>());
        default:
            return equal_bodies(a, b);
    }
}

bool Comparison::equal_bodies(const Stmt& a, const Stmt& b) {
    if (const auto* x = a.as<ir::ProducerConsumer>()) {
        const auto* y = b.as<ir::ProducerConsumer>();
        return same_name(x->name, y->name) &&
               same(x->is_producer, y->is_producer, "kind of statement") && equal(x->body, y->body);
    }
    if (const auto* x = a.as<ir::Atomic>()) {
        const auto* y = b.as<ir::Atomic>();
        return same_name(x->producer_name, y->producer_name) &&
               same(x->mutex_name.empty(), y->mutex_name.empty(), "mutex") &&
               (x->mutex_name.empty() || same_name(x->mutex_name, y->mutex_name)) &&
               equal(x->body, y->body);
    }
    if (const auto* x = a.as<ir::Acquire>()) {
        const auto* y = b.as<ir::Acquire>();
        return equal(x->semaphore, y->semaphore) && equal(x->count, y->count) &&
               equal(x->body, y->body);
    }
    if (const auto* x = a.as<ir::Fork>()) {
        const auto* y = b.as<ir::Fork>();
        return equal(x->first, y->first) && equal(x->rest, y->rest);
    }
    if (const auto* x = a.as<ir::HoistedStorage>()) {
        const auto* y = b.as<ir::HoistedStorage>();
        return same_name(x->name, y->name) && equal(x->body, y->body);
    }
    // Provide, Realize and Prefetch do not survive lowering.
    return fail("a kind of statement that cannot be compared");
}

bool Comparison::equal_ifs(const ir::IfThenElse& a, const ir::IfThenElse& b) {
    return equal(a.condition, b.condition) && equal(a.then_case, b.then_case) &&
           equal(a.else_case, b.else_case);
}

bool Comparison::equal_loops(const ir::For& a, const ir::For& b) {
    if (!(same(a.for_type, b.for_type, "kind of loop") &&
          same(a.device_api, b.device_api, "device") &&
          same(a.partition_policy, b.partition_policy, "partition policy") && equal(a.min, b.min) &&
          equal(a.extent, b.extent))) {
        return false;
    }
    names_.forget(a.name, b.name);
    names_.add(a.name, b.name);
    const bool result = equal(a.body, b.body);
    names_.forget(a.name, b.name);
    return result;
}

bool Comparison::equal_stores(const ir::Store& a, const ir::Store& b) {
    // The key of a memoised function holds a number that is unique in the process.
    if (a.name.ends_with(".cache_key") && ir::is_const(a.value) && ir::is_const(b.value)) {
        return same_name(a.name, b.name) && equal(a.index, b.index);
    }
    return same_name(a.name, b.name) && equal(a.index, b.index) && equal(a.value, b.value) &&
           equal(a.predicate, b.predicate) &&
           same(a.alignment.modulus, b.alignment.modulus, "alignment") &&
           same(a.alignment.remainder, b.alignment.remainder, "alignment");
}

bool Comparison::equal_allocations(const ir::Allocate& a, const ir::Allocate& b) {
    return same(a.type, b.type, "type") && same(a.memory_type, b.memory_type, "memory type") &&
           same(a.padding, b.padding, "padding") &&
           same(a.free_function, b.free_function, "free function") && equal(a.extents, b.extents) &&
           equal(a.condition, b.condition) && equal(a.new_expr, b.new_expr) &&
           same_name(a.name, b.name) && equal(a.body, b.body);
}

/** The first lines of a statement. */
std::string beginning(const Stmt& s) {
    constexpr int kLines = 5;
    if (!s.defined()) {
        return "  (nothing)\n";
    }
    std::ostringstream printed;
    printed << s;
    std::istringstream lines(printed.str());
    std::string result;
    std::string line;
    for (int i = 0; i < kLines && std::getline(lines, line); i++) {
        result += "  " + line + "\n";
    }
    return result;
}

}  // namespace

std::string difference(const Stmt& a, const Stmt& b) {
    Comparison comparison;
    if (comparison.equal(a, b)) {
        return {};
    }
    return comparison.reason + ":\n" + beginning(comparison.first_a) + "and\n" +
           beginning(comparison.first_b);
}

}  // namespace nestor
