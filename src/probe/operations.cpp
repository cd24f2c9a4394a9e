#include "probe/operations.h"

#include <functional>

#include "probe/types.h"

namespace nestor::probe {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::Type;
using Halide::Var;

namespace {

constexpr int kRows = 8;      // of operands, used in turns
constexpr int kPairs = 8;     // of dependent operations in one repeat
constexpr int kRowGap = 128;  // elements, between rows for scalars
// Enough to hide latencies, few enough for 16 registers beside the operands.
constexpr int kIndependent = 12;

Expr apply_operation(Arithmetic operation, const Type& type, const Expr& value, const Expr& a,
                     const Expr& b) {
    switch (operation) {
        case Arithmetic::Add:
            return value + a;
        case Arithmetic::Minimum:
            return Halide::min(value, a);
        case Arithmetic::Select:
            return Halide::select(value < a, b, value);
        case Arithmetic::Shift:
            return value >> 1;
        case Arithmetic::Multiply:
            return value * a;
        case Arithmetic::MultiplyAdd:
            return value * a + b;
        case Arithmetic::Divide:
            return type.is_float() ? a / value : a / (value | Halide::cast(type, 1));
        case Arithmetic::SquareRoot:
            return Halide::sqrt(value);
        case Arithmetic::Exponential:
            return Halide::exp(a - value);
        default:
            return value;
    }
}

/** A row of the operands, another one in each step; `further` rows on. One computed place serves
 * all rows of a step. A vector's lanes share the row between all sums. */
Expr shared_row(const Var& i, const RDom& r, int further, int lanes) {
    const Expr row = r & (kRows - 1);
    return lanes > 1 ? i + row * lanes + further * lanes : row * kRowGap + further * kRowGap;
}

/** A scalar has its own, at distances that keep the compiler from making vectors of scalars. */
Expr own_row(const Var& i, const Var& k, const RDom& r, int lanes) {
    return lanes > 1 ? shared_row(i, r, 0, lanes) : shared_row(i, r, 0, lanes) + k * 5;
}

/** `value` may name sums(i, k); it is what becomes of it in step r. */
using Step = std::function<Expr(const Func& sums, const Var& i, const Var& k, const RDom& r)>;

/** Sums in registers, `independent` vectors of them. */
KernelCode in_registers(const Type& type, int lanes, int independent,
                        const Halide::ImageParam& table, const Step& step) {
    KernelCode code;
    const Var i("i");
    const Var k("k");
    const RDom r(0, code.repeats, "r");
    Func sums("sums");
    sums(i, k) = cast(type, table(i + k * lanes));
    sums(i, k) = step(sums, i, k, r) + cast(type, r - r);  // names the loop
    code.output = Func("results");
    code.output(i, k) = sums(i, k);
    code.output.bound(i, 0, lanes).bound(k, 0, independent).unroll(k);
    sums.compute_root().store_in(Halide::MemoryType::Stack).unroll(k);
    sums.update().reorder(i, k, r).unroll(k);
    if (lanes > 1) {
        code.output.vectorize(i);
        sums.vectorize(i);
        sums.update().vectorize(i);
    }
    code.result = Halide::Buffer<>(type, {lanes, independent});
    code.count = independent;
    return code;
}

KernelCode arithmetic(Arithmetic operation, const Type& type, int lanes) {
    const Halide::ImageParam table(type, 1, "table");
    const auto step = [&](const Func& sums, const Var& i, const Var& k, const RDom& r) {
        const Expr a = table(own_row(i, k, r, lanes));
        const Expr b = table(shared_row(i, r, 1, lanes));
        const Expr result = apply_operation(operation, type, sums(i, k), a, b);
        // Of the same shifts of several scalars the compiler would make one of a vector.
        return lanes == 1 && operation == Arithmetic::Shift ? result ^ a : result;
    };
    KernelCode code = in_registers(type, lanes, kIndependent, table, step);
    code.inputs = {
        operands(type, (kRows + 2 * kPairs) * kRowGap, lanes > 1 ? lanes : kRowGap, "table")};
    return code;
}

/** Operations that take longer than an addition, one a repeat, none waiting for another: the
 * compiler would make vectors of several. */
KernelCode slow_scalars(Arithmetic operation, const Type& type) {
    const Halide::ImageParam table(type, 1, "table");
    const auto step = [&](const Func& sums, const Var& i, const Var& k, const RDom& r) {
        const Expr a = table(shared_row(i, r, 0, 1));
        const Expr b = table(shared_row(i, r, 1, 1));
        return sums(i, k) + apply_operation(operation, type, a, b, b);
    };
    KernelCode code = in_registers(type, 1, 1, table, step);
    code.inputs = {operands(type, (kRows + 2 * kPairs) * kRowGap, kRowGap, "table")};
    return code;
}

KernelCode dependent(Arithmetic operation, const Type& type, int lanes) {
    const Halide::ImageParam table(type, 1, "table");
    // Of a scalar choice and what follows it the compiler makes another choice.
    const bool choice = operation == Arithmetic::Minimum || operation == Arithmetic::Select;
    const bool in_pairs = !type.is_float() && !(lanes == 1 && choice);
    const int pairs = in_pairs ? kPairs : 1;
    const auto step = [&](const Func& sums, const Var& i, const Var& k, const RDom& r) {
        Expr value = sums(i, k);
        for (int pair = 0; pair < pairs; pair++) {
            const Expr a = table(shared_row(i, r, 2 * pair, lanes));
            const Expr b = table(shared_row(i, r, 2 * pair + 1, lanes));
            value = apply_operation(operation, type, value, a, b);
            // A sum of shifted numbers is no shift of a sum, for the bits that fall off; an
            // exclusive or is, and the compiler knows.
            value = !in_pairs ? value : operation == Arithmetic::Shift ? value + b : value ^ b;
        }
        return value;
    };
    KernelCode code = in_registers(type, lanes, 1, table, step);
    code.inputs = {
        operands(type, (kRows + 2 * kPairs) * kRowGap, lanes > 1 ? lanes : kRowGap, "table")};
    code.count = pairs;
    code.other_cycles = in_pairs ? 1 : 0;
    return code;
}

KernelCode widening(const Type& type, int lanes) {
    const Type narrow = !type.is_float()    ? type.with_bits(type.bits() / 2)
                        : type.bits() == 32 ? Halide::Int(32)
                                            : Halide::Float(32);
    const Halide::ImageParam table(narrow, 1, "table");
    const auto step = [&](const Func& sums, const Var& i, const Var& k, const RDom& r) {
        const Expr row = (r & 1) * (lanes * kIndependent * 2);
        return sums(i, k) + cast(type, table(i + k * (lanes > 1 ? lanes : 5) + row));
    };
    KernelCode code = in_registers(type, lanes, kIndependent, table, step);
    code.inputs = {operands(narrow, 8192, 64, "table")};
    return code;
}

/** As in a matrix product: neighbouring elements of a vector times a few that all lanes share. */
KernelCode dot_products(const Type& type, int lanes, int independent) {
    KernelCode code;
    const int group = 32 / type.bits();
    const int sums_lanes = std::max(1, lanes / group);
    const Var i("i");
    const Var k("k");
    const Type signed_type = type.with_code(halide_type_int);
    const Halide::ImageParam left(type.bits() == 8 ? type : signed_type, 1, "left");
    const Halide::ImageParam right(signed_type, 1, "right");
    const RDom r(0, group, 0, code.repeats, "r");
    const Expr row = r.y & (kRows - 1);
    Func sums("sums");
    sums(i, k) = 0;
    sums(i, k) += cast<std::int32_t>(left(r.x + group * (i + row * sums_lanes))) *
                  cast<std::int32_t>(right(r.x + group * (k + row * independent)));
    code.output = Func("results");
    code.output(i, k) = sums(i, k);
    code.output.bound(i, 0, sums_lanes).bound(k, 0, independent).unroll(k);
    sums.compute_root().store_in(Halide::MemoryType::Stack).unroll(k);
    sums.update().reorder(r.x, i, k, r.y).unroll(k);
    if (lanes > 1) {
        code.output.vectorize(i);
        sums.vectorize(i);
        sums.update().atomic().vectorize(r.x).vectorize(i);
    } else {
        sums.update().unroll(r.x);
    }
    code.inputs = {operands(left.type(), 2048, 64, "left"),
                   operands(signed_type, 2048, 64, "right")};
    code.result = Halide::Buffer<std::int32_t>(sums_lanes, independent);
    code.count = independent;
    return code;
}

bool is_slow(Arithmetic operation) {
    return operation == Arithmetic::Divide || operation == Arithmetic::SquareRoot ||
           operation == Arithmetic::Exponential;
}

}  // namespace

KernelCode throughput_code(Arithmetic operation, ElementType type, Width width) {
    const Type element = halide_type(type);
    const int lanes = lanes_of(width, type);
    switch (operation) {
        case Arithmetic::Widen:
            return widening(element, lanes);
        case Arithmetic::DotProduct:
            return dot_products(element, lanes, kIndependent);
        default:
            return lanes == 1 && is_slow(operation) ? slow_scalars(operation, element)
                                                    : arithmetic(operation, element, lanes);
    }
}

KernelCode latency_code(Arithmetic operation, ElementType type, Width width) {
    const Type element = halide_type(type);
    const int lanes = lanes_of(width, type);
    return operation == Arithmetic::DotProduct ? dot_products(element, lanes, 1)
                                               : dependent(operation, element, lanes);
}

void survey_operations(Survey& survey, Machine& machine) {
    for (std::size_t i = 0; i < kArithmetic; i++) {
        for (std::size_t j = 0; j < kElementTypes; j++) {
            for (std::size_t k = 0; k < kWidths; k++) {
                const auto operation = static_cast<Arithmetic>(i);
                const auto type = static_cast<ElementType>(j);
                const auto width = static_cast<Width>(k);
                ArithmeticCost& cost = machine.operations[operation][type][width];
                if (!applies(operation, type) || !cost.cycles.known()) {
                    continue;
                }
                survey.add(throughput_code(operation, type, width), cost.cycles);
                if (has_latency(operation)) {
                    survey.add(latency_code(operation, type, width), cost.latency);
                }
            }
        }
    }
}

}  // namespace nestor::probe
