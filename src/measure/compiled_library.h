#pragma once
// Pipelines compiled ahead of time, in shared libraries, and the Halide run-time that all of them
// share (so that they use one pool of threads and one allocator). For a process of its own: loading
// cannot be undone.

#include <cstddef>
#include <map>
#include <string>

#include "base/result.h"
#include "halide/halide.h"
#include "measure/call.h"

namespace nestor {

/** Load it before any pipeline. */
class CompiledRuntime {
  public:
    [[nodiscard]] static Result<CompiledRuntime> load(const std::string& library);

    void set_threads(int threads) const;

    /** The pipelines' allocations are counted from now on. Slower: not for timing. */
    void count_allocations() const;
    /** Largest number of bytes that were allocated at once since count_allocations(). */
    [[nodiscard]] static std::size_t peak_bytes();

  private:
    explicit CompiledRuntime(void* handle) : handle_(handle) {}

    void* handle_;
};

class CompiledPipeline {
  public:
    /** `function` is the name it was compiled as (-f). */
    [[nodiscard]] static Result<CompiledPipeline> load(const std::string& library,
                                                       const std::string& function);

    /** The arguments at the estimates, in the order of the metadata; `scalars` replace estimates
     * by name. An input without estimates is as large as the pipeline asks for; the order of
     * strides is the pipeline's wish. An Error if an output has no estimates. */
    [[nodiscard]] Result<CallShape> shape(const std::map<std::string, double>& scalars) const;

    /** Runs it. An Error has Halide's message. */
    [[nodiscard]] Status run(void* const* argv) const;

  private:
    CompiledPipeline() = default;

    int (*entry_)(void**) = nullptr;
    const halide_filter_metadata_t* metadata_ = nullptr;
};

}  // namespace nestor
