#include "schedule/code/identifiers.h"

#include <cctype>

namespace nestor {

namespace {

// Of C++20 and of Python 3; a stem may be any of them.
const std::set<std::string> kKeywords = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "as",
    "asm",
    "assert",
    "async",
    "auto",
    "await",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "def",
    "default",
    "del",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "elif",
    "else",
    "enum",
    "except",
    "explicit",
    "export",
    "extern",
    "false",
    "finally",
    "float",
    "for",
    "friend",
    "from",
    "global",
    "goto",
    "if",
    "import",
    "in",
    "inline",
    "int",
    "is",
    "lambda",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "nonlocal",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "pass",
    "private",
    "protected",
    "public",
    "raise",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "with",
    "xor",
    "xor_eq",
    "yield",
    "False",
    "None",
    "True",
};

}  // namespace

std::string as_identifier(const std::string& name) {
    std::string identifier;
    for (const char c : name) {
        const bool good =
            std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 128;
        if (good) {
            identifier += c;
        } else if (!identifier.empty() && identifier.back() != '_') {
            identifier += '_';
        }
    }
    while (!identifier.empty() && identifier.back() == '_') {
        identifier.pop_back();
    }
    if (identifier.empty() || std::isdigit(static_cast<unsigned char>(identifier[0])) != 0) {
        identifier.insert(0, "f");
    }
    return identifier;
}

std::string Identifiers::make(const std::string& name) {
    const std::string base = as_identifier(name);
    std::string identifier = base;
    for (int i = 2; kKeywords.contains(identifier) || taken_.contains(identifier); i++) {
        identifier = base + "_" + std::to_string(i);
    }
    taken_.insert(identifier);
    return identifier;
}

std::string string_literal(std::string_view text) {
    static const char digits[] = "01234567";
    std::string literal = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            literal += '\\';
            literal += c;
        } else if (byte < 32 || byte == 127) {
            // Octal: three digits end it in both languages.
            literal += {'\\', digits[byte >> 6], digits[(byte >> 3) & 7], digits[byte & 7]};
        } else {
            literal += c;
        }
    }
    return literal + "\"";
}

}  // namespace nestor
