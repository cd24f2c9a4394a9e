#pragma once
// Whole files, read and written without leaving anything half-done.

#include <string>
#include <string_view>

#include "base/result.h"

namespace nestor {

/** The bytes of a file. The error names the path and the system's reason. */
[[nodiscard]] Result<std::string> read_file(const std::string& path);

/** Writes to a temporary file beside `path` and renames it, so that a reader sees the old or the
 * new contents, also if the disk is full or the process dies. The error names the path and the
 * system's reason. */
[[nodiscard]] Status write_file(const std::string& path, std::string_view contents);

/** Creates a directory and its parents. Fine if it exists. */
[[nodiscard]] Status make_directory(const std::string& path);

}  // namespace nestor
