#include "halide/predicate_share.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "halide/interpreter.h"

namespace nestor {

using Halide::Expr;
using Halide::Internal::expr_uses_var;
namespace ir = Halide::Internal;

namespace {

constexpr int kPoints = 256;

/** Point `i` of a sequence that fills a range evenly, another one for each loop (multiples of
 * square roots of primes: H. Weyl, "Über die Gleichverteilung von Zahlen mod. Eins", 1916). */
std::int64_t spread(int i, std::size_t loop, const Range& range) {
    constexpr std::array kPrimes{2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0};
    const double multiple = (i + 0.5) * std::sqrt(kPrimes[loop % kPrimes.size()]);
    const double part = multiple - std::floor(multiple);
    return range.min + static_cast<std::int64_t>(part * static_cast<double>(range.extent));
}

bool is_variable(const Expr& e, const Loop& loop) {
    const auto* variable = e.as<ir::Variable>();
    return variable != nullptr && variable->name == loop.variable;
}

/** Of points that one variable has on one side, and the other side does not. */
std::optional<double> share_of_equality(const Expr& a, const Expr& b,
                                        const std::vector<Loop>& loops) {
    for (const Loop& loop : loops) {
        const bool apart = (is_variable(a, loop) && !expr_uses_var(b, loop.variable)) ||
                           (is_variable(b, loop) && !expr_uses_var(a, loop.variable));
        if (loop.is_reduction() && apart) {
            return 1 / static_cast<double>(loop.range.extent);
        }
    }
    return std::nullopt;
}

/** Of a condition on what is loaded. */
double share_of_loads(const Expr& condition, const std::vector<Loop>& loops) {
    if (const auto* equal = condition.as<ir::EQ>()) {
        return share_of_equality(equal->a, equal->b, loops).value_or(1);
    }
    if (const auto* unequal = condition.as<ir::NE>()) {
        return 1 - share_of_equality(unequal->a, unequal->b, loops).value_or(0);
    }
    return 1;
}

}  // namespace

double predicate_share(const std::vector<Expr>& conditions, const std::vector<Loop>& loops,
                       const Estimates& estimates) {
    Interpreter interpreter;
    const auto go_to = [&](int point) {
        for (std::size_t l = 0; l < loops.size(); l++) {
            interpreter.bind(loops[l].variable, spread(point, l, loops[l].range));
        }
    };
    double share = 1;
    std::vector<Expr> known;
    go_to(0);
    for (const Expr& condition : conditions) {
        const Expr each = estimates.substitute(condition);
        if (is_known(interpreter.evaluate(each))) {
            known.push_back(each);
        } else {
            share *= share_of_loads(condition, loops);
        }
    }
    int held = 0;
    for (int point = 0; point < kPoints && !known.empty(); point++) {
        go_to(point);
        bool all = true;
        for (const Expr& each : known) {
            const Value value = interpreter.evaluate(each);
            const std::int64_t* holds = as_integer(value);
            all = all && (holds == nullptr || *holds != 0);
        }
        held += all ? 1 : 0;
    }
    return known.empty() ? share : share * std::max(held, 1) / kPoints;
}

}  // namespace nestor
