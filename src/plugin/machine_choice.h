#pragma once
// Which Machine a schedule is made for.

#include <string>

#include "base/result.h"
#include "halide/halide.h"
#include "machine/machine.h"
#include "machine/profiles.h"
#include "plugin/params.h"

namespace nestor {

/** XDG_CACHE_HOME, or .cache in HOME; empty if neither is set. */
[[nodiscard]] std::string cache_folder();

/** Where `nestor probe` keeps what it measured: nestor/machines/x86_avx2.json in XDG_CACHE_HOME, or
 * in HOME/.cache. Empty if neither is set. */
[[nodiscard]] std::string probed_machine_file(InstructionSet set);

/** By params.machine: a file; `shipped`, the profile that comes with Nestor; or, if it is empty,
 * what the probe kept for the target's instruction set, else the shipped profile. The target's
 * features decide, never the machine that builds. Natural vector widths are always Halide's for the
 * target. An Error if a file cannot be read, or is of another instruction set. */
[[nodiscard]] Result<Machine> choose_machine(const Halide::Target& target, const Params& params);

}  // namespace nestor
