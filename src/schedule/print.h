#pragma once
// A schedule as text: C++, Python, JSON, and the loop nest for people.

#include <string>

#include "base/result.h"
#include "schedule/directives.h"
#include "schedule/schedule.h"

namespace nestor {

/** Body of `void apply_schedule_<name>(Halide::Pipeline pipeline, Halide::Target target)`, as
 * Halide's `schedule` emit option wraps it (using-declarations for Func, MemoryType, RVar,
 * TailStrategy, Var). It fetches all functions by name stem before it touches anything and throws
 * (user error) if the pipeline is another one. */
[[nodiscard]] std::string print_cpp(const PipelineDag& dag, const Schedule& schedule);

/** A module that defines `apply_schedule_<name>(pipeline, target, inputs={})`. */
[[nodiscard]] std::string print_python(const PipelineDag& dag, const Schedule& schedule);

/** The canonical form: one text for one value; parse_json is its inverse. Ends with a newline. */
[[nodiscard]] std::string print_json(const PipelineDag& dag, const Schedule& schedule);

/** Reads print_json's text. Refuses, saying why: text that is no schedule, another version of the
 * format, and a schedule made for another algorithm (hash or functions differ). */
[[nodiscard]] Result<Schedule> parse_json(const PipelineDag& dag, const std::string& text);

/** The loop nest that the schedule makes, indented, with extents at the estimates:
 *    parallel y: 0..135
 *      store blur_x
 *      for yi in 0..7
 *        produce blur_x: ... */
[[nodiscard]] std::string print_loop_nest(const PipelineDag& dag, const Schedule& schedule);

}  // namespace nestor
