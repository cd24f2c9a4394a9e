#pragma once
// A version in a process of its own, which runs when it is told to.

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "measure/call.h"
#include "measure/forked_child.h"

namespace nestor {

struct RunnerSetup {
    std::string runtime, library, function;  // see compiled_library.h
    int threads = 1;
    std::int64_t bytes = 0;   // limit of its memory
    double slow_seconds = 0;  // limit of one run
};

/**
 * Its own process, because what a pipeline's allocations cost depends on what else the process has
 * allocated: the C library keeps freed memory or returns it, by the sizes it has seen. So each
 * version runs as in a program that calls nothing else.
 */
class Runner {
  public:
    /** The process reads `inputs` where they are, and has outputs of its own. */
    [[nodiscard]] static Result<std::unique_ptr<Runner>> start(const RunnerSetup& setup,
                                                               const CallShape& shape,
                                                               const Memories& inputs);

    /** Seconds of one of so many runs in a row. An Error if it failed, died or took too long: then
     * the runner is of no further use. */
    [[nodiscard]] Result<double> sample(int runs);

  private:
    Runner(std::unique_ptr<ForkedChild> child, double slow_seconds)
        : child_(std::move(child)), slow_seconds_(slow_seconds) {}

    std::unique_ptr<ForkedChild> child_;
    double slow_seconds_;
};

}  // namespace nestor
