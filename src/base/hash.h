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

/** Of numbers, where order matters: for tables in memory, of which far fewer entries are made than
 * 2^32. */
class Mixer {
  public:
    void add(std::uint64_t value) {
        hash_ = (hash_ ^ (value + 0x9e3779b97f4a7c15U + (hash_ << 6U) + (hash_ >> 2U))) *
                0xbf58476d1ce4e5b9U;
        hash_ ^= hash_ >> 29U;
    }
    [[nodiscard]] std::uint64_t hash() const { return hash_; }

  private:
    std::uint64_t hash_ = 0;
};

/** 16 hexadecimal digits. */
[[nodiscard]] std::string hash_text(std::uint64_t hash);

}  // namespace nestor
