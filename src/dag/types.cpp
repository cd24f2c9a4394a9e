#include "dag/types.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace nestor {

namespace {

constexpr const char* kDigits = "0123456789";
constexpr std::string_view kEndings[] = {
    "_d_def__", "_intm"};  // of names made by propagate_adjoints and rfactor
constexpr std::string_view kAgain = "_d_def___";

bool is_number(const std::string& text, std::size_t begin, std::size_t end) {
    return begin < end && end - begin <= 9 && text.find_first_not_of(kDigits, begin) >= end;
}

// Cuts [begin, end) out of the stem if from `digits` on it is a number, which becomes counter
// `position`.
bool take(NameParts& parts, std::size_t position, std::size_t begin, std::size_t digits,
          std::size_t end) {
    if (!is_number(parts.stem, digits, end)) {
        return false;
    }
    parts.counters.insert(parts.counters.begin() + static_cast<std::ptrdiff_t>(position),
                          std::stoll(parts.stem.substr(digits, end - digits)));
    parts.stem.erase(begin, end - begin);
    return true;
}

}  // namespace

std::string FuncId::text() const {
    return rank == 0 ? stem : stem + "#" + std::to_string(rank);
}

NameParts split_name(const std::string& halide_name) {
    NameParts parts{halide_name, {}};
    std::string& stem = parts.stem;
    // propagate_adjoints gives its functions names of names, in which a counter's "$" became "_".
    for (std::size_t at = 0; (at = stem.find(kAgain, at)) != std::string::npos; at++) {
        stem[at + kAgain.size() - 1] = '$';
    }
    std::size_t inner = 0;  // counters that stand before those of an ending
    for (std::size_t at = stem.find('$', 1); at != std::string::npos; at = stem.find('$', at)) {
        const std::size_t end = std::min(stem.find_first_not_of(kDigits, at + 1), stem.size());
        if (!take(parts, parts.counters.size(), at, at + 1, end)) {
            at++;
        } else if (at < stem.size()) {
            inner++;
        }
    }
    std::size_t ending_size = 0;
    for (const std::string_view ending : kEndings) {
        ending_size = stem.ends_with(ending) ? ending.size() : ending_size;
        while (stem.ends_with(ending) && stem.size() > ending.size()) {
            const std::size_t end = stem.size() - ending.size();
            const std::size_t underscore = stem.rfind('_', end - 1);
            if (underscore == std::string::npos || underscore == 0 ||
                !take(parts, inner, underscore, underscore + 1, end)) {
                break;
            }
        }
    }
    const std::size_t end = stem.size() - ending_size;
    if (stem.starts_with("f")) {
        take(parts, 0, 1, 1, end);
    } else if (stem.starts_with("lambda_")) {
        take(parts, 0, 6, 7, end);
    }
    return parts;
}

std::string variable_label(const std::string& halide_name) {
    std::string label = halide_name;
    std::string suffix;
    if (const auto dollar = label.find('$'); dollar != std::string::npos) {
        suffix = label.substr(dollar + 1);
        label.resize(dollar);
    }
    if (label.size() > 1 && (label[0] == 'v' || label[0] == 'r') &&
        is_number(label, 1, label.size())) {
        label.resize(1);
    }
    // "r$x" names dimension x of domain r; "x$3" is the fourth Var called x.
    if (!suffix.empty() && !is_number(suffix, 0, suffix.size())) {
        label += "_" + suffix.substr(0, suffix.find('$'));
    }
    for (char& c : label) {
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

ElementType ScalarType::element() const {
    if (is_float()) {
        return bits > 32 ? ElementType::Float64 : ElementType::Float32;
    }
    return integer_of(bytes());
}

}  // namespace nestor
