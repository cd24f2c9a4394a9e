#pragma once
// Which functions a definition calls, and which functions have no place of their own.

#include <map>
#include <string>
#include <utility>

#include "halide/halide.h"
#include "halide/identity.h"

namespace nestor {

/** Counts the calls of functions in what it visits, by name and tuple element; equal nodes once. */
class CountCalls : public Halide::Internal::IRGraphVisitor {
  public:
    std::map<std::pair<std::string, int>, int> calls;

  private:
    using IRGraphVisitor::visit;
    void visit(const Halide::Internal::Call* call) override;
};

/** All functions, their loop levels locked so that they can be inspected: for a deep copy. */
[[nodiscard]] Environment locked_environment(const Halide::Pipeline& pipeline);

/** Nobody gave the function a compute level. Its levels have to be locked. */
[[nodiscard]] bool has_no_place(const HalideFunction& f);

/** Lowering puts the function's expression into its consumers. */
[[nodiscard]] bool is_inlined(const HalideFunction& f);

/** The function only reads an input or a buffer, at its own coordinates. */
[[nodiscard]] bool is_input_wrapper(const HalideFunction& f);

}  // namespace nestor
