// Runs a piece of work where it cannot take the test down: miscompiled code may crash or hang.
#pragma once

#include <functional>
#include <string>

namespace nestor::testing {

struct IsolatedResult {
    std::string text;   ///< what the work returned
    std::string error;  ///< why it returned nothing: a signal, an exit, the time limit
};

/// Halide compiles its run-time library at the first use of the JIT, which takes a second or two.
/// Done before run_isolated() it is done once, not in each child.
void warm_up_jit();

/// Runs `work` in a forked child and hands back its answer. Call it before this process has run a
/// parallel loop of Halide's: a thread pool does not survive a fork. The limit is of processor
/// time, so that a busy machine is no failure.
IsolatedResult run_isolated(const std::function<std::string()>& work, double limit_seconds);

}  // namespace nestor::testing
