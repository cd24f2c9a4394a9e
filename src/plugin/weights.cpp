#include "plugin/weights.h"

#include <array>
#include <filesystem>
#include <fstream>

namespace nestor {

Result<std::string> find_weights(const std::string& place) {
    namespace fs = std::filesystem;
    std::error_code problem;
    fs::path file = place;
    if (fs::is_directory(file, problem)) {
        file /= weights_file_name;
        if (!fs::exists(file, problem)) {
            return Error{"no Nestor weights in this directory (no file " +
                         std::string(weights_file_name) + "): " + place};
        }
    }
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        return Error{"cannot read the weights file: " + file.string()};
    }
    std::array<char, weights_magic.size()> head{};
    stream.read(head.data(), head.size());
    if (std::string_view(head.data(), static_cast<std::size_t>(stream.gcount())) != weights_magic) {
        return Error{"not a Nestor weights file: " + file.string()};
    }
    return file.string();
}

}  // namespace nestor
