#pragma once
// Identifiers for emitted code.

#include <set>
#include <string>
#include <string_view>

namespace nestor {

/** Hands out identifiers that are valid in C++ and in Python, each once. */
class Identifiers {
  public:
    /** `reserved`: names that the emitted code uses for something else. Keywords are known. */
    explicit Identifiers(std::set<std::string> reserved) : taken_(std::move(reserved)) {}

    /** The name with what no identifier may hold replaced; with a number behind it if it is taken.
     */
    [[nodiscard]] std::string make(const std::string& name);

  private:
    std::set<std::string> taken_;
};

/** Letters, digits and single underscores; begins with a letter. */
[[nodiscard]] std::string as_identifier(const std::string& name);

/** In double quotes, as a literal of C++ and of Python. */
[[nodiscard]] std::string string_literal(std::string_view text);

}  // namespace nestor
