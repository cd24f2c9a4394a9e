#pragma once
// The outside of a weights file: is it one of ours? What is inside belongs to the cost model.

#include <string>
#include <string_view>

#include "base/result.h"

namespace nestor {

/** First bytes of every weights file that Nestor writes; the digit is the version of the format. */
inline constexpr std::string_view weights_magic = "NESTORW1";

/** Name looked for where a directory is given instead of a file. */
inline constexpr std::string_view weights_file_name = "nestor.weights";

/**
 * `place` is a file, or a directory holding `weights_file_name`; yields the file's path.
 * Errors: nothing there, unreadable, or written by something else (Halide's own schedulers keep
 * theirs in
 * `*.weights` files and in directories of `*.data` files under the same variable and parameter
 * names).
 */
[[nodiscard]] Result<std::string> find_weights(const std::string& place);

}  // namespace nestor
