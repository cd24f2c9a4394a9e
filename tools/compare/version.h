#pragma once
// One compiled version of a pipeline, loaded from a shared library, and the Halide run-time that
// all versions share (so that they use one pool of threads and one allocator).

#include <cstddef>
#include <string>

#include "HalideRuntime.h"

namespace nestor::compare {

/** The shared run-time. Load it before any version. Every method throws std::runtime_error. */
class Runtime {
  public:
    explicit Runtime(const std::string& library);

    /** Counts the pipelines' allocations from now on. For a run that is not timed. */
    void count_allocations();

    /** Largest number of bytes that were allocated at once since count_allocations(). */
    [[nodiscard]] static std::size_t peak_bytes();

  private:
    void* handle;
};

/** A pipeline as `-f function` compiled it. */
class Version {
  public:
    Version(const std::string& library, const std::string& function);

    [[nodiscard]] const halide_filter_metadata_t& metadata() const { return *description; }

    /** Runs it; the order of `arguments` is that of the metadata. Throws with Halide's message. */
    void run(void** arguments) const;

  private:
    int (*entry)(void**) = nullptr;
    const halide_filter_metadata_t* description = nullptr;
};

}  // namespace nestor::compare
