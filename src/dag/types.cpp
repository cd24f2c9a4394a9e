#include "dag/types.h"

#include <cctype>

namespace nestor {

namespace {

bool is_number(const std::string &text, std::size_t from) {
    if (from >= text.size()) {
        return false;
    }
    for (std::size_t i = from; i < text.size(); i++) {
        if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
            return false;
        }
    }
    return text.size() - from <= 9;
}

// Prefixes of the names that Halide makes up: Func() -> "f12", lambda() -> "lambda_3".
constexpr const char *kUnnamedPrefixes[] = {"f", "lambda_"};

}  // namespace

std::string FuncId::text() const {
    return rank == 0 ? stem : stem + "#" + std::to_string(rank);
}

NameParts split_name(const std::string &halide_name) {
    NameParts parts{halide_name};
    if (const auto dollar = halide_name.rfind('$');
        dollar != std::string::npos && dollar > 0 && is_number(halide_name, dollar + 1)) {
        parts.counter = std::stoll(halide_name.substr(dollar + 1));
        parts.stem = halide_name.substr(0, dollar);
    }
    for (const std::string prefix : kUnnamedPrefixes) {
        if (parts.stem.starts_with(prefix) && is_number(parts.stem, prefix.size())) {
            parts.number = std::stoll(parts.stem.substr(prefix.size()));
            parts.stem = prefix.ends_with('_') ? prefix.substr(0, prefix.size() - 1) : prefix;
            break;
        }
    }
    return parts;
}

std::string variable_label(const std::string &halide_name) {
    std::string label = halide_name;
    std::string suffix;
    if (const auto dollar = label.find('$'); dollar != std::string::npos) {
        suffix = label.substr(dollar + 1);
        label.resize(dollar);
    }
    if (label.size() > 1 && (label[0] == 'v' || label[0] == 'r') && is_number(label, 1)) {
        label.resize(1);
    }
    // "r$x" names dimension x of domain r; "x$3" is the fourth Var called x.
    if (!suffix.empty() && !is_number(suffix, 0)) {
        label += "_" + suffix.substr(0, suffix.find('$'));
    }
    for (char &c : label) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') {
            c = '_';
        }
    }
    return label;
}

std::string ScalarType::text() const {
    switch (kind) {
    case TypeKind::Int:
        return "int" + std::to_string(bits);
    case TypeKind::UInt:
        return bits == 1 ? "bool" : "uint" + std::to_string(bits);
    case TypeKind::Float:
        return "float" + std::to_string(bits);
    case TypeKind::BFloat:
        return "bfloat" + std::to_string(bits);
    case TypeKind::Handle:
        return "handle";
    }
    return "?";
}

}  // namespace nestor
