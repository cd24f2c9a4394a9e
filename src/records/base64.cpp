#include "records/base64.h"

#include <cstdint>

namespace nestor {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; k++) {
            group =
                group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        const std::size_t digits = bytes.size() - i >= 3 ? 4 : bytes.size() - i + 1;
        for (std::size_t k = 0; k < 4; k++) {
            text += k < digits ? kDigits[group >> (18 - 6 * k) & 63] : '=';
        }
    }
    return text;
}

Result<std::string> from_base64(std::string_view text) {
    const Error fault{"not base64"};
    if (text.size() % 4 != 0) {
        return fault;
    }
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        std::string_view digits = text.substr(i, 4);
        while (i + 4 == text.size() && digits.size() > 2 && digits.back() == '=') {
            digits.remove_suffix(1);
        }
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 4; k++) {
            const std::size_t value = k < digits.size() ? kDigits.find(digits[k]) : 0;
            if (value == std::string_view::npos) {
                return fault;
            }
            group = group << 6 | static_cast<std::uint32_t>(value);
        }
        for (std::size_t k = 0; k + 1 < digits.size(); k++) {
            bytes += static_cast<char>(group >> (16 - 8 * k) & 255);
        }
    }
    return bytes;
}

}  // namespace nestor
