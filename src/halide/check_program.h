#pragma once
// The part of a lowered pipeline that decides which regions it requires of its buffer arguments and
// which of its run-time checks fail: everything but loads, stores and loops without checks.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dag/types.h"
#include "halide/halide.h"
#include "halide/interpreter.h"

namespace nestor {

/** Shape of one buffer argument (no strides: dense, dimension 0 innermost, unless constrained). */
using BufferRegion = std::vector<Range>;

struct FailedCheck {
    std::string
        key;  // which check: equal for the same check of another lowering, whatever the numbers
    std::string text;  // for people
};

/** What a lowered pipeline asks of its caller in one imagined call. */
struct BoundsQuery {
    // By buffer argument, inputs and outputs and embedded buffers; nothing where a dimension
    // depends on what the interpreter cannot know, as the answer of an extern stage.
    std::map<std::string, std::vector<std::optional<Range>>> required;
    std::vector<FailedCheck> failed_checks;  // run-time assertions that would fail
    std::set<std::string> unknown_checks;    // keys of those that depend on what cannot be known
    bool complete = true;  // false: not all of them were evaluated, it would take too long
};

/** A buffer argument of a lowered pipeline. */
struct ArgumentBuffer {
    int dimensions = 0;
    std::int64_t type = 0;
    Halide::Parameter parameter;           // undefined for embedded buffers
    std::optional<BufferRegion> embedded;  // the shape of a Buffer in the program ...
    std::vector<std::int64_t> strides;     // ... and its strides
};

/** One call of the pipeline. */
struct ImaginedCall {
    std::map<std::string, BufferRegion> buffers;  // of outputs and inputs; the others are empty
    std::map<std::string, Halide::Expr> scalars;  // constants; for the others see scalar_value()
    bool bounds_query =
        false;  // no buffer has memory, so that checks of the call itself are passed over
};

/** The arguments of a call with everything known: buffers (embedded ones, too) with regions and
 * strides, dense with dimension 0 innermost except where strides are constrained; and scalars. */
struct ResolvedCall {
    std::map<std::string, CallBuffer> buffers;
    std::map<std::string, Value> scalars;
};

class CheckProgram {
  public:
    /** `lowered`: with the loops of the pipeline in one statement, as nestor::lower() returns it.
     */
    explicit CheckProgram(const Halide::Internal::Stmt& lowered);

    [[nodiscard]] BoundsQuery run(const ImaginedCall& call) const;

    [[nodiscard]] ResolvedCall resolve(const ImaginedCall& call) const;

    /** By name. */
    [[nodiscard]] const std::map<std::string, ArgumentBuffer>& buffers() const { return buffers_; }

  private:
    void resolve(const ImaginedCall& call, ResolvedCall& resolved, Interpreter& interpreter) const;

    Halide::Internal::Stmt statement_;  // undefined if nothing is checked
    std::map<std::string, ArgumentBuffer> buffers_;
    std::map<std::string, Halide::Parameter> scalars_;
};

}  // namespace nestor
