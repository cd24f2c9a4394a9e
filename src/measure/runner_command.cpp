#include "measure/runner_command.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "halide/task_target.h"
#include "measure/benchmark.h"

namespace nestor {

namespace {

using Halide::Target;

bool says(const std::string& command, const char* placeholder) {
    return command.find(placeholder) != std::string::npos;
}

bool says_binary(const std::string& command) {
    return says(command, "{binary}") || says(command, "{name}");
}

/** From left to right: what is put in is not looked at again, and other braces are the shell's. */
std::string expand(const std::string& command, const std::string& binary,
                   const std::string& arguments) {
    const std::array<std::pair<std::string, std::string>, 3> meanings = {{
        {"{binary}", binary},
        {"{name}", std::filesystem::path(binary).filename().string()},
        {"{args}", arguments},
    }};
    std::string text;
    for (std::size_t i = 0; i < command.size();) {
        const std::size_t before = i;
        for (const auto& [placeholder, meaning] : meanings) {
            if (i == before && command.compare(i, placeholder.size(), placeholder) == 0) {
                text += meaning;
                i += placeholder.size();
            }
        }
        if (i == before) {
            text += command[i++];
        }
    }
    return text;
}

/** A compiler that Debian has for a target, and the package that it is in. */
struct CrossCompiler {
    Target::Arch arch;
    int bits;
    const char* program;
    const char* package;
};

constexpr std::array kCrossCompilers = {
    CrossCompiler{Target::ARM, 64, "aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu"},
    CrossCompiler{Target::ARM, 32, "arm-linux-gnueabihf-g++", "g++-arm-linux-gnueabihf"},
    CrossCompiler{Target::X86, 64, "x86_64-linux-gnu-g++", "g++-x86-64-linux-gnu"},
    CrossCompiler{Target::X86, 32, "i686-linux-gnu-g++", "g++-i686-linux-gnu"},
    CrossCompiler{Target::RISCV, 64, "riscv64-linux-gnu-g++", "g++-riscv64-linux-gnu"},
    CrossCompiler{Target::POWERPC, 64, "powerpc64le-linux-gnu-g++", "g++-powerpc64le-linux-gnu"},
};

bool is_program(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        return access(name.c_str(), X_OK) == 0;
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (access((folder + "/" + name).c_str(), X_OK) == 0) {
            return true;
        }
    }
    return false;
}

/** The end of what a program printed. */
std::string tail(const std::string& text) {
    constexpr std::size_t kKept = 500;
    std::string end = text.size() > kKept ? "..." + text.substr(text.size() - kKept) : text;
    while (end.ends_with('\n') || end.ends_with('\r')) {
        end.pop_back();
    }
    return end;
}

/** The signal that ended the benchmark: of a runner that passed it on, or told it as shells do. */
int fatal_signal(const ProcessResult& ran) {
    constexpr int kShells = 128;
    if (ran.signal != 0) {
        return ran.signal;
    }
    const int signal = ran.exit_code - kShells;
    return signal > 0 && signal < SIGSYS ? signal : 0;
}

std::string with_errors(const std::string& text, const ProcessResult& ran) {
    const std::string errors = tail(ran.errors);
    return errors.empty() ? text : text + ": " + errors;
}

/** The last answer among what was printed; empty: there is none. */
std::string answer_in(const std::string& output) {
    const std::size_t start = output.rfind(kBenchmarkAnswer);
    if (start == std::string::npos) {
        return "";
    }
    const std::size_t json = start + std::strlen(kBenchmarkAnswer);
    return output.substr(json, output.find_first_of("\r\n", json) - json);
}

}  // namespace

Status check_runner(const RunnerOptions& runner) {
    if (!runner.used()) {
        return runner.copy.empty() && runner.compiler.empty()
                   ? Status(Ok{})
                   : Error{"--runner-copy and --runner-cxx have no meaning without --runner"};
    }
    if (says(runner.command, "{args}") && !says_binary(runner.command)) {
        return Error{"the runner '" + runner.command +
                     "' has {args}, but neither {binary} nor {name} before it"};
    }
    if (!runner.copy.empty() && !says(runner.copy, "{binary}")) {
        return Error{"'" + runner.copy +
                     "' copies nothing: {binary} stands for the file that the runner needs"};
    }
    return Ok{};
}

std::string copy_command(const RunnerOptions& runner, const std::string& binary) {
    return expand(runner.copy, binary, "");
}

std::string run_command(const RunnerOptions& runner, const std::string& binary,
                        const std::string& arguments) {
    std::string command = runner.command;
    if (!says_binary(command)) {
        command += " {binary}";
    }
    if (!says(command, "{args}")) {
        command += " {args}";
    }
    return expand(command, binary, arguments);
}

Result<std::string> find_compiler(const RunnerOptions& runner, const Target& target) {
    const std::string option = "--runner-cxx";
    if (!runner.compiler.empty()) {
        return is_program(runner.compiler)
                   ? Result<std::string>(runner.compiler)
                   : Error{"the compiler " + runner.compiler + " (" + option + ") was not found"};
    }
    if (is_of_host(target)) {
        return is_program("c++") ? Result<std::string>("c++")
                                 : Error{
                                       "the compiler c++ was not found: install g++ (Debian), or "
                                       "name a compiler with " +
                                       option};
    }
    for (const CrossCompiler& each : kCrossCompilers) {
        if (target.os != Target::Linux || target.arch != each.arch || target.bits != each.bits) {
            continue;
        }
        return is_program(each.program)
                   ? Result<std::string>(each.program)
                   : Error{"to link programs for " + target.to_string() + ", " + each.program +
                           " is needed: install " + each.package +
                           " (Debian), or name another compiler with " + option};
    }
    return Error{
        "which compiler links C++ programs for " + target.to_string() + "? Name it with " + option +
        (target.os == Target::Android ? ", e.g. aarch64-linux-android24-clang++ of the Android NDK"
                                      : "")};
}

Measurement read_answer(const Result<ProcessResult>& ran) {
    if (!ran) {
        return Measurement::failure(Outcome::Lost, ran.error());
    }
    const ProcessResult& process = ran.value();
    if (process.timed_out) {
        return Measurement::failure(Outcome::Timeout,
                                    with_errors("the runner took too long", process));
    }
    if (const int signal = fatal_signal(process); signal != 0) {
        const std::string text = std::string("ended by signal ") + strsignal(signal);
        return Measurement::failure(signal == SIGKILL ? Outcome::OutOfMemory : Outcome::Crash,
                                    with_errors(text, process));
    }
    if (!process.ok()) {
        return Measurement::failure(Outcome::Lost,
                                    with_errors("the runner " + process.how_it_ended(), process));
    }
    const std::string answer = answer_in(process.output);
    Result<Measurement> measurement =
        measurement_from_json(nlohmann::json::parse(answer, nullptr, false));
    if (!measurement || (measurement.value().ok() && measurement.value().seconds < 0)) {
        return Measurement::failure(
            Outcome::Lost,
            with_errors("the runner's output has no answer of the benchmark; it ends in: " +
                            tail(process.output),
                        process));
    }
    return std::move(measurement).value();
}

}  // namespace nestor
