#pragma once
// A copy of this process that does one piece of work under limits, and may crash, hang or be
// paused.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace nestor {

/** The child's side of the link. */
class ParentLink {
  public:
    ParentLink(int messages, int orders) : messages_(messages), orders_(orders) {}

    /** One line. */
    void tell(const std::string& line) const;
    /** Blocks until the parent says a line. */
    [[nodiscard]] std::string hear() const;
    /** Blocks until the parent calls give_turn(). */
    void wait_for_turn() const;

  private:
    int messages_, orders_;
};

class ForkedChild {
  public:
    /** Runs `body` in a fork, in a process group of its own, with so many bytes more than this
     * process has. It dies with its parent. No other thread may be running. */
    static Result<std::unique_ptr<ForkedChild>> start(
        const std::function<void(const ParentLink&)>& body, std::int64_t memory_bytes);
    /** Kills it if it still runs. */
    ~ForkedChild();
    ForkedChild(const ForkedChild&) = delete;
    ForkedChild& operator=(const ForkedChild&) = delete;

    /** To poll for reading. */
    [[nodiscard]] int messages() const { return messages_; }
    /** Appends the lines that have come; false when the child has closed its end. */
    bool receive(std::vector<std::string>& lines);

    /** One line. The process must ignore SIGPIPE: a child that has died is noticed by receive(). */
    void tell(const std::string& line) const;
    void give_turn() const;
    void pause();
    void resume();
    void kill() const;

    /** Seconds since start_clock() during which it was not paused. */
    [[nodiscard]] double seconds() const;
    void start_clock();

    struct End {
        int exit_code = 0;
        int signal = 0;      // that ended it; 0: it exited
        std::string errors;  // the end of what it wrote to stderr
        [[nodiscard]] std::string text() const;
    };
    /** Waits for its end; call it once. */
    End wait();

  private:
    ForkedChild() = default;

    using Clock = std::chrono::steady_clock;
    pid_t pid_ = -1;
    int messages_ = -1, orders_ = -1, errors_ = -1;
    std::string partial_;  // a line that has not ended yet
    bool paused_ = false;
    double before_ = 0;  // seconds counted before `since_`
    Clock::time_point since_;
};

}  // namespace nestor
