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

    /** Compiles what all programs of a process share, Halide's runtime, so that forks of this one
     * need not: the half of a second and more that a small program's compile() takes. Starts no
     * thread. */
    [[nodiscard]] static Status compile_runtime(const Halide::Target& target);

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
