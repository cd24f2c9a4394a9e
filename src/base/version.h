#pragma once
// The version of Nestor, in what it writes. The same as in CMakeLists.txt, which a test compares.

namespace nestor {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace nestor
