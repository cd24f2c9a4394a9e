#pragma once
// Which symbols are Halide's, told by their names. Shared by the build step that makes them weak in
// the plug-in and by the check that looks for them when the plug-in is loaded: both must mean the
// same ones.

#include <string_view>

namespace nestor {

/** `name` as the linker sees it, mangled. Halide's C++ names all mention its namespace; libHalide's
 * few C names start with halide_. */
[[nodiscard]] constexpr bool is_halide_symbol(std::string_view name) {
    return name.find("6Halide") != std::string_view::npos || name.starts_with("halide_");
}

}  // namespace nestor
