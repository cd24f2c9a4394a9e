#pragma once
// The one difference between the two files that are built from this folder.

#include <span>

namespace nestor {

/** Names under which the scheduler is registered with Halide. */
[[nodiscard]] std::span<const char* const> registered_names();

}  // namespace nestor
