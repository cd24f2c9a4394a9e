#pragma once
// Child processes: other programs, and functions of our own that may crash.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace nestor {

/** How a child ended, and what it printed. */
struct ProcessResult {
    int exit_code = 0;
    int signal = 0;      // that ended it; 0: it exited
    std::string output;  // stdout, if it was captured
    std::string errors;  // the last 64 KiB of stderr, if it was captured
    bool timed_out = false;
    double seconds = 0;           // from its start to its end
    std::int64_t peak_bytes = 0;  // the largest part of it that was in memory

    [[nodiscard]] bool ok() const { return exit_code == 0 && signal == 0; }

    /** "exited with code 3", "was ended by signal 11 (Segmentation fault)", "took too long". */
    [[nodiscard]] std::string how_it_ended() const;
};

enum class Stream {
    Inherit,  // ours
    Capture,
    Copy,  // captured, and copied to our stderr as it comes
};

struct ProcessOptions {
    Stream output = Stream::Capture;
    Stream errors = Stream::Capture;
    bool search_path = false;       // for the program, as a shell does
    double seconds = 0;             // after which it is killed, and what it started; 0: no limit
    double processor_seconds = 0;   // the same, of processor time of its own; 0: no limit
    std::int64_t memory_bytes = 0;  // of address space; 0: no limit
};

/** Runs a program with exactly these arguments; no shell, and nothing to read on stdin. A signal
 * that asks this process to stop is passed on to the child and becomes an Error after the child has
 * ended, so that the caller can tidy up. Other Errors: the program could not be started. */
[[nodiscard]] Result<ProcessResult> run_process(const std::vector<std::string>& command,
                                                const ProcessOptions& options);

/** A compiler or linker, found as a shell finds it, of which the messages are wanted only if it
 * fails: they are in the Error. `seconds` as in ProcessOptions. */
[[nodiscard]] Status run_tool(const std::vector<std::string>& command, double seconds = 0);

/** Whether a signal that asks this process to stop came while one of these functions ran. Work that
 * consists of several children ends then. */
[[nodiscard]] bool was_interrupted();

/** Runs a function in a copy of this process, for what may end the process (LLVM's fatal errors) or
 * leave it changed (plug-ins). Its return value becomes the exit code. No threads may be running.
 */
[[nodiscard]] Result<ProcessResult> run_forked(const std::function<int()>& body,
                                               const ProcessOptions& options);

/** A command line that a POSIX shell reads as these words. */
[[nodiscard]] std::string shell_text(const std::vector<std::string>& command);

}  // namespace nestor
