#pragma once
// Is the Halide in this process the release that the plug-in was built for? libHalide exports no
// version function, so there are two checks: one before anything of Halide is called, one on the
// first pipeline that is handed over.

#include <cstdint>
#include <string>
#include <vector>

namespace nestor {

/**
 * Looks up every symbol that this plug-in takes from Halide, in the way the dynamic linker does,
 * and yields what to tell the user if some are missing or come from more than one copy of Halide;
 * empty if all is well. Calls nothing of Halide. `built_for` is a release, as in "21.0.0".
 */
[[nodiscard]] std::string check_halide(const std::string& built_for);

/**
 * The second check, for a release that has all the symbols but means other things by them: a
 * serialized pipeline names the release that wrote it. Yields what to tell the user, or empty.
 */
[[nodiscard]] std::string check_serialized_release(const std::vector<std::uint8_t>& pipeline,
                                                   const std::string& built_for);

}  // namespace nestor
