#include "cli/command_line.h"

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "halide/halide.h"

namespace nestor {

namespace {

constexpr const char* kFooter = R"(
Start with
  nestor doctor
  nestor schedule build/harris.generator -g harris
`nestor SUBCOMMAND --help` has examples of each. Exit status: 0 done, 1 failed, 2 wrong usage.)";

void complain(const std::string& message) {
    std::cout.flush();
    const std::size_t end = message.find_last_not_of(" \n");
    std::cerr << "nestor: " << message.substr(0, end == std::string::npos ? 0 : end + 1) << "\n";
}

int report_usage(const CLI::App& app, const CLI::ParseError& problem) {
    const auto used = app.get_subcommands();
    complain(std::string(problem.what()) + "\nSee nestor " +
             (used.empty() ? "" : used.front()->get_name() + " ") + "--help.");
    return kUsage;
}

/** Everything that was asked for has been written, also to a full disk or a closed pipe. */
int finish_output() {
    std::cout.flush();
    if (!std::cout) {
        complain("cannot write to standard output");
        return kFailure;
    }
    return kSuccess;
}

int run_action(const Action& action) {
    const Status status = action();
    if (!status.ok()) {
        complain(status.error());
        return kFailure;
    }
    return finish_output();
}

/** The words behind the program's name, last first, as CLI11 wants them. */
std::vector<std::string> read_words(int argc, char** argv) {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    for (const Command& command : commands()) {
        if (command.respell != nullptr && !words.empty() && words.front() == command.name) {
            std::ranges::transform(words, words.begin(), command.respell);
        }
    }
    std::ranges::reverse(words);
    return words;
}

int parse_and_run(CLI::App& app, int argc, char** argv, const Action& chosen) {
    try {
        app.parse(read_words(argc, argv));
        return run_action(chosen);
    } catch (const CLI::Success& asked) {  // --help or --version
        app.exit(asked);
        return finish_output();
    } catch (const CLI::ParseError& problem) {
        return report_usage(app, problem);
    }
}

}  // namespace

int run_command_line(int argc, char** argv, const char* version) {
    CLI::App app("Nestor schedules Halide pipelines automatically.", "nestor");
    app.set_version_flag("--version", std::string("nestor ") + version);
    app.require_subcommand(1);
    app.footer(kFooter);
    // Ignored signals are inherited; ours would then hide how a child ended.
    std::signal(SIGCHLD, SIG_DFL);
    Action chosen;
    for (const Command& command : commands()) {
        CLI::App* sub = app.add_subcommand(command.name, command.summary);
        const Action action = command.define(*sub);
        sub->final_callback([&chosen, action] { chosen = action; });
    }
    try {
        return parse_and_run(app, argc, argv, [&] { return chosen(); });
    } catch (const Halide::Error& problem) {
        complain(std::string("Halide reports an error that was not expected here: ") +
                 problem.what());
    } catch (const std::exception& problem) {
        complain(std::string("unexpected failure: ") + problem.what());
    }
    return kFailure;
}

}  // namespace nestor
