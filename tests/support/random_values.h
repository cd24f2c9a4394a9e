// Random choices, and random arithmetic that stays within bounds: what random pipelines are made
// of. Every choice is a function of the seed and of how many choices came before it, so a seed
// means the same pipeline on every machine and with every standard library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "Halide.h"

namespace nestor::testing {

/// A stream of random choices. Never draw twice in one argument list: the order of evaluation of
/// arguments is not fixed by the language.
class Draw {
  public:
    explicit Draw(uint64_t seed);

    int below(int count);              ///< 0 ... count - 1
    int between(int first, int last);  ///< both included
    bool chance(int percent);

    template <typename T>
    const T& pick(const std::vector<T>& choices) {
        return choices[static_cast<size_t>(below(static_cast<int>(choices.size())))];
    }

  private:
    uint64_t seed_;
    uint64_t count_ = 0;
};

/// An expression of type int32 or float32 whose value is known to lie in [low, high]. Integers are
/// kept within 2^28 (signed overflow is undefined), floats within a few hundred, so that the
/// rounding errors of sums that cancel stay below an absolute bound. Floats never become
/// integers and never decide a select: a rounding error must not grow into a wrong result.
struct Value {
    Halide::Expr expr;
    double low = 0;
    double high = 0;

    bool is_float() const { return expr.type().is_float(); }
};

/// A value read from storage of any type, as int32 or float32.
Value loaded(const Halide::Expr& load, double low, double high);

/// Brings an integer's magnitude under `limit`, keeping its sign; floats are scaled.
Value limited(const Value& value, double limit);

Value as_float(const Value& value);
/// An integer value at hand, or the constant if it is a float.
Value integer_or(const Value& value, int constant);

/// One of about twenty operations on one or two values.
Value random_unary(Draw& draw, const Value& a);
Value random_binary(Draw& draw, const Value& a, const Value& b);

/// A type to store the value in, and the expression that fits it there. The range is updated.
struct Stored {
    Halide::Expr expr;
    double low = 0;
    double high = 0;
};
Stored stored_as_random_type(Draw& draw, const Value& value);
Stored stored_as(Halide::Type type, const Value& value);

}  // namespace nestor::testing
