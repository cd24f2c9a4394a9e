#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iostream>
#include <thread>

namespace nestor {

namespace {

constexpr std::size_t kKept = 64 * 1024;

Error system_error(const std::string& what, int error) {
    return Error{what + ": " + std::strerror(error)};
}

/** A pipe whose reading end is ours. */
class Pipe {
  public:
    Pipe() { failed_ = ::pipe2(ends_, O_CLOEXEC) != 0; }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    [[nodiscard]] bool failed() const { return failed_; }
    [[nodiscard]] int reading() const { return ends_[0]; }
    [[nodiscard]] int writing() const { return ends_[1]; }
    void close_end(int end) {
        if (ends_[end] >= 0) {
            ::close(ends_[end]);
            ends_[end] = -1;
        }
    }

  private:
    int ends_[2] = {-1, -1};
    bool failed_ = false;
};

bool stop_was_asked_for = false;  // in some call

// Written by the signal handler.
volatile std::sig_atomic_t caught_signal = 0;
volatile std::sig_atomic_t child_to_tell = 0;

void pass_on(int signal) {
    caught_signal = signal;
    if (child_to_tell > 0) {
        ::kill(child_to_tell, signal);
    }
}

/** While this lives, signals that ask to stop are passed on to a child instead of ending us. */
class SignalsPassedOn {
  public:
    SignalsPassedOn() {
        caught_signal = 0;
        struct sigaction action{};
        action.sa_handler = pass_on;
        ::sigemptyset(&action.sa_mask);
        for (std::size_t i = 0; i < kSignals.size(); i++) {
            ::sigaction(kSignals[i], nullptr, &before_[i]);
            if (before_[i].sa_handler != SIG_IGN) {  // nohup stays in force
                ::sigaction(kSignals[i], &action, nullptr);
            }
        }
    }
    ~SignalsPassedOn() {
        child_to_tell = 0;
        restore();
    }
    SignalsPassedOn(const SignalsPassedOn&) = delete;
    SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;

    void restore() const {
        for (std::size_t i = 0; i < kSignals.size(); i++) {
            ::sigaction(kSignals[i], &before_[i], nullptr);
        }
    }
    void pass_to(pid_t child) {
        child_to_tell = child;
        if (caught_signal != 0) {
            ::kill(child, caught_signal);
        }
    }

  private:
    static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before_[kSignals.size()] = {};
};

/** 1. open the pipes; 2. start the child; 3. read what it prints until it ends; 4. say how it
 * ended. */
class Child {
  public:
    explicit Child(const ProcessOptions& options) : options_(options) {}

    Result<ProcessResult> run(const std::function<int(pid_t&)>& start, const std::string& name) {
        if (output_.failed() || errors_.failed() || null_ < 0) {
            return system_error("cannot start " + name, errno);
        }
        std::cout.flush();
        if (const int problem = start(pid_); problem != 0) {
            return system_error("cannot start " + name, problem);
        }
        start_ = Clock::now();
        signals_.pass_to(pid_);
        output_.close_end(1);
        errors_.close_end(1);
        read_until_end();
        if (caught_signal != 0) {
            stop_was_asked_for = true;
            return Error{std::string("interrupted (") + ::strsignal(caught_signal) + ")"};
        }
        return std::move(result_);
    }

    ~Child() {
        if (null_ >= 0) {
            ::close(null_);
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    int spawn(const std::vector<std::string>& command, pid_t& pid) {
        std::vector<char*> arguments;
        arguments.reserve(command.size() + 1);
        for (const std::string& word : command) {
            arguments.push_back(const_cast<char*>(word.c_str()));
        }
        arguments.push_back(nullptr);
        Pipe problems;  // closed by a successful exec
        if (problems.failed()) {
            return errno;
        }
        const auto become = options_.search_path ? ::execvp : ::execv;
        const int problem = fork_body(
            [&] {
                become(arguments[0], arguments.data());
                const int error = errno;
                const bool told = ::write(problems.writing(), &error, sizeof error) > 0;
                return told ? 127 : 126;
            },
            pid);
        if (problem != 0) {
            return problem;
        }
        problems.close_end(1);
        int error = 0;
        ssize_t got = 0;
        do {
            got = ::read(problems.reading(), &error, sizeof error);
        } while (got < 0 && errno == EINTR);
        if (got > 0) {
            ::waitpid(pid, nullptr, 0);
            return error;
        }
        return 0;
    }

    int fork_body(const std::function<int()>& body, pid_t& pid) {
        std::cerr.flush();
        pid = ::fork();
        if (pid < 0) {
            return errno;
        }
        if (pid == 0) {
            signals_.restore();
            // Before anything else runs: what the child starts inherits them.
            if (is_limited()) {  // a group of its own, to be killed as a whole
                ::setpgid(0, 0);
            }
            limit_memory();
            for (const auto& [from, to] : redirections()) {
                ::dup2(from, to);
            }
            const int code = body();
            std::cout.flush();
            std::cerr.flush();
            ::_exit(code);  // the parent's objects are not ours to destroy
        }
        return 0;
    }

  private:
    [[nodiscard]] std::vector<std::pair<int, int>> redirections() const {
        std::vector<std::pair<int, int>> list{{null_, STDIN_FILENO}};
        if (options_.output != Stream::Inherit) {
            list.emplace_back(output_.writing(), STDOUT_FILENO);
        }
        if (options_.errors != Stream::Inherit) {
            list.emplace_back(errors_.writing(), STDERR_FILENO);
        }
        return list;
    }

    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }

    void limit_memory() const {
        if (options_.memory_bytes > 0) {
            const auto bytes = static_cast<rlim_t>(options_.memory_bytes);
            const rlimit limit{bytes, bytes};
            ::setrlimit(RLIMIT_AS, &limit);
        }
    }

    [[nodiscard]] bool is_limited() const {
        return options_.seconds > 0 || options_.processor_seconds > 0;
    }

    // 0 if there is no telling: it has ended.
    [[nodiscard]] double processor_seconds() const {
        clockid_t clock{};
        timespec time{};
        const bool known =
            ::clock_getcpuclockid(pid_, &clock) == 0 && ::clock_gettime(clock, &time) == 0;
        return known ? static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)
                     : 0;
    }

