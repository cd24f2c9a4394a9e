#include "cli/plugin_path.h"

#include <cstdlib>
#include <filesystem>

namespace nestor {

namespace fs = std::filesystem;

namespace {

/** Relative to the folder of the executable. */
constexpr const char* kPlaces[] = {"../lib", "../lib64", "../lib/x86_64-linux-gnu",
                                   "../lib/aarch64-linux-gnu", "."};

Result<std::string> from_user(const std::string& given, const std::string& file,
                              const std::string& said) {
    std::error_code problem;
    fs::path path = fs::absolute(given, problem);
    if (fs::is_directory(path, problem)) {
        path /= file;
    } else if (file != kPluginFile && path.filename() != file) {
        path.replace_filename(file);  // the two are installed side by side
    }
    if (!fs::is_regular_file(path, problem)) {
        return Error{"no plug-in " + path.string() + ", which " + said + " names"};
    }
    return path.lexically_normal().string();
}

}  // namespace

std::string own_path() {
    std::error_code problem;
    return fs::read_symlink("/proc/self/exe", problem).string();
}

Result<std::string> find_plugin(const std::string& given, const std::string& file) {
    if (!given.empty()) {
        return from_user(given, file, "--plugin");
    }
    if (const char* variable = std::getenv("NESTOR_PLUGIN"); variable != nullptr && *variable) {
        return from_user(variable, file, "the environment variable NESTOR_PLUGIN");
    }
    const fs::path here = fs::path(own_path()).parent_path();
    std::string looked;
    for (const char* place : kPlaces) {
        const fs::path path = (here / place / file).lexically_normal();
        std::error_code problem;
        if (fs::is_regular_file(path, problem)) {
            return path.string();
        }
        looked += "\n  " + path.string();
    }
    return Error{"the plug-in " + file +
                 " was not found. Name it by --plugin FILE or by the "
                 "environment variable NESTOR_PLUGIN, or install Nestor again. Looked for:" +
                 looked};
}

}  // namespace nestor
