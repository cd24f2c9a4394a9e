#pragma once
// A pipeline compiled into this process, called as compiled libraries are: by an array of pointers.
// (Pipeline::realize adds tens of microseconds to each call and finds its arguments by itself.)

#include <cstddef>
#include <string>

#include "base/result.h"
#include "halide/halide.h"

namespace nestor {

class JitProgram {
  public:
    /** Compiles for the host with `target`'s features. `argv` of run() has the order of
     * caller_arguments(pipeline). */
    static Result<JitProgram> compile(const Halide::Pipeline& pipeline,
                                      const Halide::Target& target);

    /** Pointers to halide_buffer_t for buffers, to the value for scalars. An Error is a run-time
     * check that failed, with Halide's message. */
    [[nodiscard]] Status run(void* const* argv) const;

    /** Of the pool that all programs of this process share. */
    static void set_threads(int threads);

    using Malloc = void*(void* context, std::size_t size);
    using Free = void(void* context, void* pointer);
    /** For programs' allocations from now on in this process; null: Halide's own. */
    static void set_allocator(Malloc* malloc, Free* free);

  private:
    explicit JitProgram(const Halide::Internal::JITModule& module) : module_(module) {}

    Halide::Internal::JITModule module_;
};

}  // namespace nestor
