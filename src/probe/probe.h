#pragma once
// Measures the machine at hand with kernels that Halide compiles: what `nestor probe` does.

#include <functional>
#include <string>

#include "base/result.h"
#include "halide/halide.h"
#include "machine/machine.h"

namespace nestor {

struct ProbeOptions {
    /** Of this host, perhaps with fewer features than it has: then the numbers are of that
     * instruction set on this processor. */
    Halide::Target target;
    std::function<void(const std::string&)> say = [](const std::string&) {};
};

/** Every quantity of the target's shipped profile, measured where a kernel can (about a minute on
 * a machine that does nothing else). An Error if the host cannot run the target, or a kernel
 * fails. */
[[nodiscard]] Result<Machine> probe_machine(const ProbeOptions& options);

}  // namespace nestor
