#pragma once
// Weights files: where they are looked for, and what is in them.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cost/correction.h"

namespace nestor {

/** Names looked for where a directory is given instead of a file, in this order: what people call
 * them, and what `nestor autotune` does. */
inline constexpr std::array<std::string_view, 2> weights_file_names = {"nestor.weights",
                                                                       "updated.weights"};

/**
 * `place` is a file, or a directory holding one of `weights_file_names`; yields the file's path.
 * Errors: nothing there, unreadable, or written by something else (Halide's own schedulers keep
 * theirs in
 * `*.weights` files and in directories of `*.data` files under the same variable and parameter
 * names).
 */
[[nodiscard]] Result<std::string> find_weights(const std::string& place);

/** Whether a file is there that is somebody else's: no error of reading it, and not ours. */
[[nodiscard]] bool is_foreign_weights(const std::string& file);

/** What such a place holds. The errors of find_weights() and of Correction::parse(), with the path.
 */
[[nodiscard]] Result<Correction> read_weights(const std::string& place);

/** None where `place` is empty. */
[[nodiscard]] Result<std::optional<Correction>> read_optional_weights(const std::string& place);

}  // namespace nestor
