#include "base/hash.h"

namespace nestor {

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed) {
    std::uint64_t h = 0xcbf29ce484222325ull ^ seed;
    for (const char c : bytes) {
        h ^= static_cast<unsigned char>(c);
        h *= 0x100000001b3ull;
    }
    h ^= h >> 30;
    h *= 0xbf58476d1ce4e5b9ull;
    h ^= h >> 27;
    h *= 0x94d049bb133111ebull;
    return h ^ (h >> 31);
}

std::string hash_text(std::uint64_t hash) {
    static const char digits[] = "0123456789abcdef";
    std::string text(16, '0');
    for (int i = 15; i >= 0; i--, hash >>= 4) {
        text[i] = digits[hash & 15];
    }
    return text;
}

}  // namespace nestor