    [[nodiscard]] bool took_too_long() const {
        return (options_.seconds > 0 && elapsed() > options_.seconds) ||
               (options_.processor_seconds > 0 && processor_seconds() > options_.processor_seconds);
    }

    void limit_time() {
        if (!result_.timed_out && took_too_long()) {
            result_.timed_out = true;
            ::kill(-pid_, SIGKILL);
            ::kill(pid_, SIGKILL);
        }
    }

    // A grandchild may keep the pipes open: the child's own end counts, once what it wrote is read.
    void read_until_end() {
        int status = 0;
        rusage usage{};
        bool ended = false;
        std::array<pollfd, 2> files{
            {{output_.reading(), POLLIN, 0}, {errors_.reading(), POLLIN, 0}}};
        while (!ended || files[0].fd >= 0 || files[1].fd >= 0) {
            const bool open = files[0].fd >= 0 || files[1].fd >= 0;
            const int ready = open ? ::poll(files.data(), files.size(), ended ? 0 : 100) : 0;
            if (ready == 0 && ended) {
                break;
            }
            if (ready > 0) {
                read_from(files[0], options_.output, result_.output);
                read_from(files[1], options_.errors, result_.errors);
                trim_errors();
            }
            limit_time();
            // With nothing left to read, and no limit, there is only the end to wait for.
            if (!ended) {
                const bool wait = !open && !is_limited();
                const pid_t got = ::wait4(pid_, &status, wait ? 0 : WNOHANG, &usage);
                ended = got == pid_ || (got < 0 && errno != EINTR);
                if (!ended && !open && !wait) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(5));
                }
            }
        }
        result_.seconds = elapsed();
        result_.peak_bytes = std::int64_t{usage.ru_maxrss} * 1024;
        result_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    }

    static void read_from(pollfd& file, Stream stream, std::string& out) {
        if (file.fd < 0 || file.revents == 0) {
            return;
        }
        std::array<char, 1 << 14> buffer;
        const ssize_t got = ::read(file.fd, buffer.data(), buffer.size());
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
            file.fd = -1;  // poll() passes over it
        } else if (got > 0) {
            out.append(buffer.data(), static_cast<std::size_t>(got));
            if (stream == Stream::Copy) {
                std::cerr.write(buffer.data(), got).flush();
            }
        }
    }

    void trim_errors() {
        if (result_.errors.size() > 2 * kKept) {
            result_.errors.erase(0, result_.errors.size() - kKept);
        }
    }

    const ProcessOptions& options_;
    SignalsPassedOn signals_;
    Pipe output_, errors_;
    int null_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    pid_t pid_ = -1;
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_;
    ProcessResult result_;
};

}  // namespace

Status run_tool(const std::vector<std::string>& command, double seconds) {
    ProcessOptions options;
    options.search_path = true;
    options.seconds = seconds;
    const Result<ProcessResult> done = run_process(command, options);
    if (!done) {
        return Error{done.error()};
    }
    return done.value().ok() ? Status(Ok{})
                             : Error{command.front() + " " + done.value().how_it_ended() + ": " +
                                     done.value().errors};
}

std::string ProcessResult::how_it_ended() const {
    if (timed_out) {
        return "took too long";
    }
    if (signal != 0) {
        return "was ended by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
    }
    return "exited with code " + std::to_string(exit_code);
}

bool was_interrupted() {
    return stop_was_asked_for;
}

Result<ProcessResult> run_process(const std::vector<std::string>& command,
                                  const ProcessOptions& options) {
    Child child(options);
    return child.run([&](pid_t& pid) { return child.spawn(command, pid); }, command.front());
}

Result<ProcessResult> run_forked(const std::function<int()>& body, const ProcessOptions& options) {
    Child child(options);
    return child.run([&](pid_t& pid) { return child.fork_body(body, pid); }, "a child process");
}

std::string shell_text(const std::vector<std::string>& command) {
    constexpr const char* kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%";
    std::string text;
    for (const std::string& word : command) {
        text += text.empty() ? "" : " ";
        if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
            text += word;
            continue;
        }
        text += '\'';
        for (const char c : word) {
            text += c == '\'' ? std::string("'\\''") : std::string(1, c);
        }
        text += '\'';
    }
    return text;
}

}  // namespace nestor
