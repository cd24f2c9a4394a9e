#include "measure/forked_child.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>

#include "measure/lines.h"

namespace nestor {

namespace {

constexpr off_t kKeptErrors = 2000;

std::int64_t address_space_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t pages = 0;
    statm >> pages;
    return pages * sysconf(_SC_PAGESIZE);
}

void limit_child(std::int64_t memory_bytes) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    const auto bytes = static_cast<rlim_t>(address_space_bytes() + memory_bytes);
    const rlimit memory{bytes, bytes};
    setrlimit(RLIMIT_AS, &memory);
    const rlimit core{0, 0};
    setrlimit(RLIMIT_CORE, &core);
}

[[noreturn]] void run_child(const std::function<void(const ParentLink&)>& body,
                            const ParentLink& link) {
    int status = 0;
    try {
        body(link);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        status = 1;
    } catch (...) {
        std::fputs("an exception of unknown type\n", stderr);
        status = 1;
    }
    std::fflush(nullptr);
    _exit(status);  // no destructors: they belong to the parent
}

}  // namespace

void ParentLink::tell(const std::string& line) const {
    if (!write_line(messages_, line)) {
        _exit(1);  // nobody listens any more
    }
}

std::string ParentLink::hear() const {
    std::string line;
    while (true) {
        char next = 0;
        const ssize_t n = read(orders_, &next, 1);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            _exit(1);
        }
        if (next == '\n') {
            return line;
        }
        line += next;
    }
}

void ParentLink::wait_for_turn() const {
    tell("ready");
    (void)hear();
}

Result<std::unique_ptr<ForkedChild>> ForkedChild::start(
    const std::function<void(const ParentLink&)>& body, std::int64_t memory_bytes) {
    std::array<int, 2> messages{-1, -1};
    std::array<int, 2> orders{-1, -1};
    std::unique_ptr<ForkedChild> child(new ForkedChild);
    child->errors_ = memfd_create("errors", MFD_CLOEXEC);
    const bool piped =
        pipe2(messages.data(), O_CLOEXEC) == 0 && pipe2(orders.data(), O_CLOEXEC) == 0;
    child->messages_ = messages[0];
    child->orders_ = orders[1];
    std::fflush(nullptr);  // or the child would print what is still buffered once more
    const pid_t pid = piped && child->errors_ >= 0 ? fork() : -1;
    if (pid == 0) {
        dup2(child->errors_, STDERR_FILENO);
        close(messages[0]);
        close(orders[1]);
        limit_child(memory_bytes);
        run_child(body, ParentLink(messages[1], orders[0]));
    }
    const int problem = errno;
    for (const int end : {messages[1], orders[0]}) {
        if (end >= 0) {
            close(end);
        }
    }
    if (pid < 0) {
        return Error{std::string("cannot start a child process: ") + std::strerror(problem)};
    }
    child->pid_ = pid;
    setpgid(pid, pid);  // here, too: it may be paused before it has come to do so itself
    fcntl(child->messages_, F_SETFL, O_NONBLOCK);
    child->start_clock();
    return child;
}

ForkedChild::~ForkedChild() {
    if (pid_ > 0) {
        kill();
        waitpid(pid_, nullptr, 0);
    }
    for (const int end : {messages_, orders_, errors_}) {
        if (end >= 0) {
            close(end);
        }
    }
}

bool ForkedChild::receive(std::vector<std::string>& lines) {
    std::array<char, 65536> chunk{};
    while (true) {
        const ssize_t n = read(messages_, chunk.data(), chunk.size());
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return errno == EAGAIN;
        }
        if (n == 0) {
            return false;
        }
        partial_.append(chunk.data(), static_cast<std::size_t>(n));
        std::size_t end = 0;
        while ((end = partial_.find('\n')) != std::string::npos) {
            lines.push_back(partial_.substr(0, end));
            partial_.erase(0, end + 1);
        }
    }
}

void ForkedChild::tell(const std::string& line) const {
    // A child that has died meanwhile is noticed by its closed end.
    (void)write_line(orders_, line);
}

void ForkedChild::give_turn() const {
    tell("your turn");
}

void ForkedChild::pause() {
    if (!paused_) {
        ::kill(-pid_, SIGSTOP);
        before_ = seconds();
        paused_ = true;
    }
}

void ForkedChild::resume() {
    if (paused_) {
        ::kill(-pid_, SIGCONT);
        paused_ = false;
        since_ = Clock::now();
    }
}

void ForkedChild::kill() const {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // it may not have its own group yet
}

double ForkedChild::seconds() const {
    return paused_ ? before_
                   : before_ + std::chrono::duration<double>(Clock::now() - since_).count();
}

void ForkedChild::start_clock() {
    before_ = 0;
    since_ = Clock::now();
}

ForkedChild::End ForkedChild::wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    ::kill(-pid_, SIGKILL);  // what it may have started
    pid_ = -1;
    End end;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    const off_t size = lseek(errors_, 0, SEEK_END);
    end.errors.resize(static_cast<std::size_t>(std::clamp<off_t>(size, 0, kKeptErrors)));
    const ssize_t n = pread(errors_, end.errors.data(), end.errors.size(),
                            std::max<off_t>(size - kKeptErrors, 0));
    end.errors.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    while (end.errors.ends_with('\n')) {
        end.errors.pop_back();
    }
    return end;
}

std::string ForkedChild::End::text() const {
    std::string how =
        signal != 0 ? "ended by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")"
                    : "exited with code " + std::to_string(exit_code);
    return errors.empty() ? how : how + ": " + errors;
}

}  // namespace nestor
