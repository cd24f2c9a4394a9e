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

    /** Halide's allocations are counted from now on in this process. Slower: not for timing. */
    static void count_allocations(bool on);
    /** Largest number of bytes allocated at once since count_allocations(true). */
    [[nodiscard]] static std::size_t peak_bytes();

  private:
    explicit JitProgram(const Halide::Internal::JITModule& module) : module_(module) {}

    Halide::Internal::JITModule module_;
};

}  // namespace nestor
