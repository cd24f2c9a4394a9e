#pragma once
// Runs the installed `nestor`.

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace nestor::auto_scheduler::detail {

inline std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_text(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) {
        throw std::runtime_error("cannot write " + path);
    }
}

/** A new folder for temporary files, removed with it. */
class ScratchFolder {
  public:
    ScratchFolder() : path_((std::filesystem::temp_directory_path() / "nestor-XXXXXX").string()) {
        if (::mkdtemp(path_.data()) == nullptr) {
            throw std::runtime_error("cannot make " + path_ + ": " + std::strerror(errno));
        }
    }
    ~ScratchFolder() {
        std::error_code problem;
        std::filesystem::remove_all(path_, problem);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/** While it lives, Ctrl-C is the child's business, as in system(3): the child ends in order. */
class LeaveInterrupts {
  public:
    LeaveInterrupts() {
        struct sigaction ignore{};
        ignore.sa_handler = SIG_IGN;
        ::sigaction(SIGINT, &ignore, &before_);
    }
    ~LeaveInterrupts() { ::sigaction(SIGINT, &before_, nullptr); }
    LeaveInterrupts(const LeaveInterrupts&) = delete;
    LeaveInterrupts& operator=(const LeaveInterrupts&) = delete;

  private:
    struct sigaction before_{};
};

/** A running command, whose standard output is read here. */
class Child {
  public:
    /** Standard error goes to the file `errors`. Throws std::runtime_error. */
    Child(std::vector<std::string> words, const std::string& errors) {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
        }
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(),
                                           O_WRONLY | O_CREAT | O_TRUNC, 0600);
        std::vector<char*> argv;
        argv.reserve(words.size() + 1);
        for (std::string& word : words) {
            argv.push_back(word.data());
        }
        argv.push_back(nullptr);
        const int problem = ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        output_ = ends[0];
        if (problem != 0) {
            ::close(output_);
            throw std::runtime_error("cannot run " + words[0] + ": " + std::strerror(problem));
        }
    }
    ~Child() {
        ::close(output_);
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            (void)wait();
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /** Calls `visit` with each line until the child closes its output. */
    template <class Visit>
    void read_lines(const Visit& visit) {
        std::string pending;
        std::array<char, 4096> block{};
        for (;;) {
            const ssize_t count = ::read(output_, block.data(), block.size());
            if (count < 0 && errno == EINTR) {
                continue;
            }
            if (count <= 0) {
                break;
            }
            pending.append(block.data(), static_cast<std::size_t>(count));
            std::size_t begin = 0;
            for (std::size_t end = 0; (end = pending.find('\n', begin)) != std::string::npos;
                 begin = end + 1) {
                visit(pending.substr(begin, end - begin));
            }
            pending.erase(0, begin);
        }
        if (!pending.empty()) {
            visit(pending);
        }
    }

    void interrupt() const { ::kill(pid_, SIGINT); }

    /** Its exit status; 128 and the signal's number where one ended it. */
    int wait() {
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

  private:
    pid_t pid_ = -1;
    int output_ = -1;
};

/** Runs `words` and calls `visit` with each line that it prints. If `visit` throws, the child is
 * told to end in order (SIGINT) before the exception goes on. `fail(message)` is called if the
 * child fails; yields what it wrote to standard error. */
template <class Visit, class Fail>
std::string follow(const std::vector<std::string>& words, const Visit& visit, const Fail& fail) {
    const ScratchFolder scratch;
    const std::string errors = scratch.file("errors");
    Child child(words, errors);
    try {
        child.read_lines(visit);
    } catch (...) {
        child.interrupt();
        child.read_lines([](const std::string&) {});
        (void)child.wait();
        throw;
    }
    const int status = child.wait();
    std::string text = read_text(errors);
    if (status != 0) {
        while (!text.empty() && text.back() == '\n') {
            text.pop_back();
        }
        fail(text.empty() ? words[0] + " ended with status " + std::to_string(status) : text);
    }
    return text;
}

}  // namespace nestor::auto_scheduler::detail
