#pragma once
// 64-bit hashes that are the same on every machine and in every process (std::hash promises
// neither).

#include <cstdint>
#include <string>
#include <string_view>

namespace nestor {

/** FNV-1a over bytes, finished with the splitmix64 mixer so that close inputs differ in all bits.
 */
[[nodiscard]] std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0);

/** 16 hexadecimal digits. */
[[nodiscard]] std::string hash_text(std::uint64_t hash);

}  // namespace nestor
