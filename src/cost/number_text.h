#pragma once
// Numbers as text that is read back exactly, whatever the locale.

#include <charconv>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace nestor {

/** The shortest text of a float or double. */
template <class T>
[[nodiscard]] std::string number_text(T value) {
    char text[32];
    const auto [end, _] = std::to_chars(std::begin(text), std::end(text), value);
    return {std::begin(text), end};
}

/** False if the word is not one number and nothing else. */
template <class T>
[[nodiscard]] bool read_number(std::string_view word, T& value, int base = 10) {
    std::from_chars_result result{};
    if constexpr (std::is_integral_v<T>) {
        result = std::from_chars(word.data(), word.data() + word.size(), value, base);
    } else {
        result = std::from_chars(word.data(), word.data() + word.size(), value);
    }
    return result.ec == std::errc() && result.ptr == word.data() + word.size();
}

}  // namespace nestor
