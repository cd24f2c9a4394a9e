#include "plugin/helper_process.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/process.h"
#include "halide/halide.h"

namespace nestor {

namespace fs = std::filesystem;

namespace {

constexpr const char* kName = "nestor";

bool is_program(const fs::path& path) {
    std::error_code problem;
    return fs::is_regular_file(path, problem) && ::access(path.c_str(), X_OK) == 0;
}

/** Of the loaded file that has this address: a library or the program. Empty if it is not known. */
fs::path folder_of(const void* address) {
    Dl_info info;
    if (::dladdr(address, &info) == 0) {
        return {};
    }
    std::error_code problem;
    const fs::path file = fs::canonical(info.dli_fname, problem);
    return problem ? fs::path() : file.parent_path();
}

std::vector<fs::path> places() {
    std::vector<fs::path> list;
    std::error_code problem;
    const fs::path process = fs::read_symlink("/proc/self/exe", problem);
    if (process.filename() == kName) {
        list.push_back(process);
    }
    const fs::path folder = folder_of(reinterpret_cast<const void*>(&is_program));
    if (!folder.empty()) {
        list.push_back((folder / "../bin" / kName).lexically_normal());
        list.push_back((folder / "../../bin" / kName).lexically_normal());
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (!folder.empty()) {  // which would mean the working directory
            list.push_back(fs::path(folder) / kName);
        }
    }
    return list;
}

// What a command of ours says behind its name.
std::string message_of(const std::string& errors) {
    constexpr std::string_view kBegin = "nestor: ";
    std::size_t begin = errors.find(kBegin);
    begin = begin == std::string::npos ? 0 : begin + kBegin.size();
    const std::size_t end = errors.find_last_not_of(" \n");
    return end == std::string::npos || end < begin ? "" : errors.substr(begin, end + 1 - begin);
}

// Installed apart from Halide, `nestor` does not find the library that this process has.
constexpr int kDidNotStart = 127;

std::vector<std::string> with_our_halide(std::vector<std::string> command) {
    const char* known = std::getenv("LD_LIBRARY_PATH");
    const std::string folder =
        folder_of(reinterpret_cast<const void*>(&Halide::get_host_target)).string();
    command.insert(command.begin(),
                   {"/usr/bin/env", "LD_LIBRARY_PATH=" + folder +
                                        (known == nullptr ? "" : ":" + std::string(known))});
    return command;
}

}  // namespace

Result<std::string> find_nestor(const std::string& given) {
    if (!given.empty()) {
        return is_program(given) ? Result<std::string>(given)
                                 : Error{"no program " + given + ", which `nestor` names"};
    }
    std::string looked;
    for (const fs::path& place : places()) {
        if (is_program(place)) {
            return place.string();
        }
        looked += (looked.empty() ? "" : ", ") + place.parent_path().string();
    }
    return Error{
        "the command nestor was not found; name it by autoscheduler.nestor=PATH (looked in " +
        looked + ")"};
}

Result<HelperAnswer> ask_nestor(const std::string& nestor,
                                const std::vector<std::string>& arguments, double seconds) {
    std::vector<std::string> command{nestor};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ProcessOptions options;
    options.seconds = seconds;
    Result<ProcessResult> child = run_process(command, options);
    if (child && child.value().exit_code == kDidNotStart) {
        child = run_process(with_our_halide(command), options);
    }
    if (!child) {
        return Error{child.error()};
    }
    const ProcessResult& ended = child.value();
    if (ended.ok()) {
        return HelperAnswer{false, ended.output};
    }
    const std::string message = message_of(ended.errors);
    if (ended.signal == 0 && ended.exit_code == 1 && !ended.timed_out) {
        return HelperAnswer{true, message};
    }
    return Error{nestor + " " + ended.how_it_ended() + (message.empty() ? "" : ": " + message)};
}

}  // namespace nestor
