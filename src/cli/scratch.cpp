#include "cli/scratch.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/files.h"

namespace nestor {

namespace fs = std::filesystem;

namespace {

/** How a file of text that Halide or Nestor writes ends when it is whole. */
struct Ending {
    const char* extension;
    const char* text;
};

constexpr std::array kEndings = {
    Ending{".h", "\n"},    Ending{".cpp", "\n"}, Ending{".stmt", "\n"},
    Ending{".ll", "\n"},   Ending{".s", "\n"},   Ending{".featurization", "\n"},
    Ending{".json", "\n"}, Ending{".py", "\n"},  Ending{".html", "</html>"},
};

bool ends_as_it_should(const std::string& path) {
    const auto* row = std::find_if(kEndings.begin(), kEndings.end(), [&](const Ending& ending) {
        return path.ends_with(ending.extension);
    });
    if (row == kEndings.end()) {
        return true;  // LLVM's own files: it does look
    }
    const Result<std::string> contents = read_file(path);
    if (!contents.ok()) {
        return false;
    }
    // A featurization is empty where no scheduler has run.
    const std::string& text = contents.value();
    return text.empty() || text.ends_with(row->text) ||
           text.ends_with(row->text + std::string("\n"));
}

Error cut_short(const std::string& path, const std::string& why) {
    return Error{"cannot write " + path + ": " + why + ". Nothing was kept."};
}

}  // namespace

Result<Scratch> Scratch::create(const std::string& parent) {
    std::error_code problem;
    const fs::path folder = parent.empty() ? fs::temp_directory_path(problem) : fs::path(parent);
    if (problem) {
        return Error{"no folder for temporary files: " + problem.message() +
                     ". TMPDIR names another one."};
    }
    std::string path = (folder / ".nestor-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) {
        return Error{"cannot write to " + folder.string() + ": " + std::strerror(errno)};
    }
    return Scratch(path);
}

Scratch::Scratch(Scratch&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
}

Scratch::~Scratch() {
    if (!path_.empty()) {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
}

std::vector<std::string> Scratch::files() const {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(path_, ignored)) {
        if (entry.is_regular_file(ignored)) {
            names.push_back(entry.path().filename().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string Scratch::only_file(const std::string& ending) const {
    std::string found;
    for (const std::string& name : files()) {
        if (name.ends_with(ending)) {
            if (!found.empty()) {
                return "";
            }
            found = path_ + "/" + name;
        }
    }
    return found;
}

Result<Staging> Staging::create(const std::string& directory) {
    const std::string folder = directory.empty() ? "." : directory;
    std::error_code ignored;
    const bool made = !fs::exists(folder, ignored);
    if (Status status = make_directory(folder); !status.ok()) {
        return Error{status.error()};
    }
    Result<Scratch> scratch = Scratch::create(folder);
    if (!scratch.ok()) {
        return Error{scratch.error()};
    }
    return Staging(folder, made, std::move(scratch).value());
}

Staging::~Staging() {
    if (made_ && !scratch_.path().empty()) {
        std::error_code ignored;
        fs::remove_all(scratch_.path(), ignored);
        fs::remove(directory_, ignored);  // if nothing was moved to it
    }
}

Status Staging::check(const std::vector<std::string>& names) const {
    // 1. No file has reached the size that the system allows.
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    for (const std::string& name : names) {
        std::error_code problem;
        const auto size = fs::file_size(path() + "/" + name, problem);
        if (problem || (limit.rlim_cur != RLIM_INFINITY && size >= limit.rlim_cur)) {
            return cut_short(directory_ + "/" + name, "it is larger than files may be (ulimit -f)");
        }
    }
    // 2. A little more would still fit: more than the blocks in which text is written.
    const std::string probe = path() + "/.probe";
    if (const Status status = write_file(probe, std::string(16 * 1024, '.')); !status.ok()) {
        return cut_short("to " + directory_, status.error().substr(status.error().rfind(": ") + 2));
    }
    ::unlink(probe.c_str());
    // 3. Text ends where it should: what else took the space may be gone again.
    for (const std::string& name : names) {
        if (!ends_as_it_should(path() + "/" + name)) {
            return cut_short(directory_ + "/" + name, "its end is missing; the disk may be full");
        }
    }
    return Ok{};
}

Result<std::vector<std::string>> Staging::commit() {
    const std::vector<std::string> names = scratch_.files();
    if (const Status status = check(names); !status.ok()) {
        return Error{status.error()};
    }
    std::error_code problem;
    for (const std::string& name : names) {
        if (fs::is_directory(fs::path(directory_) / name, problem)) {
            return Error{"cannot write " + directory_ + "/" + name + ": it is a folder"};
        }
    }
    std::vector<std::string> paths;
    for (const std::string& name : names) {
        const std::string to = (fs::path(directory_) / name).lexically_normal().string();
        fs::rename(path() + "/" + name, to, problem);
        if (problem) {
            return Error{"cannot write " + to + ": " + problem.message()};
        }
        paths.push_back(to);
    }
    return paths;
}

}  // namespace nestor
