#pragma once
// Is a byte string a complete serialised pipeline? Halide's deserialiser does not verify what it
// reads: a truncated file makes it read past the end, or crash.

#include <string>

#include "base/result.h"

namespace nestor {

/** Deserialises in a child process, twice, with different bytes behind the end: a crash, a hang or
 * results that depend on those bytes mean that the file is damaged. Takes a few milliseconds. */
[[nodiscard]] Status check_serialized(const std::string& bytes);

}  // namespace nestor
