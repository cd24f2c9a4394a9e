#pragma once

#include <string>

#include "base/result.h"
#include "halide/halide.h"

namespace nestor {

/** A target from its text, as Halide reads it. The Error says what one looks like. */
[[nodiscard]] Result<Halide::Target> parse_target(const std::string& text);

}  // namespace nestor
