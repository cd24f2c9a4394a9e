#include "isolate.h"

#include <Halide.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>

namespace nestor::testing {

namespace {

/// A child that waits for something that never comes uses no processor time: it is given up after
/// this many times the limit by the clock.
constexpr double kPatience = 20;

[[noreturn]] void run_child(const std::function<std::string()>& work, int out,
                            double limit_seconds) {
    const auto limit = static_cast<rlim_t>(std::ceil(limit_seconds));
    const rlimit processor_time{limit, limit + 1};
    setrlimit(RLIMIT_CPU, &processor_time);
    std::string text;
    int status = 0;
    try {
        text = work();
    } catch (const std::exception& error) {
        text = error.what();
        status = 1;
    } catch (...) {
        text = "an exception of unknown type";
        status = 1;
    }
    for (size_t written = 0; written < text.size();) {
        const ssize_t n = write(out, text.data() + written, text.size() - written);
        if (n <= 0) {
            break;
        }
        written += static_cast<size_t>(n);
    }
    std::fflush(nullptr);
    _exit(status);  // no destructors: they belong to the parent
}

/// Reads until the child closes its end or the time is up (false).
bool read_all(int in, double limit_seconds, std::string& text) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::duration<double>(limit_seconds);
    while (true) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd descriptor{in, POLLIN, 0};
        if (left <= 0 || poll(&descriptor, 1, static_cast<int>(left)) == 0) {
            return false;
        }
        char chunk[4096];
        const ssize_t n = read(in, chunk, sizeof(chunk));
        if (n <= 0) {
            return true;
        }
        text.append(chunk, static_cast<size_t>(n));
    }
}

}  // namespace

void warm_up_jit() {
    // No loop here is parallel: threads would not survive a fork.
    static const bool done = [] {
        Halide::Var x;
        Halide::Func nothing;
        nothing(x) = x;
        nothing.realize({1});
        return true;
    }();
    (void)done;
}

IsolatedResult run_isolated(const std::function<std::string()>& work, double limit_seconds) {
    int ends[2];
    if (pipe(ends) != 0) {
        return {"", std::string("pipe: ") + std::strerror(errno)};
    }
    std::fflush(nullptr);  // or the child would print what is still buffered once more
    const pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return {"", std::string("fork: ") + std::strerror(errno)};
    }
    if (child == 0) {
        close(ends[0]);
        run_child(work, ends[1], limit_seconds);
    }
    close(ends[1]);
    IsolatedResult result;
    const bool finished = read_all(ends[0], kPatience * limit_seconds, result.text);
    close(ends[0]);
    if (!finished) {
        kill(child, SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!finished || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)) {
        return {"", "no answer within " + std::to_string(limit_seconds) + " s of processor time"};
    }
    if (WIFSIGNALED(status)) {
        return {"", std::string("killed by signal: ") + strsignal(WTERMSIG(status))};
    }
    if (WEXITSTATUS(status) != 0) {
        return {"", "failed: " + result.text};
    }
    return result;
}

}  // namespace nestor::testing
