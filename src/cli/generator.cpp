#include "cli/generator.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace nestor {

namespace fs = std::filesystem;

namespace {

constexpr const char* kListHead = "available Generators are:";

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

/** The indented lines behind the head. */
std::vector<std::string> listed_names(const std::string& text) {
    std::vector<std::string> names;
    const std::size_t head = text.find(kListHead);
    if (head == std::string::npos) {
        return names;
    }
    std::istringstream lines(text.substr(head + std::strlen(kListHead) + 1));
    for (std::string line; std::getline(lines, line) && line.starts_with(' ');) {
        names.push_back(line.substr(line.find_first_not_of(' ')));
    }
    return names;
}

/** What messages of the system and of Halide mean for someone who runs a generator through us. */
std::string advice(const std::string& errors) {
    if (has(errors, "error while loading shared libraries")) {
        return "A library that it needs was not found: set LD_LIBRARY_PATH to its folder (for "
               "libHalide.so, halide/lib64 in the site-packages of the Python that has Halide).";
    }
    if (has(errors, "Unknown autoscheduler name")) {
        return "The plug-in was loaded, but not into the generator's own Halide: link the "
               "generator "
               "with the shared libHalide.so of the release that Nestor was built for (nestor "
               "doctor "
               "names it).";
    }
    if (has(errors, "undefined symbol")) {
        return "The plug-in could not be loaded: link the generator with the shared libHalide.so "
               "of "
               "the release that Nestor was built for (nestor doctor names it).";
    }
    if (has(errors, "is no longer supported")) {
        return "For the command line of older Halide releases there is nestor generate.";
    }
    return "";
}

/** The command line for a shell, with the current folder in place of one that is gone. */
std::string by_hand(std::vector<std::string> command, const std::string& scratch) {
    for (std::string& word : command) {
        const std::size_t at = scratch.empty() ? std::string::npos : word.find(scratch);
        if (at != std::string::npos) {
            word.replace(at, scratch.size(), ".");
        }
    }
    return "To run it by hand:\n  " + shell_text(command);
}

}  // namespace

std::string joined(const std::vector<std::string>& words, const std::string& between) {
    std::string text;
    for (const std::string& word : words) {
        text += (&word == &words.front() ? "" : between) + word;
    }
    return text;
}

std::vector<std::string> split(const std::string& text, char between) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, between);) {
        if (!word.empty()) {
            words.push_back(word);
        }
    }
    return words;
}

Result<Generator> Generator::open(const std::string& path) {
    std::error_code problem;
    if (!fs::exists(path, problem)) {
        return Error{"there is no file " + path +
                     ". A generator is a program: build it, and give the path of the result "
                     "(build/harris.generator, say)"};
    }
    if (fs::is_directory(path, problem)) {
        return Error{path +
                     " is a folder; give the path of a generator in it, or of a .hlpipe file"};
    }
    const std::string extension = fs::path(path).extension();
    if (extension == ".cpp" || extension == ".cc" || extension == ".h") {
        return Error{path +
                     " is source code: build the generator, and give the path of the program"};
    }
    if (extension == ".py") {
        return Error{path +
                     " is a Python program, and not run here: save its pipeline from Python "
                     "(docs/command-line.md), and give the .hlpipe file"};
    }
    if (::access(path.c_str(), X_OK) != 0) {
        return Error{path + " is neither a program nor a .hlpipe file (" + std::strerror(errno) +
                     "). If it is a generator, make it executable: chmod +x " + path};
    }
    return Generator(fs::absolute(path, problem).lexically_normal().string());
}

Result<std::vector<std::string>> Generator::names() const {
    const Result<ProcessResult> result = run_process({path_}, {});
    if (!result.ok()) {
        return Error{result.error()};
    }
    const ProcessResult& run = result.value();
    std::vector<std::string> names = listed_names(run.errors);
    if (names.empty()) {
        names = listed_names(run.output);
    }
    if (!names.empty()) {
        return names;
    }
    std::string text = path_ +
                       " does not look like a Halide generator: run without arguments, it " +
                       run.how_it_ended() + " and listed no generators";
    if (!run.errors.empty()) {
        text += ". It said:\n" + run.errors.substr(0, 2000);
    }
    const std::string more = advice(run.errors);
    return Error{text + (more.empty() ? "" : "\n" + more)};
}

Result<std::string> Generator::choose_name(const std::string& given) const {
    if (!given.empty()) {
        return given;
    }
    const Result<std::vector<std::string>> all = names();
    if (!all.ok()) {
        return Error{all.error()};
    }
    if (all.value().size() == 1) {
        return all.value().front();
    }
    return Error{path_ +
                 " holds several generators; choose one with -g: " + joined(all.value(), ", ")};
}

std::vector<std::string> Generator::command(const GeneratorJob& job) const {
    std::vector<std::string> words{path_, "-g", job.name, "-o", job.directory};
    if (!job.outputs.empty()) {
        words.insert(words.end(), {"-e", joined(job.outputs, ",")});
    }
    if (!job.function.empty()) {
        words.insert(words.end(), {"-f", job.function});
    }
    if (!job.base_name.empty()) {
        words.insert(words.end(), {"-n", job.base_name});
    }
    words.insert(words.end(), {"-p", job.plugin, "target=" + job.target, "autoscheduler=Nestor"});
    words.insert(words.end(), job.params.begin(), job.params.end());
    return words;
}

Status Generator::run(const GeneratorJob& job) const {
    if (has(job.plugin, ",")) {
        return Error{"generators separate plug-ins by commas, so that none can be loaded from " +
                     job.plugin + ". Copy it to a path without a comma and name that by --plugin"};
    }
    const std::vector<std::string> words = command(job);
    const Result<ProcessResult> result = run_process(words, {Stream::Copy, Stream::Copy});
    if (!result.ok()) {
        return Error{result.error()};
    }
    if (!result.value().ok()) {
        return Error{explain_failure(words, job.directory, result.value())};
    }
    return Ok{};
}

Error Generator::wrote_nothing(const GeneratorJob& job) const {
    const auto all = names();
    if (!all.ok()) {
        return Error{"nothing was written: " + all.error()};
    }
    return Error{path_ + " ended well, but wrote nothing. " + by_hand(command(job), job.directory)};
}

std::string Generator::explain_failure(const std::vector<std::string>& command,
                                       const std::string& scratch,
                                       const ProcessResult& result) const {
    const std::string& errors = result.errors;
    std::string text = path_ + " " + result.how_it_ended();
    text += errors.empty() ? ", without a message" : "; its messages are above";
    if (const std::string more = advice(errors); !more.empty()) {
        text += ".\n" + more;
    } else if (!has(errors, "Error:")) {  // Halide's own messages say what is wrong
        const auto all = names();
        if (!all.ok()) {
            return text + ".\n" + all.error();
        }
        text += ". It is a generator, so something in it went wrong.";
    }
    return text + "\n" + by_hand(command, scratch);
}

}  // namespace nestor
