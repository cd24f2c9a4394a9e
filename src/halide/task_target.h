#pragma once

#include <string>

#include "halide/halide.h"

namespace nestor {

/** A target as records name it (TuningTask::target): Halide's text, with "host" spelled out, and
 * without what has no part in how fast a pipeline runs but differs between the builds of one
 * program: no_runtime, user_context, jit and the like. */
[[nodiscard]] std::string task_target(const Halide::Target& target);

/** Whether this machine could run it: same processor family, system and bits. */
[[nodiscard]] bool is_of_host(const Halide::Target& target);

}  // namespace nestor
