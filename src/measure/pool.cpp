#include "measure/pool.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <nlohmann/json.hpp>

#include "measure/lines.h"

extern char** environ;

namespace nestor {

using nlohmann::json;

/** The worker process and the lines to and from it. */
class MeasurePool::Worker {
  public:
    static Result<std::unique_ptr<Worker>> start(const std::vector<std::string>& command) {
        std::array<int, 2> ends{-1, -1};
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
            return Error{std::string("cannot start a measuring worker: ") + std::strerror(errno)};
        }
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        std::vector<char*> words;
        for (const std::string& word : command) {
            words.push_back(const_cast<char*>(word.c_str()));
        }
        words.push_back(nullptr);
        auto worker = std::unique_ptr<Worker>(new Worker);
        const int problem =
            posix_spawn(&worker->pid_, words[0], &actions, nullptr, words.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        worker->socket_ = ends[0];
        if (problem != 0) {
            worker->pid_ = -1;
            return Error{"cannot start " + command[0] + ": " + std::strerror(problem)};
        }
        return worker;
    }
    ~Worker() {
        close(socket_);
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
        }
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    [[nodiscard]] int pid() const { return pid_; }

    /** False if it does not listen any more. */
    [[nodiscard]] bool write(const json& message) const {
        return write_line(socket_, message.dump(-1, ' ', false, json::error_handler_t::replace));
    }

    /** The next message; false at its end, or if a signal came and `stop` says so. */
    bool read(json& message, const std::function<bool()>& stop = {}) {
        while (true) {
            const std::size_t end = text_.find('\n');
            if (end != std::string::npos) {
                message = json::parse(text_.substr(0, end), nullptr, false);
                text_.erase(0, end + 1);
                return !message.is_discarded();
            }
            std::array<char, 65536> chunk{};
            const ssize_t n = recv(socket_, chunk.data(), chunk.size(), 0);
            if (n < 0 && errno == EINTR && !(stop && stop())) {
                continue;
            }
            if (n <= 0) {
                return false;
            }
            text_.append(chunk.data(), static_cast<std::size_t>(n));
        }
    }

  private:
    Worker() = default;

    pid_t pid_ = -1;
    int socket_ = -1;
    std::string text_;
};

MeasurePool::MeasurePool(std::vector<std::string> command, const MeasureOptions& options)
    : command_(std::move(command)), options_(options) {}

MeasurePool::~MeasurePool() = default;

int MeasurePool::worker() const {
    return worker_ ? worker_->pid() : -1;
}

Result<std::unique_ptr<MeasurePool>> MeasurePool::start(std::vector<std::string> command,
                                                        const MeasureOptions& options) {
    std::unique_ptr<MeasurePool> pool(new MeasurePool(std::move(command), options));
    if (Status status = pool->start_worker(); !status) {
        return Error{status.error()};
    }
    return pool;
}

Status MeasurePool::start_worker() {
    worker_.reset();
    Result<std::unique_ptr<Worker>> started = Worker::start(command_);
    if (!started) {
        return Error{started.error()};
    }
    worker_ = std::move(started).value();
    json answer;
    if (!worker_->write(to_json(options_)) || !worker_->read(answer)) {
        worker_.reset();
        return Error{"the measuring worker (" + command_[0] + ") ended before it was ready"};
    }
    if (answer.contains("error")) {
        worker_.reset();
        return Error{answer["error"].get<std::string>()};
    }
    verified_against_ = answer.value("verified_against", "");
    try {
        machine_ = machine_from_json(answer.at("machine"));
    } catch (const json::exception& error) {
        worker_.reset();
        return Error{std::string("not an answer of a measuring worker: ") + error.what()};
    }
    (void)send_anchor();  // if it does not listen, that shows soon
    return Ok{};
}

void MeasurePool::set_anchor(const Candidate& anchor, double seconds) {
    anchor_ = anchor;
    anchor_seconds_ = seconds;
    (void)send_anchor();
}

bool MeasurePool::send_anchor() const {
    return anchor_seconds_ == 0 || !worker_ ||
           worker_->write({{"anchor",
                            {{"schedule", anchor_.schedule},
                             {"load", anchor_.load},
                             {"seconds", anchor_seconds_}}}});
}

std::vector<Measurement> MeasurePool::measure(std::span<const Candidate> candidates,
                                              const Progress& progress) {
    std::vector<Measurement> results(candidates.size());
    std::deque<std::size_t> waiting;
    for (std::size_t i = 0; i < candidates.size(); i++) {
        waiting.push_back(i);
    }
    std::deque<std::size_t> sent;  // oldest first
    const auto settle = [&](std::size_t i, const Measurement& measurement) {
        results[i] = measurement;
        if (progress) {
            progress(i, measurement);
        }
    };
    std::size_t suspect = candidates.size();  // was the oldest under way when a worker died
    while (!waiting.empty() || !sent.empty()) {
        if (stop_ && stop_()) {
            worker_.reset();  // it may be in the middle of one
            for (const std::deque<std::size_t>& left : {sent, waiting}) {
                for (const std::size_t i : left) {
                    results[i] = Measurement::failure(Outcome::Lost, "stopped");
                }
            }
            return results;
        }
        if (!worker_) {
            if (const Status status = start_worker(); !status) {
                for (const std::size_t i : waiting) {
                    settle(i, Measurement::failure(Outcome::Lost, status.error()));
                }
                return results;
            }
        }
        json answer;
        if (feed(candidates, waiting, sent) && worker_->read(answer, stop_) &&
            answer.contains("id")) {
            const auto i = answer["id"].get<std::size_t>();
            const Result<Measurement> measurement = measurement_from_json(answer["measurement"]);
            settle(i, measurement ? measurement.value()
                                  : Measurement::failure(Outcome::Lost, measurement.error()));
            std::erase(sent, i);
            continue;
        }
        if (stop_ && stop_()) {
            continue;
        }
        // It died. What was under way is measured again, but the oldest only once more.
        worker_.reset();
        if (!sent.empty() && sent.front() == suspect) {
            settle(suspect, Measurement::failure(Outcome::Lost, "the measuring worker died twice"));
            sent.pop_front();
        }
        suspect = sent.empty() ? candidates.size() : sent.front();
        waiting.insert(waiting.begin(), sent.begin(), sent.end());
        sent.clear();
    }
    return results;
}

// A few more than it builds at once: enough that it never waits, and too few to fill the socket.
bool MeasurePool::feed(std::span<const Candidate> candidates, std::deque<std::size_t>& waiting,
                       std::deque<std::size_t>& sent) {
    constexpr std::size_t kWindow = 16;
    while (!waiting.empty() && sent.size() < kWindow) {
        const std::size_t i = waiting.front();
        waiting.pop_front();
        sent.push_back(i);
        if (!worker_->write({{"id", i},
                             {"schedule", candidates[i].schedule},
                             {"load", candidates[i].load},
                             {"give_up_seconds", candidates[i].give_up_seconds}})) {
            return false;
        }
    }
    return true;
}

}  // namespace nestor
