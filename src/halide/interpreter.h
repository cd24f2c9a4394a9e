#pragma once
// An interpreter of the scalar expressions that decide on run-time checks: 64-bit integers with
// Halide's rounding and wrapping, floats, and the fields of buffer arguments. What it cannot know
// (a load of more than what store() was told, a call into user code) is Unknown, and so is what
// depends on that; nothing else fails.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "dag/types.h"
#include "halide/halide.h"

namespace nestor {

enum class Operation;

/** A buffer argument of an imagined call of the pipeline. */
struct CallBuffer {
    std::string name;
    std::vector<Range> region;
    std::vector<std::int64_t> strides;  // in elements
    std::int64_t type = 0;              // halide_type_t as the run-time checks encode it
    bool bounds_query = false;          // no host pointer: the call asks for the region
};

struct Unknown {
    bool operator==(const Unknown&) const = default;
};

struct StructValue;

/** Integers of any type are sign- or zero-extended to 64 bits; booleans are 0 and 1; pointers are
 * integers (0: null); StructValue is a make_struct(). */
using Value = std::variant<Unknown, std::int64_t, double, std::string, const CallBuffer*,
                           std::shared_ptr<const StructValue>>;

struct StructValue {
    std::vector<Value> values;
};

[[nodiscard]] bool is_known(const Value& value);
/** The value if it is a known integer. */
[[nodiscard]] const std::int64_t* as_integer(const Value& value);
/** For messages. */
[[nodiscard]] std::string text(const Value& value);
/** Casts as Halide does: wraps integers, truncates floats, rounds to float32. */
[[nodiscard]] Value convert(const Halide::Type& from, const Halide::Type& to, const Value& value);

class Interpreter {
  public:
    /** `buffer` is read for as long as the interpreter is used. */
    void bind_buffer(const CallBuffer& buffer);

    /** Binds a name until restore() is called with an earlier mark. */
    void bind(const std::string& name, Value value);
    [[nodiscard]] std::size_t mark() const { return shadowed_.size(); }
    void restore(std::size_t mark);

    /** What loads from memory of one element yield from now on. */
    void store(const std::string& name, Value value) { elements_[name] = std::move(value); }

    [[nodiscard]] Value evaluate(const Halide::Expr& e);

    /** The regions that _halide_buffer_init() calls evaluated so far wrote into buffer arguments:
     * (min, extent) a dimension, in the order of the calls. */
    using Region = std::vector<std::pair<Value, Value>>;
    [[nodiscard]] const std::map<std::string, Region>& initialized() const { return initialized_; }

  private:
    [[nodiscard]] Value variable(const Halide::Internal::Variable& v) const;
    [[nodiscard]] Value let(const Halide::Internal::Let* let);
    [[nodiscard]] Value logical(const Halide::Expr& a, const Halide::Expr& b, bool decides);
    [[nodiscard]] Value select(const Halide::Expr& condition, const Halide::Expr& a,
                               const Halide::Expr& b);
    [[nodiscard]] Value call(const Halide::Internal::Call& c);
    [[nodiscard]] Value special_intrinsic(const Halide::Internal::Call& c);
    [[nodiscard]] Value buffer_call(const Halide::Internal::Call& c);
    void initialize_buffer(const Halide::Internal::Call& c);
    template <class Node>
    [[nodiscard]] Value binary(const Halide::Expr& e, Operation operation);

    std::unordered_map<std::string, Value> values_;
    std::map<std::string, Value> elements_;
    std::vector<std::pair<std::string, Value>> shadowed_;  // what bind() replaced
    std::map<std::string, const CallBuffer*> buffers_;
    std::map<std::string, Region> initialized_;
};

/** The value of a scalar parameter: the given one, else its estimate, its value, or one, converted
 * to its type (the estimate of a boolean is stored as an int32) and put between its minimum and
 * maximum. */
[[nodiscard]] Value scalar_value(const Halide::Parameter& parameter, const Halide::Expr& given);

}  // namespace nestor
