#pragma once
// The libHalide of this process.

#include <string>

namespace nestor {

/** Its path. */
[[nodiscard]] std::string halide_library_path();
[[nodiscard]] std::string halide_library_folder();

/** The release whose header this program was compiled with: "21.0.0". */
[[nodiscard]] std::string halide_built_for();

/** Why the library in this process is not of that release; empty if it is. */
[[nodiscard]] std::string halide_problem();

}  // namespace nestor
