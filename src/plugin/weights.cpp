#include "plugin/weights.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/files.h"

namespace nestor {

namespace {

namespace fs = std::filesystem;

enum class Head { Unreadable, Foreign, Ours };

Head head_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::error_code problem;
    if (!stream || fs::is_directory(file, problem)) {
        return Head::Unreadable;
    }
    std::array<char, weights_magic.size()> head{};
    stream.read(head.data(), head.size());
    const std::string_view read(head.data(), static_cast<std::size_t>(stream.gcount()));
    return read == weights_magic ? Head::Ours : Head::Foreign;
}

}  // namespace

Result<std::string> find_weights(const std::string& place) {
    std::error_code problem;
    fs::path file = place;
    if (fs::is_directory(file, problem)) {
        const auto* const name = std::ranges::find_if(
            weights_file_names,
            [&](std::string_view each) { return fs::exists(file / each, problem); });
        if (name == weights_file_names.end()) {
            return Error{
                "no Nestor weights in this directory (no file nestor.weights or "
                "updated.weights): " +
                place};
        }
        file /= *name;
    }
    switch (head_of(file.string())) {
        case Head::Unreadable:
            return Error{"cannot read the weights file: " + file.string()};
        case Head::Foreign:
            return Error{"not a Nestor weights file: " + file.string()};
        case Head::Ours:
            break;
    }
    return file.string();
}

bool is_foreign_weights(const std::string& file) {
    return head_of(file) == Head::Foreign;
}

Result<Correction> read_weights(const std::string& place) {
    const Result<std::string> file = find_weights(place);
    if (!file) {
        return Error{file.error()};
    }
    const Result<std::string> text = read_file(file.value());
    if (!text) {
        return Error{text.error()};
    }
    Result<Correction> correction = Correction::parse(text.value());
    if (!correction) {
        return Error{file.value() + ": " + correction.error()};
    }
    return correction;
}

Result<std::optional<Correction>> read_optional_weights(const std::string& place) {
    if (place.empty()) {
        return std::optional<Correction>();
    }
    Result<Correction> correction = read_weights(place);
    if (!correction) {
        return Error{correction.error()};
    }
    return std::optional(std::move(correction).value());
}

}  // namespace nestor
