#pragma once
// `nestor`: reads the command line, runs the sub-command, reports.

namespace nestor {

/** Exit status of every sub-command. */
enum ExitCode : int {
    kSuccess = 0,
    kFailure = 1,  // the work could not be done; why is on stderr
    kUsage = 2,    // the command line makes no sense; nothing was done
};

/** `version` is what --version prints. */
[[nodiscard]] int run_command_line(int argc, char** argv, const char* version);

}  // namespace nestor
