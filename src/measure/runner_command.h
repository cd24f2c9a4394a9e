#pragma once
// A runner: shell commands that bring a benchmark binary (measure/benchmark.h) to where it is to
// run, and run it: 'qemu-aarch64', 'adb shell /data/local/tmp/{name} {args}', 'ssh board ...'.
//
// In a command, {binary} stands for the path of the binary on this machine, {name} for its file
// name, {args} for its arguments, which no shell changes. Where neither {binary} nor {name} is
// said, the binary follows at the end, and so do the arguments where {args} is not.

#include <string>

#include "base/process.h"
#include "base/result.h"
#include "halide/halide.h"
#include "measure/measurement.h"
#include "measure/options.h"

namespace nestor {

/** Whether the commands make sense; the Error says what is wrong with them. */
[[nodiscard]] Status check_runner(const RunnerOptions& runner);

/** Commands for a shell. */
[[nodiscard]] std::string copy_command(const RunnerOptions& runner, const std::string& binary);
[[nodiscard]] std::string run_command(const RunnerOptions& runner, const std::string& binary,
                                      const std::string& arguments);

/** The compiler of C++ for a target: runner.compiler, or Debian's for it. An Error if it is not
 * installed says what to install. */
[[nodiscard]] Result<std::string> find_compiler(const RunnerOptions& runner,
                                                const Halide::Target& target);

/** What a benchmark answered; or, if no answer came, how its runner ended. */
[[nodiscard]] Measurement read_answer(const Result<ProcessResult>& ran);

}  // namespace nestor
